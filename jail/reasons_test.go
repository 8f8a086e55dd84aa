package jail

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A caused is one way to bring a reason about, for real. Its record is kept in
// testdata/NAME.json.
type caused struct {
	name   string
	reason Reason
	group  bool // needs a cgroup
	failed bool // Run returns an error
	seen   bool // needs a listener
	// unnamed needs a box that may have no Unix sockets, as they are below this ABI
	// of Landlock.
	unnamed bool
	spec    func(t *testing.T) Spec
	// onOutput is called when the program first writes; the box is then in
	// the middle of its life.
	onOutput func(t *testing.T, cancel func())
}

func line(script string) func(*testing.T) Spec {
	return func(*testing.T) Spec { return shell(script) }
}

// within is a Spec that runs a function of inside.
func within(name string) func(*testing.T) Spec {
	return func(t *testing.T) Spec { return insideBox(t, name) }
}

// changed is a line of shell in a Spec with something changed.
func changed(script string, change func(s *Spec)) func(*testing.T) Spec {
	return func(*testing.T) Spec {
		s := shell(script)
		change(&s)
		return s
	}
}

// program is a Spec that runs a file of the host's with this content.
func program(mode os.FileMode, content string) func(*testing.T) Spec {
	return func(t *testing.T) Spec {
		source := filepath.Join(t.TempDir(), "program")
		if err := os.WriteFile(source, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		s := shell("")
		s.Args = []string{"/program"}
		s.View = append(s.View, ro(source, "/program"))
		return s
	}
}

var causes = []caused{
	{name: "ok", reason: ReasonOK, spec: line("echo out; echo err >&2")},
	{name: "execution_failed", reason: ReasonExecutionFailed, spec: line("echo so not >&2; exit 3")},
	{name: "execution_failed_125", reason: ReasonExecutionFailed, spec: line("exit 125")}, // jail's own status, but not jail's
	{name: "execution_failed_127", reason: ReasonExecutionFailed, spec: line("no-such-command")},
	{name: "execution_failed_network", reason: ReasonExecutionFailed, seen: true, spec: within("fetch")},
	{name: "execution_failed_lookup", reason: ReasonExecutionFailed, seen: true, spec: within("look a name up")},
	{name: "execution_failed_host", reason: ReasonExecutionFailed, seen: true, unnamed: true, spec: within("ask for a host")},
	{name: "execution_failed_tried", reason: ReasonExecutionFailed, seen: true, spec: within("flush all disks")},
	{name: "execution_failed_granted", reason: ReasonExecutionFailed, seen: true, spec: within("debug")},
	{name: "execution_failed_never", reason: ReasonExecutionFailed, seen: true, spec: within("make a container")},
	// Without a group another rule refuses it as well.
	{name: "execution_failed_jit", reason: ReasonExecutionFailed, seen: true, group: true, spec: func(t *testing.T) Spec {
		s := insideBox(t, "make code")
		s.Seccomp.Deny = []string{"memfd_create"}
		return s
	}},
	{name: "timeout_network", reason: ReasonTimeout, seen: true, spec: func(t *testing.T) Spec {
		s := insideBox(t, "fetch and wait")
		s.Limits.Timeout = unhurried(3*time.Second, 500*time.Millisecond)
		return s
	}},
	{name: "signaled", reason: ReasonSignaled, spec: line("kill -SEGV $$")},
	{name: "signaled_sigkill", reason: ReasonSignaled, spec: line("kill -KILL $$")},
	{name: "timeout", reason: ReasonTimeout, spec: changed("echo begun; exec sleep 20", func(s *Spec) {
		s.Limits.Timeout, s.Limits.CPUTime = unhurried(3*time.Second, 300*time.Millisecond), time.Second
	})},
	{name: "cpu_time", reason: ReasonCPUTime, group: true, spec: changed("while :; do :; done & while :; do :; done", func(s *Spec) { s.Limits.CPUTime = 150 * time.Millisecond })},
	{name: "output_too_large", reason: ReasonOutputTooLarge, spec: changed("echo 0123456789abcdef; exec sleep 20", func(s *Spec) { s.Limits.Output = 10 })},
	{name: "out_of_memory", reason: ReasonOutOfMemory, group: true, spec: changed("exec tail /dev/zero", func(s *Spec) { s.Limits.Memory = 16 << 20 })},
	{name: "out_of_memory_by_tmp", reason: ReasonOutOfMemory, group: true, spec: changed("exec dd if=/dev/zero of=/tmp/x bs=64k status=none", func(s *Spec) { s.Limits.Memory, s.Limits.TmpSize = 16<<20, 64<<20 })},
	{name: "pids_limit", reason: ReasonPidsLimit, group: true, spec: changed("while :; do sleep 20 & done", func(s *Spec) { s.Limits.Pids = 8 })},
	{name: "disk_full", reason: ReasonDiskFull, spec: changed("exec dd if=/dev/zero of=/tmp/x bs=64k status=none", func(s *Spec) { s.Limits.TmpSize = 256 << 10 })},
	{name: "disk_full_inodes", reason: ReasonDiskFull, spec: changed("i=0; while : >/dev/shm/$i; do i=$((i+1)); done; exit 1", func(s *Spec) { s.Limits.TmpSize = 256 << 10 })},
	{name: "syscall_denied", reason: ReasonSyscallDenied, spec: foreignCall},
	{name: "syscall_denied_by_itself", reason: ReasonSyscallDenied, spec: line("kill -SYS $$")},
	{name: "canceled", reason: ReasonCanceled, spec: line("echo begun; exec sleep 20"), onOutput: func(_ *testing.T, cancel func()) { cancel() }},
	{name: "setup_refused_fault", reason: ReasonSetupRefused, failed: true, spec: changed("", func(s *Spec) { s.Limits.Pids, s.Env = 1, []string{"x"} })},
	{name: "setup_refused_grant", reason: ReasonSetupRefused, failed: true, spec: changed("", func(s *Spec) { s.View = []Mount{ro("/nonexistent", "/data")} })},
	{name: "setup_refused_landlock", reason: ReasonSetupRefused, failed: true, spec: changed("", func(s *Spec) { s.Require = []string{"landlock>=999"} })},
	{name: "setup_refused_cgroup", reason: ReasonSetupRefused, group: true, failed: true, spec: changed("", func(s *Spec) { s.CgroupParent = "nonexistent/group" })},
	{name: "setup_refused_dir", reason: ReasonSetupRefused, failed: true, spec: changed("", func(s *Spec) { s.Dir = "/nonexistent" })},
	{name: "exec_failed_not_found", reason: ReasonExecFailed, failed: true, spec: changed("", func(s *Spec) { s.Args = []string{"no-such-program"} })},
	{name: "exec_failed_no_interpreter", reason: ReasonExecFailed, failed: true, spec: program(0o755, "#!/no/such/interpreter\n")},
	{name: "exec_failed_carriage_return", reason: ReasonExecFailed, failed: true, spec: program(0o755, "#!/bin/sh\r\necho x\r\n")},
	{name: "exec_failed_not_executable", reason: ReasonExecFailed, failed: true, spec: program(0o644, "#!/bin/sh\n")},
	{name: "exec_failed_no_program", reason: ReasonExecFailed, failed: true, spec: program(0o755, "neither ELF nor #!\n")},
	{name: "internal_error", reason: ReasonInternalError, failed: true, spec: line("echo begun; exec sleep 20"), onOutput: func(t *testing.T, _ func()) { killInit(t) }},
}

// Every reason that a run can end for, brought about by a real program, with
// the record that it leaves, word for word.
func TestReasonsForReal(t *testing.T) {
	for _, c := range causes {
		t.Run(c.name, func(t *testing.T) {
			if c.group {
				needGroup(t)
			}
			if c.seen {
				needListener(t)
			}
			if c.unnamed && landlockABI() >= abiResolveUnix {
				leaveOut(t, "Landlock keeps Unix sockets in the box here, so they are allowed")
			}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			var io IO
			if c.onOutput != nil {
				io.Stdout = onWrite(func() { c.onOutput(t, cancel) })
			}
			res, err := RunIO(ctx, c.spec(t), io)
			want(t, res, c.reason)
			if (err != nil) != c.failed {
				t.Errorf("RunIO returned error %v, want one: %v", err, c.failed)
			}
			if !res.TreeEmpty {
				t.Error("tree_empty is false")
			}
			golden(t, c.name, res)
		})
	}
}

// Each reason but the runners' own is caused above.
func TestEveryReasonIsCaused(t *testing.T) {
	seen := map[Reason]bool{ReasonInvalidOutput: true}
	for _, c := range causes {
		seen[c.reason] = true
	}
	for _, r := range reasonsOfSchema(t) {
		if !seen[r] {
			t.Errorf("no test causes %s", r)
		}
	}
}

type onWrite func()

func (f onWrite) Write(b []byte) (int, error) {
	f()
	return len(b), nil
}

// killInit kills PID 1 of the one box that runs, as nobody in the box can.
func killInit(t *testing.T) {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, list := range lists {
		b, _ := os.ReadFile(list)
		for _, child := range strings.Fields(string(b)) {
			if name, _ := os.ReadFile("/proc/" + child + "/cmdline"); string(name) != "jail-init\x00" {
				continue
			}
			pid, err := strconv.Atoi(child)
			if err == nil {
				err = unix.Kill(pid, unix.SIGKILL)
			}
			if err != nil {
				t.Errorf("kill: %v", err)
			}
			return
		}
	}
	t.Error("there is no PID 1 among our children")
}

// needForeignCalls leaves a test out in User-mode Linux: whichever way a call is
// made there, the host's kernel hands it on as a 64-bit one of that number, which
// the filter then judges as such.
func needForeignCalls(t *testing.T) {
	t.Helper()
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil && strings.Contains(string(text), "User Mode Linux") {
		leaveOut(t, "User-mode Linux has no other architecture's calls")
	}
}

// foreignCall is a program that makes a system call of another architecture.
func foreignCall(t *testing.T) Spec {
	if runtime.GOARCH != "amd64" {
		leaveOut(t, "no other architecture's calls on "+runtime.GOARCH)
	}
	needForeignCalls(t)
	// mov $0x40000027, %eax (getpid of x32); syscall; then exit(0) of our own.
	return program(0o755, elf("\xb8\x27\x00\x00\x40\x0f\x05\xb8\x3c\x00\x00\x00\x31\xff\x0f\x05"))(t)
}

// Either kind of foreign call is the end: the x32 numbers of the same
// architecture as well.
func TestForeignCalls(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		leaveOut(t, "no x32 on "+runtime.GOARCH)
	}
	needForeignCalls(t)
	for name, c := range map[string]struct {
		code string
		want Reason
	}{
		"getpid as x32":   {"\xb8\x27\x00\x00\x40\x0f\x05", ReasonSyscallDenied},
		"getpid as i386":  {"\xb8\x14\x00\x00\x00\xcd\x80", ReasonSyscallDenied},
		"getpid as it is": {"\xb8\x27\x00\x00\x00\x0f\x05", ReasonOK},
	} {
		t.Run(name, func(t *testing.T) {
			s := program(0o755, elf(c.code+"\xb8\x3c\x00\x00\x00\x31\xff\x0f\x05"))(t)
			// A guest of a hypervisor without hardware's help may have no int 0x80: the
			// emulated guests' tests have it.
			if err := exec.Command(s.View[len(s.View)-1].Source).Run(); err != nil {
				t.Skipf("this machine ends such a call by itself: %v", err)
			}
			res, err := Run(context.Background(), s)
			if res.Reason != c.want || err != nil {
				t.Errorf("%s (%v), want %s", res.Reason, err, c.want)
			}
		})
	}
}

// A fault is no *SetupError, and a failed step is no Faults.
func TestErrorTypes(t *testing.T) {
	s := shell("")
	s.Dir = "/nonexistent"
	_, err := Run(context.Background(), s)
	var setup *SetupError
	if !errors.As(err, &setup) || setup.Stage != StageSession || !errors.Is(err, unix.ENOENT) {
		t.Errorf("a missing folder: %v", err)
	}
	var faults Faults
	if _, err := Run(context.Background(), Spec{}); !errors.As(err, &faults) || errors.As(err, &setup) && setup == nil {
		t.Errorf("an empty Spec: %v", err)
	}
}
