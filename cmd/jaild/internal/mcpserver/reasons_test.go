package mcpserver

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
	"github.com/seed-75010da9/jail/runner"
	"github.com/seed-75010da9/jail/test/shipped"
	"golang.org/x/sys/unix"
)

// TestReasons: each reason reaches the client, in both forms, and is an error unless
// it is ok.
func TestReasons(t *testing.T) {
	for _, c := range []struct {
		reason jail.Reason
		line   string // "": a program that isn't there
		limits jail.Limits
		over   profiles.Overrides
		hint   bool
	}{
		{reason: jail.ReasonOK, line: "echo hello"},
		{reason: jail.ReasonExecutionFailed, line: "echo no >&2; exit 7"},
		{reason: jail.ReasonSignaled, line: "kill -SEGV $$"},
		{reason: jail.ReasonTimeout, line: "sleep 30", limits: jail.Limits{Timeout: 500 * time.Millisecond}, hint: true},
		{reason: jail.ReasonCPUTime, line: "while :; do :; done", limits: jail.Limits{CPUTime: 200 * time.Millisecond}, hint: true},
		{reason: jail.ReasonOutputTooLarge, line: "echo 0123456789; sleep 30", limits: jail.Limits{Output: 5}, hint: true},
		{reason: jail.ReasonOutOfMemory, line: "exec tail /dev/zero", limits: jail.Limits{Memory: 16 << 20}, hint: true},
		{reason: jail.ReasonPidsLimit, line: "while :; do sleep 20 & done", limits: jail.Limits{Pids: 8}, hint: true},
		{reason: jail.ReasonDiskFull, line: "exec dd if=/dev/zero of=/tmp/x bs=64k status=none", limits: jail.Limits{TmpSize: 256 << 10}, hint: true},
		{reason: jail.ReasonSetupRefused, line: "true", over: profiles.Overrides{CgroupParent: "nonexistent/group"}, hint: true},
		{reason: jail.ReasonExecFailed},
	} {
		t.Run(string(c.reason), func(t *testing.T) {
			c.over.Limits = c.limits
			s := connect(t, settings(t, c.over), nil)
			argv := []string{"no-such-program"}
			if c.line != "" {
				argv = []string{"sh", "-c", c.line}
			}
			r := s.call(toolCommand, map[string]any{"argv": argv})
			if r.Reason != c.reason || r.failed != (c.reason != jail.ReasonOK) || r.Result == "" || r.Message == "" || c.hint && r.Hint == "" {
				t.Errorf("%+v, want %s", r, c.reason)
			}
			if c.reason == jail.ReasonSetupRefused {
				refusedOutside(t, s, r)
				return
			}
			head, data := inside(t, r.text)
			if !strings.HasPrefix(head, "reason: "+string(c.reason)) || !strings.Contains(data, "message: ") || c.hint && !strings.Contains(data, "hint: ") {
				t.Errorf("text = %s", r.text)
			}
		})
	}
}

// refusedOutside demands that a refusal is jail's word, and no data of a box, and was
// foreseen.
func refusedOutside(t *testing.T, s *session, r reply) {
	t.Helper()
	if strings.Contains(r.text, "<untrusted") || strings.Contains(r.text, "written by the program") || !strings.Contains(r.text, "nothing ran") ||
		!strings.Contains(r.text, "\nmessage: ") || !strings.Contains(r.text, "\nhint: ") || r.Untrusted != nothingRan {
		t.Errorf("text = %s; untrusted = %s", r.text, r.Untrusted)
	}
	if err := s.server.Foretold(t.Context()); err == nil {
		t.Error("a trial foretold nothing")
	}
}

// What there are boxes for is foretold nothing else.
func TestNothingIsForetold(t *testing.T) {
	s := connect(t, settings(t, small), nil)
	if err := s.server.Foretold(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestDenials: what a wall refused is told, with what would allow it.
func TestDenials(t *testing.T) {
	s := connect(t, settings(t, small), nil)
	r := s.call(toolCode, code(runner.Python, "import socket; socket.create_connection(('192.0.2.1', 80))"))
	if r.Reason != jail.ReasonExecutionFailed {
		t.Fatalf("%s", r.text)
	}
	if len(r.Denials) == 0 {
		shipped.LeaveOut(t, "no refusal was heard: this host has no listener for them, or nobody listened")
	}
	if d := r.Denials[0]; !strings.Contains(d.What, "socket(AF_INET") || !strings.Contains(r.text, "refused: socket(AF_INET") {
		t.Errorf("denials = %+v; text = %s", r.Denials, r.text)
	}
}

// TestLookups: what libc looks names up with is in the record, and told to nobody as
// something that a flag would help.
func TestLookups(t *testing.T) {
	s := connect(t, settings(t, small), nil)
	r := s.call(toolCode, code(runner.Python, `
import socket
try:
    socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
except OSError:
    raise SystemExit(3)`))
	if r.Reason != jail.ReasonExecutionFailed {
		shipped.LeaveOut(t, "this host refuses no such socket")
	}
	if len(r.Denials) > 0 || strings.Contains(r.text, "--unix") || r.Hint != "" {
		t.Errorf("denials = %+v; text = %s", r.Denials, r.text)
	}
}

// foreign makes getpid of the x32 table; int 0x80 is not everywhere to be had.
const foreign = `import ctypes, mmap
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(b"\xb8\x27\x00\x00\x40\x0f\x05\xc3")
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()`

func TestReasonSyscallDenied(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("there is no foreign system call to make")
	}
	s := connect(t, settings(t, small), nil)
	if r := s.call(toolCode, code(runner.Python, foreign)); r.Reason != jail.ReasonSyscallDenied || !r.failed {
		t.Errorf("%s", r.text)
	}
}

// TestReasonInternalError: PID 1 is killed by somebody outside of the box.
func TestReasonInternalError(t *testing.T) {
	s := connect(t, settings(t, small), nil)
	held := fmt.Sprintf("27.%d", os.Getpid()) // and nobody else's
	done := make(chan reply, 1)
	go func() {
		r, err := s.try(t.Context(), toolCommand, map[string]any{"argv": []string{"sleep", held}})
		if err != nil {
			t.Error(err)
		}
		done <- r
	}()
	eventually(t, "the program runs", func() bool {
		lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, l := range lines {
			if text, _ := os.ReadFile(l); !strings.HasSuffix(string(text), "sleep\x00"+held+"\x00") {
				continue
			}
			status, _ := os.ReadFile(filepath.Dir(l) + "/status")
			_, rest, _ := strings.Cut(string(status), "\nPPid:\t")
			number, _, _ := strings.Cut(rest, "\n")
			if n, err := strconv.Atoi(number); err == nil && n > 1 && n != os.Getpid() {
				return unix.Kill(n, unix.SIGKILL) == nil
			}
		}
		return false
	})
	if r := <-done; r.Reason != jail.ReasonInternalError || !r.failed {
		t.Errorf("%s", r.text)
	}
}
