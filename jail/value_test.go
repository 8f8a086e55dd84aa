package jail

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"
)

// What a program writes to descriptor 3 goes to the caller, and nothing else does.
func TestValue(t *testing.T) {
	for _, c := range []struct {
		name, script, want string
		reason             Reason
	}{
		{"written", "echo 42 >&3; echo log", "42\n", ReasonOK},
		{"none", "true", "", ReasonOK},
		{"as much as the cap", "head -c 65536 /dev/zero | tr '\\0' x >&3", string(bytes.Repeat([]byte("x"), 64<<10)), ReasonOK},
		{"by a child that ends first", "(echo 1 >&3) ; echo 2 >&3", "1\n2\n", ReasonOK},
		{"held by a child that does not end", "sleep 100 & echo 1 >&3", "1\n", ReasonOK},
		{"not through its name", "(echo 1 >/proc/self/fd/3) 2>/dev/null; (echo 1 >/dev/fd/3) 2>/dev/null; echo 2 >&3", "2\n", ReasonOK},
		{"not by a child through its parent's", "sh -c 'echo 1 >/proc/'$$'/fd/3; cat /proc/'$$'/fd/3 >&2' 2>/dev/null 3>&-; echo 2 >&3", "2\n", ReasonOK},
		{"not taken back", "echo 1 >&3; cat <&3", "1\n", ReasonOK},
		{"the only one besides the usual three", "ls /proc/self/fd | tr '\\n' ' ' >&3", "0 1 2 3 4 ", ReasonOK}, // 4 is ls's own
		{"and output up to its own cap", "head -c 65536 /dev/zero; echo 1 >&3", "1\n", ReasonOK},
		{"of a program that fails", "echo 1 >&3; exit 3", "1\n", ReasonExecutionFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := shell(c.script)
			spec.Limits.Output = 64 << 10
			var got bytes.Buffer
			res, err := RunIO(context.Background(), spec, IO{Value: &got})
			if err != nil || res.Reason != c.reason {
				t.Fatalf("reason %q (%s), error %v, want %q", res.Reason, res.Message, err, c.reason)
			}
			if got.String() != c.want {
				t.Errorf("got %.80q, want %.80q", got.String(), c.want)
			}
		})
	}
}

// Past the cap the box is ended, whatever becomes of output.
func TestValueTooLarge(t *testing.T) {
	for _, mode := range []OutputMode{OutputKill, OutputTruncate} {
		for _, script := range []string{"head -c 65537 /dev/zero >&3", "yes >&3", "yes >&3 & sleep 100"} {
			spec := shell(script)
			spec.Limits.Output = 64 << 10
			spec.OutputMode = mode
			var got bytes.Buffer
			began := time.Now()
			res, err := RunIO(context.Background(), spec, IO{Value: &got})
			if err != nil || res.Reason != ReasonOutputTooLarge {
				t.Errorf("%s: %s: reason %q (%s), error %v", mode, script, res.Reason, res.Message, err)
			}
			if got.Len() > 64<<10 {
				t.Errorf("%s: %s: %d bytes were passed on", mode, script, got.Len())
			}
			if took := time.Since(began); took > patience(15*time.Second) {
				t.Errorf("%s: %s: took %v", mode, script, took)
			}
		}
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("no room") }

// A caller who takes no value any more is one who ends the box.
func TestValueNotTaken(t *testing.T) {
	res, err := RunIO(context.Background(), shell("echo 1 >&3; sleep 100"), IO{Value: failingWriter{}})
	if err != nil || res.Reason != ReasonCanceled || res.Message != "ended because its value could not be passed on: no room" {
		t.Errorf("reason %q, message %q, error %v", res.Reason, res.Message, err)
	}
}

// Without one wanted there is no descriptor 3.
func TestNoValue(t *testing.T) {
	wantStdout(t, runBox(t, shell("(echo 1 >&3) 2>/dev/null || echo none"), IO{}), "none\n")
}

// A policy that forbids what the descriptor takes is a fault, found before anything
// exists.
func TestValueRefused(t *testing.T) {
	spec := shell("true")
	spec.Seccomp.Deny = []string{"dup3"}
	var got bytes.Buffer
	res, err := RunIO(context.Background(), spec, IO{Value: &got})
	var faults Faults
	if !errors.As(err, &faults) || faults[0].Field != "seccomp.deny" || res.Reason != ReasonSetupRefused {
		t.Errorf("reason %q, error %v", res.Reason, err)
	}
}

// Tier 2 has it as well.
func TestTier2Value(t *testing.T) {
	spec := tier2(t, "ls -l /proc/self/fd/3 | grep -c socket >&3")
	var got bytes.Buffer
	res, err := RunIO(context.Background(), spec, IO{Value: &got})
	if err != nil || got.String() != "1\n" {
		t.Errorf("value %q, error %v: %s", got.String(), err, text(res))
	}
}
