package jail

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"
)

// A lateTaker takes what it is handed after a while, or when it is told to end.
type lateTaker struct {
	after time.Duration
	ended <-chan struct{}
	took  int
}

func (l *lateTaker) Write(p []byte) (int, error) {
	if l.took == 0 {
		select {
		case <-time.After(l.after):
		case <-l.ended:
		}
	}
	l.took += len(p)
	return len(p), nil
}

// Who takes the output later than the program ends gets all of it.
func TestLateTakerGetsAll(t *testing.T) {
	const size = 50_000 // within a pipe, so that the program does not wait
	late := &lateTaker{after: 3 * time.Second}
	res := runBox(t, shell("head -c 50000 /dev/zero"), IO{Stdout: late})
	if late.took != size || res.Reason != ReasonOK || res.Stdout.Truncated {
		t.Errorf("took %d of %d: %s, truncated %v", late.took, size, res.Reason, res.Stdout.Truncated)
	}
}

// Who takes nothing is waited for as long as the run may take, and no longer once the
// caller ends that; and neither is told that all is well.
func TestOutputThatNobodyTakes(t *testing.T) {
	for name, canceled := range map[string]bool{"timeout": false, "canceled": true} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s := shell("head -c 50000 /dev/zero; echo >&2")
			s.Limits.Timeout = 3 * time.Second
			if canceled {
				s.Limits.Timeout = 5 * time.Minute
				time.AfterFunc(2*time.Second, cancel)
			}
			never := &lateTaker{after: time.Hour, ended: t.Context().Done()}
			began := time.Now()
			res, err := RunIO(ctx, s, IO{Stdout: never, Stderr: io.Discard})
			if err != nil || res.OK || res.Reason != ReasonCanceled || !res.Stdout.Truncated || res.Stderr.Truncated || !strings.Contains(res.Message, "could not be passed on") ||
				strings.Contains(res.Message, "bytes") || strings.Contains(res.Message, "--timeout") == canceled {
				t.Errorf("%s (%v), %q, truncated %v %v", res.Reason, err, res.Message, res.Stdout.Truncated, res.Stderr.Truncated)
			}
			if took := time.Since(began); took > time.Minute {
				t.Errorf("it took %v", took)
			}
		})
	}
}
