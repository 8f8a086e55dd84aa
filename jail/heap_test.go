package jail

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const heapWords = "\n<--- Last few GCs --->\n\n\nFATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n----- Native stack trace -----\n\n 1: 0xb8d0a3 node::OOMErrorHandler(char const*, v8::OOMDetails const&) [/usr/bin/node]\n"

const workerWords = "Error [ERR_WORKER_OUT_OF_MEMORY]: Worker terminated due to reaching memory limit: JS heap out of memory\n    at [kOnExit] (node:internal/worker:320:26)\n"

// A full heap is what three things say together: that the program has one of a given size,
// its words, and the signal of an abort; or, of a worker, the exit of an error that nobody
// caught and the memory that was had.
func TestHeapFull(t *testing.T) {
	given := []string{"node", "--max-old-space-size=32", "-e", "x"}
	sized, other := []string{"A=b", "NODE_OPTIONS=--no-warnings --max_old_space_size=32"}, []string{"NODE_OPTIONS=--no-warnings", "X=--max-old-space-size=32"}
	const limit = 64 << 20
	for _, c := range []struct {
		name   string
		args   []string
		said   string
		status unix.WaitStatus
		env    []string
		peak   int64
		want   bool
	}{
		{"Node.js", given, heapWords, killed(unix.SIGABRT), nil, 0, true},
		{"with a core dump", given, heapWords, dumpedBy(unix.SIGTRAP), nil, 0, true},
		{"the flag as V8 has it", []string{"node", "--x", "--max_old_space_size=32"}, heapWords, killed(unix.SIGABRT), nil, 0, true},
		{"no heap that was given", []string{"node", "-e", "x"}, heapWords, killed(unix.SIGABRT), nil, 0, false},
		{"the script's argument", []string{"node", "x.js", "--max-old-space-size=32"}, heapWords, killed(unix.SIGABRT), nil, 0, false},
		{"the program's name", []string{"--max-old-space-size=32"}, heapWords, killed(unix.SIGABRT), nil, 0, false},
		{"another signal", given, heapWords, killed(unix.SIGSEGV), nil, 0, false},
		{"an exit", given, heapWords, exited(134), nil, 0, false},
		{"success", given, heapWords, exited(0), nil, 0, false},
		{"other words", given, "FATAL ERROR: v8::ToLocalChecked Empty MaybeLocal\n", killed(unix.SIGABRT), nil, 0, false},
		{"within a line", given, "it said FATAL ERROR: JavaScript heap out of memory\n", killed(unix.SIGABRT), nil, 0, false},
		{"nothing said", given, "", killed(unix.SIGABRT), nil, 0, false},
		{"the heap of a variable", []string{"node", "x.js"}, heapWords, killed(unix.SIGABRT), sized, 0, true},
		{"another variable", []string{"node", "x.js"}, heapWords, killed(unix.SIGABRT), other, 0, false},
		{"a worker", given, workerWords, exited(1), nil, limit / 2, true},
		{"a worker of a variable's heap", []string{"node", "x.js"}, workerWords, exited(1), sized, limit / 2, true},
		{"a worker's words and little memory", given, workerWords, exited(1), nil, limit/2 - 1, false},
		{"a worker's words and memory that nobody counted", given, workerWords, exited(1), nil, 0, false},
		{"a worker, and no heap that was given", []string{"node", "x.js"}, workerWords, exited(1), nil, limit, false},
		{"a worker, and an exit of the program's own", given, workerWords, exited(3), nil, limit, false},
		{"a worker, and success", given, workerWords, exited(0), nil, limit, false},
		{"a worker's words within a line", given, "it said: " + workerWords, exited(1), nil, limit, false},
	} {
		r := &run{spec: Spec{Args: c.args, Env: c.env, Limits: Limits{Memory: limit}}}
		if c.peak > 0 {
			r.result.Usage.MemoryPeakBytes = &c.peak
		}
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

// Who fills a heap and is not ended for it is told what to raise: where a worker's error was
// caught, and where nobody gave the heap a size.
func TestHeapHint(t *testing.T) {
	for _, c := range []struct {
		words, option, env string
		memory             bool // the program takes much of it
		hint               string
	}{
		{"ERR Worker terminated due to reaching memory limit: JS heap out of memory\n", "--max-old-space-size=32", "A=b", true, "raise --memory"},
		{"ERR Worker terminated due to reaching memory limit: JS heap out of memory\n", "--max-old-space-size=32", "A=b", false, ""},
		{"ERR Worker terminated due to reaching memory limit: JS heap out of memory\n", "-x", "A=b", true, ""},
		{heapWords, "-x", "A=b", false, "--env NODE_OPTIONS=--max-old-space-size=MIB"},
		{heapWords, "-x", "NODE_OPTIONS=--max-old-space-size=9", false, ""},
		{heapWords, "--max-old-space-size=9", "A=b", false, ""},
	} {
		script := "#!/bin/sh\ncat >&2\nexit 3\n"
		if c.memory {
			script = "#!/bin/sh\nhead -c 100M /dev/zero >/dev/shm/x\ncat >&2\nexit 3\n"
		}
		s := program(0o755, script)(t)
		s.Args, s.Env = []string{"/program", c.option}, append(s.Env, c.env)
		s.Limits.Memory, s.Limits.TmpSize = 160<<20, 128<<20
		res := runBox(t, s, IO{Stdin: strings.NewReader(c.words)})
		if res.Usage.MemoryPeakBytes == nil || res.Reason == ReasonOutOfMemory {
			leaveOut(t, "the box's memory is not counted here")
		}
		if res.Reason != ReasonExecutionFailed || (c.hint == "") != (res.Hint == "") || !strings.Contains(res.Hint, c.hint) {
			t.Errorf("%q with %s %s: %s, hint %q, want %q", c.words, c.option, c.env, res.Reason, res.Hint, c.hint)
		}
	}
}
