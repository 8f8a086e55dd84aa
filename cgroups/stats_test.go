package cgroups

import (
	"testing"
	"time"
)

// On version 1 the sum of the processor times is what the scheduler has measured, and only
// the proportion is what was counted in ticks.
func TestV1TimesAreNoTicks(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		usage, user, sys string
		wantUser, want   time.Duration
	}{
		{"9600000", "12000000", "4000000", 7600 * time.Microsecond, 2 * ms},
		{"2400000", "4000000", "0", 2400 * time.Microsecond, 0},
		{"2400000", "0", "4000000", 400 * time.Microsecond, 2 * ms},
		{"2400000", "0", "0", 2400 * time.Microsecond, 0},
		{"0", "4000000", "4000000", 0, 0},
		{"9000000000000000000", "9000000000000000000", "9000000000000000000", 4500000000 * time.Second, 4500000000 * time.Second},
	} {
		g := fakeGroup(fake(t, map[string]string{"cpuacct.usage": c.usage + "\n", "cpuacct.usage_user": c.user + "\n", "cpuacct.usage_sys": c.sys + "\n",
			"cpu.stat": "throttled_time 0\n", "memory.max_usage_in_bytes": "0\n", "memory.oom_control": "oom_kill 0\n", "pids.events": "max 0\n"}), small)
		g.parent.version = V1
		s, err := g.Stats()
		if err != nil || s.CPUUser != c.wantUser || s.CPUSystem != c.want {
			t.Errorf("Stats() of %s, %s, %s ns: %v user, %v system, %v; want %v, %v", c.usage, c.user, c.sys, s.CPUUser, s.CPUSystem, err, c.wantUser, c.want)
		}
	}
}
