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
