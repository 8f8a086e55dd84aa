package jail

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const heapWords = "\n<--- Last few GCs --->\n\n\nFATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n----- Native stack trace -----\n\n 1: 0xb8d0a3 node::OOMErrorHandler(char const*, v8::OOMDetails const&) [/usr/bin/node]\n"

// A full heap is what three things say together: that the program has one of a given size,
// its words, and the signal of an abort.
func TestHeapFull(t *testing.T) {
	given := []string{"node", "--max-old-space-size=32", "-e", "x"}
	for _, c := range []struct {
		name   string
		args   []string
		said   string
		status unix.WaitStatus
		want   bool
	}{
		{"Node.js", given, heapWords, killed(unix.SIGABRT), true},
		{"with a core dump", given, heapWords, dumpedBy(unix.SIGTRAP), true},
		{"the flag as V8 has it", []string{"node", "--x", "--max_old_space_size=32"}, heapWords, killed(unix.SIGABRT), true},
		{"no heap that was given", []string{"node", "-e", "x"}, heapWords, killed(unix.SIGABRT), false},
		{"the script's argument", []string{"node", "x.js", "--max-old-space-size=32"}, heapWords, killed(unix.SIGABRT), false},
		{"the program's name", []string{"--max-old-space-size=32"}, heapWords, killed(unix.SIGABRT), false},
		{"another signal", given, heapWords, killed(unix.SIGSEGV), false},
		{"an exit", given, heapWords, exited(134), false},
		{"success", given, heapWords, exited(0), false},
		{"other words", given, "FATAL ERROR: v8::ToLocalChecked Empty MaybeLocal\n", killed(unix.SIGABRT), false},
		{"within a line", given, "it said FATAL ERROR: JavaScript heap out of memory\n", killed(unix.SIGABRT), false},
		{"nothing said", given, "", killed(unix.SIGABRT), false},
	} {
		r := &run{spec: Spec{Args: c.args}}
		r.result.Stderr.Text = c.said
		if got := r.heapFull(c.status); got != c.want {
			t.Errorf("%s: heapFull = %v, want %v", c.name, got, c.want)
		}
	}
}

// The record of a program that ends so, whether its stderr is captured or passed on.
func TestHeapFullRecord(t *testing.T) {
	s := program(0o755, "#!/bin/sh\ncat >&2\nkill -ABRT $$\n")(t)
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, io := range []IO{{}, {Stdout: null, Stderr: null}} {
		io.Stdin = strings.NewReader(heapWords)
		s.Args = []string{"/program"}
		if res := runBox(t, s, io); res.Reason != ReasonSignaled {
			t.Errorf("without a heap of a given size: %s", text(res))
		}
		io.Stdin = strings.NewReader(heapWords)
		s.Args = []string{"/program", "--max-old-space-size=32"}
		res := runBox(t, s, io)
		if res.Reason != ReasonOutOfMemory || res.Signal == nil || *res.Signal != "SIGABRT" || res.ExitStatus() != 137 || !strings.Contains(res.Message, "heap") || !strings.Contains(res.Hint, "--memory") {
			t.Errorf("with a full heap: %s", text(res))
		}
	}
}
