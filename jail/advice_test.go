package jail

import (
	"strings"
	"testing"
)

// Of what a failed program was refused the message names what is likely why, the
// hint what may be, and a run that did not fail says nothing of it.
func TestAccuse(t *testing.T) {
	denial := func(what, grant, never string) Denial {
		return Denial{What: what, Errno: "EPERM", Count: 1, Grant: grant, Never: never}
	}
	inet, named, name := denial("socket(AF_INET, SOCK_STREAM)", "--net loopback", ""), denial("socket(AF_UNIX, SOCK_STREAM)", "--unix", ""), denial("socket(AF_UNIX, SOCK_STREAM|SOCK_NONBLOCK)", "--unix", "")
	ptrace, chroot, flock := denial("ptrace(PTRACE_TRACEME, 0, …)", "--allow-syscall ptrace", ""), denial(`chroot("/")`, "", "the reason"), denial("flock(fd, LOCK_EX)", "--allow-syscall flock", "")
	rest := Denial{What: "other system calls", Count: 9}
	code := func(n int) *int { return &n }
	for _, c := range []struct {
		reason  Reason
		code    *int
		denials []Denial
		message string
		hint    string
		likely  int
	}{
		{ReasonOK, code(0), []Denial{inet}, "m", "", 0},
		{ReasonExecutionFailed, code(1), nil, "m", "", 0},
		{ReasonExecutionFailed, code(1), []Denial{rest}, "m", "", 0},
		{ReasonExecutionFailed, code(1), []Denial{flock, name, named, ptrace, inet}, "m, and it was refused the network: socket(AF_INET, SOCK_STREAM) (EPERM)", "127.0.0.1", 1},
		{ReasonExecutionFailed, code(1), []Denial{flock, named, chroot, ptrace, rest}, `m, and it was refused chroot("/") (EPERM)`, "no flag allows it (the reason)", 2},
		{ReasonSignaled, nil, []Denial{ptrace}, "m, and it was refused ptrace(PTRACE_TRACEME, 0, …) (EPERM)", "--allow-syscall ptrace allows it", 1},
		{ReasonExecutionFailed, code(1), []Denial{flock, name}, "m", "if one was a host's, a box reaches no network", 0},
		{ReasonExecutionFailed, code(127), []Denial{flock}, "m", "stderr names it, and --ro grants it; it was refused flock(fd, LOCK_EX) (EPERM), which many", 0},
		{ReasonExecutionFailed, code(126), nil, "m", "could not execute it", 0},
		{ReasonTimeout, nil, []Denial{ptrace}, "m", "", 0},
		{ReasonTimeout, nil, []Denial{inet}, "m, and it was refused the network", "no network", 1},
		{ReasonOutOfMemory, nil, []Denial{inet}, "m", "", 0},
	} {
		res := Result{Reason: c.reason, ExitCode: c.code, Message: "m", Denials: append([]Denial(nil), c.denials...)}
		res.accuse()
		likely := 0
		for _, d := range res.Denials {
			if d.Likely {
				likely++
			}
		}
		if c.message == "m" && res.Message != "m" || !strings.HasPrefix(res.Message, c.message) || !strings.Contains(res.Hint, c.hint) || (res.Hint == "") != (c.hint == "") || likely != c.likely {
			t.Errorf("%s after %v: %q (%q), %d likely; want %q (%q), %d", c.reason, c.denials, res.Message, res.Hint, likely, c.message, c.hint, c.likely)
		}
	}
}
