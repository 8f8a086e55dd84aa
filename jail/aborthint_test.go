package jail

import (
	"strings"
	"testing"
)

// An abort is put down to memory where there was much of it, and nowhere else.
func TestAbortHint(t *testing.T) {
	for _, c := range []struct {
		script string
		hint   bool
	}{
		{"kill -ABRT $$", false},
		{"head -c 30M /dev/zero >/dev/shm/x; kill -ABRT $$", false},
		{"head -c 100M /dev/zero >/dev/shm/x; kill -ABRT $$", true},
	} {
		spec := shell(c.script)
		spec.Limits.Memory, spec.Limits.TmpSize = 160<<20, 128<<20
		res := runBox(t, spec, IO{})
		if res.Usage.MemoryPeakBytes == nil || res.Reason == ReasonOutOfMemory {
			leaveOut(t, "the box's memory is not counted here")
		}
		if res.Reason != ReasonSignaled || strings.Contains(res.Hint, "--memory") != c.hint {
			t.Errorf("%s: reason %s, hint %q, peak %d", c.script, res.Reason, res.Hint, *res.Usage.MemoryPeakBytes)
		}
	}
}

// Without a group each process is refused memory beyond the cap, and a crash after it had
// much of that is put down to it; never where a group counts, whose kill tells by itself.
func TestCrashHint(t *testing.T) {
	const much = "dd if=/dev/zero of=/dev/null bs=100M count=1 2>/dev/null; kill -SEGV $$"
	for _, c := range []struct {
		spec Spec
		hint bool
	}{
		{noGroup("kill -SEGV $$", Limits{}), false},
		{noGroup(much, Limits{}), true},
		{shell(much), groupError() != nil},
	} {
		c.spec.Limits.Memory = 160 << 20
		res := runBox(t, c.spec, IO{})
		if res.Reason != ReasonSignaled || strings.Contains(res.Hint, "raise --memory") != c.hint {
			t.Errorf("%q: reason %s, hint %q", c.spec.Args, res.Reason, res.Hint)
		}
	}
}
