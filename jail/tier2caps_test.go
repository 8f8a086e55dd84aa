package jail

import (
	"testing"
	"time"
)

// Without the pieces of a control group the tree is watched.
func TestTier2Backstops(t *testing.T) {
	for _, c := range []struct {
		name, script string
		limits       Limits
		want         Reason
	}{
		{"memory", hold("40M") + hold("40M") + hold("40M") + "wait", Limits{Memory: 60 << 20}, ReasonOutOfMemory},
		{"processor time", "while :; do sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'; done", Limits{CPUTime: 300 * time.Millisecond}, ReasonCPUTime},
		{"private folder", "i=0; while [ $i -lt 40 ]; do i=$((i+1)); head -c 1M /dev/zero >f$i; sleep 0.02; done; sleep 600", Limits{TmpSize: 8 << 20}, ReasonDiskFull},
		{"folders in one another", "i=0; while [ $i -lt 400 ]; do i=$((i+1)); mkdir d && cd d; done; sleep 600", Limits{}, ReasonDiskFull},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := tier2(t, c.script)
			s.CgroupParent, s.Limits = "no-such-group", c.limits
			s.Limits.Timeout = patience(time.Minute)
			want(t, runBox(t, s, IO{}), c.want)
		})
	}
	t.Run("processes", func(t *testing.T) {
		s := tier2(t, "i=0; while [ $i -lt 60 ]; do i=$((i+1)); sleep 600 & done; wait")
		s.CgroupParent, s.Limits = "no-such-group", Limits{Pids: 20, Timeout: patience(time.Minute)}
		if res := runBox(t, s, IO{}); res.Reason != ReasonPidsLimit && res.Reason != ReasonExecutionFailed {
			t.Errorf("reason %s: %s", res.Reason, text(res))
		}
	})
}
