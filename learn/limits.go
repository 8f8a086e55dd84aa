package learn

import (
	"time"

	"github.com/seed-75010da9/jail/jail"
)

// Headroom is by how much a limit exceeds the most that was seen.
const (
	headroomMemory = 2
	headroomPids   = 2
	headroomTime   = 5
	headroomOutput = 4

	leastMemory = 32 << 20
	leastPids   = 16
	leastTime   = 5 * time.Second
	leastOutput = 64 << 10
)

// Limits are the most that was seen, and what is made of it. 0 is for what was not
// measured.
type Limits struct {
	MemoryPeak, PidsPeak, OutputBytes int64
	Longest                           time.Duration

	Memory, Pids, Output int64
	Timeout              time.Duration
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
	m.Longest = max(m.Longest, time.Duration(u.WallMS)*time.Millisecond)
}

// round adds the headroom.
func (m *Limits) round() {
	up := func(n, to int64) int64 { return (n + to - 1) / to * to }
	if m.MemoryPeak > 0 {
		m.Memory = max(up(m.MemoryPeak*headroomMemory, 16<<20), leastMemory)
	}
	if m.PidsPeak > 0 {
		m.Pids = max(m.PidsPeak*headroomPids, leastPids)
	}
	m.Output = max(up(m.OutputBytes*headroomOutput, 64<<10), leastOutput)
	m.Timeout = max((m.Longest*headroomTime + time.Second - 1).Truncate(time.Second), leastTime)
}

// watching are the limits of a watching box, where nobody says others: wide, so
// that they are not what the program meets.
func watching() jail.Limits {
	return jail.Limits{Timeout: 5 * time.Minute, Memory: 2 << 30, CPUs: 2, Pids: 1024, Output: 16 << 20, TmpSize: 512 << 20, NoFile: 4096}
}

// Watching is l with what is not set replaced by the limits of a watching box.
func Watching(l jail.Limits) jail.Limits {
	w := watching()
	if l.Timeout == 0 {
		l.Timeout = w.Timeout
	}
	if l.CPUs == 0 {
		l.CPUs = w.CPUs
	}
	for _, f := range []struct{ to, from *int64 }{{&l.Memory, &w.Memory}, {&l.Pids, &w.Pids}, {&l.Output, &w.Output}, {&l.TmpSize, &w.TmpSize}, {&l.NoFile, &w.NoFile}} {
		if *f.to == 0 {
			*f.to = *f.from
		}
	}
	return l
}
