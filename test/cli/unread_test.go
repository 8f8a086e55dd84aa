package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Where nobody reads what jail has to say, the first signal ends it: timeout(1) sends one.
func TestFirstSignalEndsUnread(t *testing.T) {
	for _, c := range []struct {
		fd   int // that is not read from
		args []string
	}{
		{1, []string{"run", "--json", "--", "/bin/true"}},
		{3, []string{"run", "--record", "fd:3", "--", "/bin/true"}},
		{2, []string{"run", "--", "/bin/sh", "-c", "kill -9 $$"}},
		{1, []string{"run", "--json", "--no-such-flag"}},
		{2, []string{"learn", "--no-such-flag", "--", "/bin/true"}},
		{1, []string{"explain", "--why", "socket", "--", "/bin/true"}},
	} {
		cmd := exec.Command("jail", c.args...)
		r, w := fullPipe(t)
		switch c.fd {
		case 1:
			cmd.Stdout = w
		case 2:
			cmd.Stderr = w
		case 3:
			cmd.ExtraFiles = []*os.File{w}
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		writes(t, cmd.Process.Pid, c.fd)
		cmd.Process.Signal(unix.SIGTERM)
		select {
		case err := <-ended:
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 128+int(unix.SIGTERM) {
				t.Errorf("jail %q: %v, want exit status 143", c.args, err)
			}
		case <-time.After(40 * time.Second):
			t.Errorf("jail %q swallows a signal", c.args)
			cmd.Process.Kill()
			<-ended
		}
		r.Close()
		w.Close()
	}
}

// fullPipe is one that takes nothing more.
func fullPipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fd := int(w.Fd())
	if err := unix.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = unix.Write(fd, make([]byte, 1<<16))
	}
	if err := unix.SetNonblock(fd, false); err != nil {
		t.Fatal(err)
	}
	return r, w
}

// writes waits until a thread of a process waits in a write to a descriptor
// (proc_pid_syscall(5)).
func writes(t *testing.T, pid, fd int) {
	t.Helper()
	call := fmt.Sprintf("%d %#x ", unix.SYS_WRITE, fd)
	for range 300 {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", pid))
		for _, file := range threads {
			if text, err := os.ReadFile(file); err == nil && strings.HasPrefix(string(text), call) {
				return
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("process %d does not write to %d", pid, fd)
}

// Who reads later than the program ends gets all that it wrote, and jail's exit status is
// the program's.
func TestSlowReaderGetsAll(t *testing.T) {
	const size = 100_000 // what fits into the pipes, so that the program does not wait
	cmd := exec.Command("jail", "run", "--", "/bin/sh", "-c", fmt.Sprint("head -c ", size, " /dev/zero"))
	r, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(3 * time.Second) // longer than any grace of jail's own
	got, err := io.ReadAll(r)
	if werr := cmd.Wait(); len(got) != size || err != nil || werr != nil {
		t.Errorf("read %d of %d (%v), and jail ended with %v", len(got), size, err, werr)
	}
}
