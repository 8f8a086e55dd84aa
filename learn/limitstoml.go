package learn

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/internal/shellword"
)

// limitsTOML is the profile's limits, each with where it comes from.
func (l *Learned) limitsTOML(b *strings.Builder) {
	m := l.Limits
	b.WriteString("\n[limits]\n")
	line := func(key, value, why string) {
		if slices.Contains(m.Capped, key) {
			why = "what the watching box had; with headroom it would be " + why
		}
		fmt.Fprintf(b, "%s = %s # %s\n", key, value, why)
	}
	if m.Memory > 0 {
		line("memory", shellword.TOML(size(m.Memory)), fmt.Sprintf("%d times the peak of %s, %s at least", headroomMemory, rough(m.MemoryPeak), size(leastMemory)))
	}
	if m.Pids > 0 {
		line("pids", strconv.FormatInt(m.Pids, 10), fmt.Sprintf("%d times the peak of %d, %d at least", headroomPids, m.PidsPeak, leastPids))
	}
	if m.TmpSize > 0 {
		line("tmp_size", shellword.TOML(size(m.TmpSize)), fmt.Sprintf("%d times the %s that were in /tmp, or its like, at once", headroomTmp, rough(m.TmpPeak)))
	}
	line("output", shellword.TOML(size(m.Output)), fmt.Sprintf("%d times the %d bytes that it wrote, %s at least", headroomOutput, m.OutputBytes, size(leastOutput)))
	line("timeout", shellword.TOML(m.Timeout.String()), fmt.Sprintf("%d times the longest run, %.1fs, %v at least", headroomTime, m.Longest.Seconds(), leastTime))
	l.keptLimits(b)
	switch {
	case m.Memory == 0 && m.Pids == 0:
		b.WriteString("# Memory and processes were not measured: the runs had no control group.\n")
	case m.Pids == 0:
		b.WriteString("# Processes were not counted: the runs had no control group.\n")
	}
}

// keptLimits are those that the watching box had lower.
func (l *Learned) keptLimits(b *strings.Builder) {
	k, m := l.Kept.Limits, l.Limits
	const why = "as in the watching box"
	if n := l.Kept.Raised.NoFile; n > 0 {
		fmt.Fprintf(b, "nofile = %d # %s: how much of it is needed was not measured\n", n, why)
	}
	if n := l.Kept.Raised.FileSize; n > 0 {
		fmt.Fprintf(b, "file_size = %q # %s: how much of it is needed was not measured\n", size(n), why)
	}
	for _, d := range []struct {
		key   string
		value time.Duration
	}{{"cpu_time", k.CPUTime}, {"idle_timeout", k.IdleTimeout}} {
		if d.value > 0 {
			fmt.Fprintf(b, "%s = %q # %s\n", d.key, d.value, why)
		}
	}
	if k.CPUs > 0 {
		fmt.Fprintf(b, "cpus = %s # %s\n", strconv.FormatFloat(k.CPUs, 'f', -1, 64), why)
	}
	for _, n := range []struct {
		key   string
		value int64
		size  bool
	}{{"memory", k.Memory, true}, {"pids", k.Pids, false}, {"tmp_size", k.TmpSize, true}, {"nofile", k.NoFile, false}, {"file_size", k.FileSize, true}} {
		switch {
		case n.value == 0 || n.key == "memory" && m.Memory > 0 || n.key == "pids" && m.Pids > 0:
		case n.size:
			fmt.Fprintf(b, "%s = %q # %s\n", n.key, size(n.value), why)
		default:
			fmt.Fprintf(b, "%s = %d # %s\n", n.key, n.value, why)
		}
	}
}

// size is a number of bytes as profiles write it.
func size(n int64) string {
	for _, unit := range []struct {
		bytes int64
		name  string
	}{{1 << 30, "G"}, {1 << 20, "M"}, {1 << 10, "K"}} {
		if n > 0 && n%unit.bytes == 0 {
			return strconv.FormatInt(n/unit.bytes, 10) + unit.name
		}
	}
	return strconv.FormatInt(n, 10)
}

// rough is a number of bytes for people.
func rough(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
