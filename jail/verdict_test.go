package jail

import (
	"testing"

	"golang.org/x/sys/unix"
)

func exited(code int) unix.WaitStatus          { return unix.WaitStatus(code << 8) }
func killed(sig unix.Signal) unix.WaitStatus   { return unix.WaitStatus(sig) }
func dumpedBy(sig unix.Signal) unix.WaitStatus { return unix.WaitStatus(sig | 0x80) }

// The facts of a run, and what they amount to: the first that holds wins.
func TestReason(t *testing.T) {
	for _, c := range []struct {
		name  string
		facts facts
		want  Reason
	}{
		{"exit 0", facts{ended: true}, ReasonOK},
		{"exit 0 is ok although forks were refused", facts{ended: true, pidsDenied: 3}, ReasonOK},
		{"exit 0 is ok although /tmp is full", facts{ended: true, tmpfsFull: true}, ReasonOK},
		{"another code", facts{ended: true, status: exited(1)}, ReasonExecutionFailed},
		{"exit 137 is no signal", facts{ended: true, status: exited(137)}, ReasonExecutionFailed},
		{"exit 124 is no timeout", facts{ended: true, status: exited(124)}, ReasonExecutionFailed},
		{"a signal", facts{ended: true, status: killed(unix.SIGSEGV)}, ReasonSignaled},
		{"a signal with a core dump", facts{ended: true, status: dumpedBy(unix.SIGABRT)}, ReasonSignaled},
		{"SIGKILL that we did not send", facts{ended: true, status: killed(unix.SIGKILL)}, ReasonSignaled},
		{"SIGSYS", facts{ended: true, status: killed(unix.SIGSYS), filtered: true}, ReasonSyscallDenied},
		{"SIGSYS where there is no filter to send it", facts{ended: true, status: killed(unix.SIGSYS)}, ReasonSignaled},
		{"SIGXCPU, the backstop", facts{ended: true, status: killed(unix.SIGXCPU), cpuSpent: true}, ReasonCPUTime},
		{"SIGXCPU, sent by the program", facts{ended: true, status: killed(unix.SIGXCPU)}, ReasonSignaled},
		{"failed when forks were refused", facts{ended: true, status: exited(2), pidsDenied: 1}, ReasonPidsLimit},
		{"signaled when forks were refused", facts{ended: true, status: killed(unix.SIGABRT), pidsDenied: 1}, ReasonPidsLimit},
		{"failed when /tmp is full", facts{ended: true, status: exited(1), tmpfsFull: true}, ReasonDiskFull},
		{"forks before disk", facts{ended: true, status: exited(1), tmpfsFull: true, pidsDenied: 1}, ReasonPidsLimit},
		{"a process was killed for memory", facts{ended: true, status: exited(1), oomKills: 1}, ReasonOutOfMemory},
		{"its heap was full", facts{ended: true, status: killed(unix.SIGABRT), heapFull: true}, ReasonOutOfMemory},
		{"its heap was full when forks were refused", facts{ended: true, status: killed(unix.SIGABRT), heapFull: true, pidsDenied: 1}, ReasonOutOfMemory},
		{"even if the program says that all is well", facts{ended: true, oomKills: 1}, ReasonOutOfMemory},
		{"seen by the supervisor", facts{cause: ReasonOutOfMemory, oomKills: 1}, ReasonOutOfMemory},
		{"an earlier cause comes first", facts{cause: ReasonTimeout, oomKills: 1}, ReasonTimeout},
		{"timeout", facts{cause: ReasonTimeout}, ReasonTimeout},
		{"timeout, and the program caught its end", facts{cause: ReasonTimeout, ended: true}, ReasonTimeout},
		{"processor time", facts{cause: ReasonCPUTime}, ReasonCPUTime},
		{"output", facts{cause: ReasonOutputTooLarge, ended: true}, ReasonOutputTooLarge},
		{"the caller", facts{cause: ReasonCanceled}, ReasonCanceled},
		{"ourselves", facts{cause: ReasonInternalError}, ReasonInternalError},
		{"nothing is known", facts{}, ReasonInternalError},
		{"nothing is known, /tmp full or not", facts{tmpfsFull: true, pidsDenied: 1}, ReasonInternalError},
	} {
		if got := c.facts.reason(); got != c.want {
			t.Errorf("%s: reason = %s, want %s", c.name, got, c.want)
		}
	}
}

// The exit status of `jail run` for every reason.
func TestExitStatus(t *testing.T) {
	code := func(n int) *int { return &n }
	signal := func(s string) *string { return &s }
	for _, c := range []struct {
		result Result
		want   int
	}{
		{Result{Reason: ReasonOK, ExitCode: code(0)}, 0},
		{Result{Reason: ReasonExecutionFailed, ExitCode: code(3)}, 3},
		{Result{Reason: ReasonExecutionFailed, ExitCode: code(255)}, 255},
		{Result{Reason: ReasonSignaled, Signal: signal("SIGTERM")}, 128 + 15},
		{Result{Reason: ReasonSignaled, Signal: signal("SIGSEGV")}, 128 + 11},
		{Result{Reason: ReasonTimeout, Signal: signal("SIGKILL")}, 124},
		{Result{Reason: ReasonTimeout, ExitCode: code(0)}, 124},
		{Result{Reason: ReasonCPUTime, Signal: signal("SIGKILL")}, 124},
		{Result{Reason: ReasonOutputTooLarge, Signal: signal("SIGKILL")}, 153},
		{Result{Reason: ReasonOutOfMemory, Signal: signal("SIGKILL")}, 137},
		{Result{Reason: ReasonOutOfMemory, ExitCode: code(1)}, 137},
		{Result{Reason: ReasonPidsLimit, ExitCode: code(2)}, 2},
		{Result{Reason: ReasonDiskFull, ExitCode: code(1)}, 1},
		{Result{Reason: ReasonSyscallDenied, Signal: signal("SIGSYS")}, 128 + 31},
		{Result{Reason: ReasonCanceled, Signal: signal("SIGKILL")}, 137},
		{Result{Reason: ReasonCanceled}, 125},
		{Result{Reason: ReasonSetupRefused, Refusal: &Refusal{Errno: "ENOENT"}}, 125},
		{Result{Reason: ReasonExecFailed, Refusal: &Refusal{Errno: "ENOENT"}}, 127},
		{Result{Reason: ReasonExecFailed, Refusal: &Refusal{Errno: "EACCES"}}, 126},
		{Result{Reason: ReasonExecFailed}, 126},
		{Result{Reason: ReasonInternalError}, 125},
		{Result{}, 125},
	} {
		if got := c.result.ExitStatus(); got != c.want {
			t.Errorf("ExitStatus of %s = %d, want %d", c.result.Reason, got, c.want)
		}
	}
}

// Whoever ends a box first is the cause, and nobody is once it is over.
func TestFirstCauseWins(t *testing.T) {
	e := end{pidfd: -1}
	e.now(ReasonTimeout)
	e.now(ReasonCanceled)
	if cause, at := e.over(); cause != ReasonTimeout || at.IsZero() {
		t.Errorf("ended for %q at %v, want timeout", cause, at)
	}
	late := end{pidfd: -1}
	late.over()
	late.now(ReasonTimeout)
	if cause, _ := late.over(); cause != "" {
		t.Errorf("ended for %q after it was over", cause)
	}
}
