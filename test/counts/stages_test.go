package counts

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/test/shipped"
)

// mostByStage is how many system calls the supervisor's threads make in each stage of
// `--timings`, at most: of PID 1 and the program package jail has the exact numbers
// (TestStepsByStage). "start" is what comes before the run, most of it the Go runtime's, and
// "after" what comes when the record is made.
var mostByStage = map[string]int{
	"start": 225, "validate": 0, "resolve": 20, "probe": 28, "clone": 15, "plan": 17, "cgroup": 88,
	"session": 6, "grants": 40, "exec": 32, "program": 34, "end": 22, "after": 24,
}

func TestSystemCallsByStage(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		shipped.LeaveOut(t, err.Error())
	}
	calls := traceStages(t)
	for range 4 { // as in TestSystemCalls
		more := traceStages(t)
		for stage := range calls {
			calls[stage] = min(calls[stage], more[stage])
		}
	}
	t.Log("system calls by stage:", calls)
	for stage, n := range calls {
		if most, ok := mostByStage[stage]; !ok || n > most {
			t.Errorf("%s: %d system calls, want at most %d", stage, n, most)
		}
	}
	for stage := range mostByStage {
		if _, ok := calls[stage]; !ok {
			t.Errorf("there is no stage %s", stage)
		}
	}
}

// traceStages counts them by the clock that the supervisor looks at where a stage begins.
func traceStages(t *testing.T) map[string]int {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trace")
	out, err := exec.Command("strace", "-f", "-qq", "-o", file, jail, "run", "-q", "--json", "--timings", "--optional", "cgroup", "--", "/bin/true").Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var record struct {
		Timings []struct{ Process, Stage string }
	}
	if err := json.Unmarshal(out, &record); err != nil {
		t.Fatal(err)
	}
	stages := []string{"start", "start"} // from when the run has begun to its first stage, too
	for _, timing := range record.Timings {
		if timing.Process == "supervisor" && timing.Stage != "start" {
			stages = append(stages, timing.Stage)
		}
	}
	stages = append(stages, "after")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	made := tracedCalls(string(text))
	others := map[string]bool{} // the other processes
	for _, c := range made {
		if whose(c.call) != "supervisor" {
			others[c.thread] = true
		}
	}
	calls, at := map[string]int{}, 0
	for _, stage := range stages {
		calls[stage] = 0 // validate makes none
	}
	for _, c := range made {
		switch {
		case others[c.thread] || strings.HasPrefix(c.call, "clock_gettime(CLOCK_PROCESS"):
		case strings.HasPrefix(c.call, "clock_gettime("):
			if at++; at == len(stages) {
				t.Fatalf("the clock was looked at more often than stages began: %v", stages)
			}
		default:
			calls[stages[at]]++
		}
	}
	if at != len(stages)-1 {
		t.Fatalf("the clock was looked at %d times, and stages began %d times", at, len(stages)-1)
	}
	return calls
}
