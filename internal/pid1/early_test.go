package pid1

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// build builds testdata/early.
func build(t *testing.T, arch string, flags ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "early")
	cmd := exec.Command("go", append(append([]string{"build"}, flags...), "-o", out, "./testdata/early")...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOARCH="+arch)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

const (
	taken = "early: true twice: false\nPID 1 ended with 125\n"
	none  = "early: false twice: false\n"
)

// The starter begins before Go only for a program that runs boxes, and not
// where its descriptors would take the places of stdin, stdout or stderr.
func TestEarly(t *testing.T) {
	with, without := build(t, runtime.GOARCH, "-ldflags=-E jail_entry"), build(t, runtime.GOARCH)
	for _, c := range []struct{ script, want string }{
		{with + " run", taken},
		{with + " run it", taken},
		{"env -i " + with + " run", taken},
		{without + " run", none},
		{with, none},
		{with + " runs", none},
		{with + " explain run", none},
		{with + " ''", none},
		{with + " run 0<&-", none},
		{with + " run 2>&-", none},
		{"ulimit -f 0; exec " + with + " run", none},
		{"trap '' CHLD; exec " + with + " run", taken},
		{"GOMAXPROCS=2 A=b " + with + " run", taken},
		{"GOMEMLIMIT=1B " + with + " run", none}, // garbage is collected before the first file can be opened
		{"GOMAXPROCS=4 GOMEMLIMIT=1B " + with + " run", none},
		{"GOGC=1 " + with + " run", none},
		{"GODEBUG=gcstoptheworld=2 " + with + " run", none},
		{"ulimit -n 8; exec " + with + " run", "early: true twice: false\nBorn: execve of PID 1's image: invalid argument\n"},
	} {
		out, err := exec.Command("sh", "-c", c.script).CombinedOutput()
		if got := string(out); err != nil || got != c.want {
			t.Errorf("%s: %q (%v), want %q", strings.ReplaceAll(c.script, filepath.Dir(with), ""), got, err, c.want)
		}
	}
}

// Which of stdin, stdout and stderr was closed is known, also where no box is to be run or
// the starter did not begin early, and of a program that did not begin at jail_entry nothing.
func TestWasClosed(t *testing.T) {
	with, without := build(t, runtime.GOARCH, "-ldflags=-E jail_entry"), build(t, runtime.GOARCH)
	for _, c := range []struct{ script, want string }{
		{with + " run closed", "false false false"},
		{with + " eval closed", "false false false"},
		{with + " run closed <&-", "true false false"},
		{with + " run closed >&-", "false true false"},
		{with + " run closed 2>&-", "false false true"},
		{with + " run closed <&- >&- 2>&-", "true true true"},
		{with + " eval closed <&- 2>&-", "true false true"},
		{with + " closed >&-", "false true false"},
		{"GOGC=50 " + with + " run closed >&-", "false true false"},
		{"ulimit -f 0; exec " + with + " run closed >&-", "false true false"},
		{with + " run closed </dev/null >/dev/null 2>/dev/null", "false false false"},
		{with + " eval closed 0<>/dev/null 1<>/dev/null 2<>/dev/null", "false false false"},
		{"true | " + with + " eval closed >&1", "false false false"},
		{without + " run closed >&-", "false false false"},
	} {
		cmd := exec.Command("sh", "-c", c.script)
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.ExtraFiles = []*os.File{w}
		err = cmd.Run()
		w.Close()
		out, _ := io.ReadAll(r)
		r.Close()
		if got := strings.TrimSpace(string(out)); err != nil || got != c.want {
			t.Errorf("%s: %q (%v), want %q", strings.ReplaceAll(c.script, filepath.Dir(with), ""), got, err, c.want)
		}
	}
}

// A program that runs boxes begins with one processor, unless its caller says
// otherwise, and gets as many as there are when it asks; its environment is the caller's.
func TestSettle(t *testing.T) {
	program, all := build(t, runtime.GOARCH, "-ldflags=-E jail_entry"), runtime.NumCPU()
	for _, c := range []struct {
		args, env []string
		want      string
	}{
		{args: []string{"run"}, want: fmt.Sprintf("1 1 %d []", all)},
		{args: []string{"run"}, env: []string{"A=", "B=c d"}, want: fmt.Sprintf("1 1 %d [A= B=c d]", all)},
		{args: []string{"run", "it", "or"}, env: []string{"A=b"}, want: fmt.Sprintf("1 1 %d [A=b]", all)},
		{args: []string{"run"}, env: []string{"A=b", "GOMAXPROCS=3"}, want: "3 3 3 [A=b GOMAXPROCS=3]"},
		{args: []string{"walk"}, env: []string{"A=b"}, want: fmt.Sprintf("%d %[1]d %[1]d [A=b]", all)},
	} {
		cmd := exec.Command(program, append(c.args, "processors")...)
		cmd.Env = append([]string{}, c.env...)
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSuffix(string(out), "\n"); err != nil || got != c.want {
			t.Errorf("%v in %v: %q (%v), want %q", c.args, c.env, got, err, c.want)
		}
	}
}

// The other architecture's entry leads to Go. Under an emulator of programs
// alone that is all there is to see: it makes no process that shares memory.
func TestArm64Entry(t *testing.T) {
	qemu, err := exec.LookPath("qemu-aarch64-static")
	if err != nil {
		leaveOut(t, err)
	}
	program := build(t, "arm64", "-ldflags=-E jail_entry")
	for _, args := range [][]string{{program, "run", "processors"}, {program, "run", "it", "processors"}} {
		cmd := exec.Command(qemu, args...)
		cmd.Env = []string{"A=b"}
		out, err := cmd.CombinedOutput()
		if want := fmt.Sprintf("1 1 %d [A=b]\n", runtime.NumCPU()); err != nil || string(out) != want {
			t.Errorf("%v: %q (%v), want %q", args[1:], out, err, want)
		}
	}
	for _, args := range [][]string{{program}, {program, "walk"}, {program, "run"}} {
		out, err := exec.Command(qemu, args...).CombinedOutput()
		if got := string(out); err != nil || got != none {
			t.Errorf("%v: %q (%v), want %q", args[1:], got, err, none)
		}
	}
	for _, name := range []string{"eval", "run"} {
		cmd := exec.Command("sh", "-c", `"$0" "$@" 3>&2 >&-`, qemu, program, name, "closed")
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != "false true false\n" {
			t.Errorf("%s closed: %q (%v), want that of stdout", name, out, err)
		}
	}
}

func TestStartTellsOfItsImage(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	f, err := os.CreateTemp(t.TempDir(), "image")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.WriteString("no program")
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pair[0])
	starter, err := Start(int(f.Fd()), pair[1], nil)
	if err != nil {
		t.Fatal(err)
	}
	unix.Close(pair[1])
	_, err = Born(starter, pair[0])
	if want := "execve of PID 1's image: permission denied"; err == nil || err.Error() != want {
		t.Errorf("a file without x bits: %v, want %s", err, want)
	}
}

