package jail

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
)

// dripping is an input that comes bit by bit.
type dripping struct {
	left  int
	every time.Duration
}

func (d *dripping) Read(b []byte) (int, error) {
	if d.left == 0 {
		return 0, io.EOF
	}
	time.Sleep(d.every)
	d.left--
	b[0] = 'x'
	return 1, nil
}

// TestIdle: a box in which nothing is read or written for too long is ended; one in
// which something is goes on for longer than that.
func TestIdle(t *testing.T) {
	idle := unhurried(3*time.Second, time.Second)
	for _, c := range []struct {
		name   string
		script string
		stdin  io.Reader
		reason Reason
	}{
		{"silent", "exec sleep 600", nil, ReasonTimeout},
		{"busy, but silent", "while :; do :; done", nil, ReasonTimeout},
		{"silent from some time on", "echo begun; sleep 0.1; echo more >&2; exec sleep 600", nil, ReasonTimeout},
		{"waits for its input", "cat; echo never", neverEnding{}, ReasonTimeout},
		{"writes", "i=0; while [ $i -lt 15 ]; do echo $i; sleep 0.25; i=$((i+1)); done", nil, ReasonOK},
		{"writes to stderr", "i=0; while [ $i -lt 15 ]; do echo $i >&2; sleep 0.25; i=$((i+1)); done", nil, ReasonOK},
		{"reads", "cat >/dev/null", &dripping{15, 250 * time.Millisecond}, ReasonOK},
		{"ends in time", "exit 3", nil, ReasonExecutionFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := shell(c.script)
			s.Limits.IdleTimeout, s.Limits.Timeout = idle, 20*idle
			res, err := RunIO(t.Context(), s, IO{Stdin: c.stdin})
			if err != nil || res.Reason != c.reason {
				t.Fatalf("%v %s: %s, want %s", err, res.Reason, res.Message, c.reason)
			}
			if res.Limits.IdleTimeoutMS != idle.Milliseconds() {
				t.Errorf("idle_timeout_ms = %d", res.Limits.IdleTimeoutMS)
			}
			told := strings.Contains(res.Message, "it was idle") && strings.Contains(res.Hint, "--idle-timeout")
			if told != (c.reason == ReasonTimeout) {
				t.Errorf("message %q, hint %q", res.Message, res.Hint)
			}
		})
	}
}

// neverEnding is an input of which nothing comes.
type neverEnding struct{}

func (neverEnding) Read([]byte) (int, error) { select {} }

// TestNotIdleButLate: who writes on and on is ended for the time it takes.
func TestNotIdleButLate(t *testing.T) {
	s := shell("while :; do echo; sleep 0.05; done")
	s.Limits.IdleTimeout, s.Limits.Timeout = patience(5*time.Second), patience(600*time.Millisecond)
	res := runBox(t, s, IO{})
	if res.Reason != ReasonTimeout || strings.Contains(res.Message, "idle") {
		t.Errorf("%s: %s", res.Reason, res.Message)
	}
}

// TestUnlimited: output without a limit is passed on, none of it is kept.
func TestUnlimited(t *testing.T) {
	s := shell("exec head -c 402653184 /dev/zero")
	s.Limits.Output, s.Limits.Timeout = Unlimited, patience(time.Minute)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var out counter
	res := runBox(t, s, IO{Stdout: &out, Stderr: &out})
	runtime.ReadMemStats(&after)
	if res.Reason != ReasonOK || int64(out) != 384<<20 || res.Stdout.Bytes != int64(out) || res.Stdout.Truncated || res.Limits.OutputBytes != nil {
		t.Errorf("%s, %d bytes came: %+v", res.Message, int64(out), res.Stdout)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 4<<20 {
		t.Errorf("%d bytes were allocated", grown)
	}
	var faults Faults
	for name, io := range map[string]IO{"captured": {}, "half": {Stdout: &out}, "a value": {Stdout: &out, Stderr: &out, Value: &out}} {
		res, err := RunIO(t.Context(), s, io)
		if !errors.As(err, &faults) || faults[0].Field != "limits.output" || res.Reason != ReasonSetupRefused {
			t.Errorf("%s: %v", name, err)
		}
	}
}
