package jail

import (
	"strings"
	"testing"
	"time"
)

// What made a program late besides its own doing is said where it failed, with the
// figures, and nowhere else.
func TestBesides(t *testing.T) {
	const forks, late = "; 9 of its forks were refused (limit 40 processes and threads)", "; for 1.5s of its time, calls that it is refused waited for their answers"
	for _, c := range []struct {
		reason        Reason
		forks         int64
		late          time.Duration
		message, hint string
	}{
		{ReasonTimeout, 0, 0, "", ""},
		{ReasonTimeout, 9, 0, forks, "raise --pids if"},
		{ReasonCPUTime, 9, 0, forks, "raise --pids if"},
		{ReasonTimeout, 0, 1490 * time.Millisecond, late, "have it make fewer of the calls in denials"},
		{ReasonTimeout, 9, 1490 * time.Millisecond, forks + late, "could not start; have it make fewer"},
		{ReasonExecutionFailed, 9, 1490 * time.Millisecond, late, "have it make fewer"},
		{ReasonExecutionFailed, 0, 99 * time.Millisecond, "", ""},
		{ReasonOK, 9, time.Minute, forks, "raise --pids if it was to have more of them"},
		{ReasonOK, 0, time.Minute, "", ""},
		{ReasonCanceled, 9, time.Minute, "", ""},
	} {
		message, hint := besides(c.reason, (&run{spec: Spec{Limits: Limits{Pids: 40}}}).forksRefused, c.forks, c.late)
		if message != c.message || !strings.Contains(hint, c.hint) || (hint == "") != (c.hint == "") {
			t.Errorf("besides(%s, 40 pids, %d, %v) = %q, %q; want %q, %q", c.reason, c.forks, c.late, message, hint, c.message, c.hint)
		}
	}
}

// A thread has burst of its time at once, then its share, and waits for batch of it.
func TestAllowance(t *testing.T) {
	start := time.Now()
	a := allowance{left: burst, at: start}
	for _, c := range []struct{ after, spent, want time.Duration }{
		{0, 0, 0},
		{0, burst - 1, 0},
		{0, burst, 10 * batch},
		{10 * batch, burst, 0},
		{10 * batch, burst + 2*batch, 20 * batch},
		{time.Hour, 2*burst + batch, 0},
		{time.Hour, 2*burst + 2*batch, 10 * batch},
	} {
		if got := a.wait(start.Add(c.after), c.spent); got != c.want {
			t.Errorf("after %v, and %v spent: wait %v, want %v", c.after, c.spent, got, c.want)
		}
	}
}