// A starter that is stopped from outside, before or after its answer, holds nobody up.
func TestStarterIsStopped(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	image, err := unix.MemfdCreate("jail-init", unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(image)
	if _, err := unix.Write(image, Image()); err != nil {
		t.Fatal(err)
	}
	for _, answers := range []bool{false, true} {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		starter, err := Start(image, pair[1], nil)
		unix.Close(pair[1])
		if err != nil {
			t.Fatal(err)
		}
		stop := func() {
			if err := unix.Kill(starter, unix.SIGSTOP); err != nil {
				t.Fatal(err)
			}
		}
		if !answers {
			stop()
		}
		if err := (Request{Group: -1}).Send(pair[0]); err != nil {
			t.Fatal(err)
		}
		if answers {
			unix.Poll([]unix.PollFd{{Fd: int32(pair[0]), Events: unix.POLLIN}}, 10_000)
			unix.Kill(starter, unix.SIGSTOP) // it may be gone
		}
		type born struct {
			pid int
			err error
		}
		is := make(chan born, 1)
		go func() {
			pid, err := Born(starter, pair[0])
			is <- born{pid, err}
		}()
		select {
		case b := <-is:
			if b.err != nil {
				t.Errorf("stopped, answers %v: %v", answers, b.err)
				break
			}
			unix.Close(pair[0]) // without a supervisor it ends
			wait(b.pid)
		case <-time.After(30 * time.Second):
			t.Errorf("stopped, answers %v: still waiting", answers)
			unix.Kill(starter, unix.SIGCONT)
		}
	}
}

// Where the starter is killed between making PID 1 and telling of it, PID 1 still has the
// other end of the channel: that nothing comes is known at once all the same.
func TestStarterIsKilled(t *testing.T) {
	p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(p[0])
	defer unix.Close(p[1])
	starter, err := os.StartProcess("/bin/sh", []string{"sh", "-c", "kill -9 $$"}, &os.ProcAttr{})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if pid, err := Born(starter.Pid, p[0]); err != unix.ECHILD || time.Since(began) > looks*lookAfter/2 {
		t.Errorf("Born() = %d, %v, after %v; want ECHILD", pid, err, time.Since(began))
	}
}
