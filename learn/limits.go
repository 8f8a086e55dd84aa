package learn

import (
	"slices"
	"time"

	"github.com/seed-75010da9/jail/jail"
)

// Headroom is by how much a limit exceeds the most that was seen.
const (
	headroomMemory = 2
	headroomPids   = 2
	headroomTime   = 5
	headroomOutput = 4
	headroomTmp    = 2

	leastMemory = 32 << 20
	leastPids   = 16
	leastTime   = 5 * time.Second
	leastOutput = 64 << 10
)

// Limits are the most that was seen, and what is made of it. 0 is for what was not
// measured.
type Limits struct {
	MemoryPeak, PidsPeak, OutputBytes, TmpPeak int64
	Longest                                    time.Duration

	// TmpSize is 0 if what the extended profile has is enough.
	Memory, Pids, Output, TmpSize int64
	Timeout                       time.Duration
	// Capped are the keys of those that are what the watching box had, which is less
	// than the headroom would be.
	Capped []string
}

func (l *Learned) limits(w Watched) {
	u := w.Result.Usage
	m := &l.Limits
	if u.MemoryPeakBytes != nil {
		m.MemoryPeak = max(m.MemoryPeak, *u.MemoryPeakBytes)
	}
	if u.PidsPeak != nil {
		m.PidsPeak = max(m.PidsPeak, *u.PidsPeak)
	}
	m.OutputBytes = max(m.OutputBytes, w.Result.Stdout.Bytes+w.Result.Stderr.Bytes)
	if w.Result.Used != nil {
		m.TmpPeak = max(m.TmpPeak, w.Result.Used.TmpPeakBytes)
	}
	m.Longest = max(m.Longest, time.Duration(u.WallMS)*time.Millisecond)
}

// round adds the headroom, up to what the watching boxes had.
func (m *Limits) round(runs []Watched) {
	up := func(n, to int64) int64 { return (n + to - 1) / to * to }
	if m.MemoryPeak > 0 {
		m.Memory = max(up(m.MemoryPeak*headroomMemory, 16<<20), leastMemory)
	}
	if m.PidsPeak > 0 {
		m.Pids = max(m.PidsPeak*headroomPids, leastPids)
	}
	m.Output = max(up(m.OutputBytes*headroomOutput, 64<<10), leastOutput)
	m.Timeout = max((m.Longest*headroomTime + time.Second - 1).Truncate(time.Second), leastTime)
	if tmp := up(m.TmpPeak*headroomTmp, 16<<20); tmp > runs[0].Given.Limits.WithDefaults().TmpSize {
		m.TmpSize = tmp
	}
	for _, w := range runs {
		had := w.Spec.Limits.WithDefaults()
		for _, f := range []struct {
			key string
			to  *int64
			had int64
		}{{"memory", &m.Memory, had.Memory}, {"pids", &m.Pids, had.Pids}, {"output", &m.Output, had.Output}, {"tmp_size", &m.TmpSize, had.TmpSize}} {
			if f.had > 0 && *f.to > f.had {
				*f.to, m.Capped = f.had, append(m.Capped, f.key)
			}
		}
		if m.Timeout > had.Timeout {
			m.Timeout, m.Capped = had.Timeout, append(m.Capped, "timeout")
		}
	}
}

// watching are the limits of a watching box, where nobody says others: wide, so that they
// are not what the program meets. How many files it has open nobody measures, so that is
// the profile's.
func watching() jail.Limits {
	return jail.Limits{Timeout: 5 * time.Minute, Memory: 2 << 30, CPUs: 2, Pids: 1024, Output: 16 << 20, TmpSize: 512 << 20}
}

// WatchedCalls are the system calls beyond the policy that a watching box allows, but
// those that are denied by name: whoever makes one learns so. flock holds up nobody but
// those who lock the same file, until the run has ended. Nothing else that the policy
// leaves out is as harmless: of inotify and io_setup the host has a number for all, and
// the former tells what others do to a granted file.
func WatchedCalls(denied []string) []string {
	return slices.DeleteFunc([]string{"flock"}, func(c string) bool { return slices.Contains(denied, c) })
}

// Watching is l with what is not set replaced by the limits of a watching box, or by
// the profile's where those are wider.
func Watching(l, profile jail.Limits) jail.Limits {
	w, profile := watching(), profile.WithDefaults()
	if l.Timeout == 0 {
		l.Timeout = max(w.Timeout, profile.Timeout)
	}
	if l.CPUs == 0 {
		l.CPUs = max(w.CPUs, profile.CPUs)
	}
	for _, f := range []struct{ to, from, profile *int64 }{{&l.Memory, &w.Memory, &profile.Memory}, {&l.Pids, &w.Pids, &profile.Pids}, {&l.Output, &w.Output, &profile.Output},
		{&l.TmpSize, &w.TmpSize, &profile.TmpSize}} {
		if *f.to == 0 {
			*f.to = max(*f.from, *f.profile)
		}
	}
	return l
}
