package jail

import (
	"context"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/internal/ablation"
)

// What a box does to itself must not be blamed on something else.

// A program that fills /tmp is small, so that the kernel's OOM killer may well
// find PID 1 as good a victim; and without swap a tmpfs does not shrink when
// its writer is killed.
func TestMemoryOfTmpIsMemory(t *testing.T) {
	needGroup(t)
	for range 8 {
		s := shell("exec dd if=/dev/zero of=/tmp/fill bs=64k status=none")
		s.Limits.Memory, s.Limits.TmpSize = 16<<20, 64<<20
		want(t, runBox(t, s, IO{}), ReasonOutOfMemory)
	}
}

func TestForgedSignals(t *testing.T) {
	const abiScopes = 6 // from which on a box's program may signal nothing outside of its domain, which PID 1 is
	lifeline := ReasonExecutionFailed
	if landlockABI() < abiScopes {
		lifeline = ReasonOK // it is sent, and does nothing: TestLifelineSignalAlone
	}
	for script, reason := range map[string]Reason{
		"kill -XCPU $$":           ReasonSignaled,
		"kill -KILL $$":           ReasonSignaled,
		"kill -IO 1; kill -29 1":  lifeline,
		"kill -IO 1 || exec true": ReasonOK,
	} {
		want(t, runBox(t, shell(script), IO{}), reason)
	}
}

// PID 1's handler is there for the kernel to call when the supervisor has gone.
// That anybody may send the signal, where Landlock does not scope signals, ends
// nothing.
func TestLifelineSignalAlone(t *testing.T) {
	ctx := ablation.Without(context.Background(), ablation.Landlock)
	res, err := Run(ctx, shell("kill -IO 1 && sleep 0.2 && kill -IO 1 && echo alive"))
	if err != nil || res.Reason != ReasonOK || res.Stdout.Text != "alive\n" {
		t.Errorf("%s %q (%v), want ok and alive", res.Reason, res.Stdout.Text, err)
	}
}

// PID 1 shares the box's processor quota. A box that uses it up with many
// processes must still be gone when the run returns.
func TestStarvedBoxEnds(t *testing.T) {
	needGroup(t)
	s := shell("for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do (while :; do :; done) & done; wait")
	s.Limits.CPUs, s.Limits.Timeout, s.Limits.CPUTime = 0.02, time.Second, time.Minute
	for range 4 { // a busy machine may be what starves it
		res := runBox(t, s, IO{})
		want(t, res, ReasonTimeout)
		if res.KillMS <= patience(1500*time.Millisecond).Milliseconds() {
			return
		}
		t.Logf("it was gone after %d ms", res.KillMS)
	}
	t.Error("it never was gone soon")
}

// What a program wrote is counted also when it had ended before it was read.
func TestCapAfterTheEnd(t *testing.T) {
	for range 40 {
		s := shell("exec head -c 5000 /dev/zero")
		s.Limits.Output = 4999
		want(t, runBox(t, s, IO{}), ReasonOutputTooLarge)
	}
}
