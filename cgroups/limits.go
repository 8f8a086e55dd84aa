package cgroups

import (
	"fmt"
	"math"
	"strconv"
)

// Limits caps one leaf. Every field is needed: a limit of zero is a fault, not
// "none".
type Limits struct {
	// Memory is bytes, page cache and tmpfs pages included; swap is off. The
	// kernel rounds it down to whole pages. Buffers of TCP and UDP sockets are
	// included on version 2; version 1 counts them apart, so there they may take
	// as much again, and half of it more before OutOfMemory says so.
	Memory int64
	// CPUs is how many processors' time may be used, such as 0.5 or 2.
	CPUs float64
	// Pids is how many processes and threads may exist at once.
	Pids int64
}

const (
	// MinMemory is the least memory limit. Below a quarter of it, the first
	// process is killed before it runs.
	MinMemory = 1 << 20
	// MinCPUs is the least share of processors: the kernel takes no quota
	// below 1 ms of a period of 100 ms.
	MinCPUs = 0.01
	// MaxCPUs is more processors than any Linux supports (NR_CPUS is at most
	// 8192).
	MaxCPUs = 8192
	// MaxPids is the kernel's own upper bound of process ids (PID_MAX_LIMIT).
	MaxPids = 4 << 20
)

// periodUS is the kernel's default period over which a quota counts, in µs.
const periodUS = 100_000

// Validate says what is wrong with l, naming field, value and what is accepted.
func (l Limits) Validate() error {
	switch {
	case l.Memory < MinMemory:
		return fmt.Errorf("cgroups: limit memory: %d: want at least %d bytes", l.Memory, MinMemory)
	case !(l.CPUs >= MinCPUs && l.CPUs <= MaxCPUs): // the negation also catches NaN
		return fmt.Errorf("cgroups: limit cpus: %v: want %v to %v processors", l.CPUs, MinCPUs, MaxCPUs)
	case l.Pids < 1 || l.Pids > MaxPids:
		return fmt.Errorf("cgroups: limit pids: %d: want 1 to %d", l.Pids, MaxPids)
	}
	return nil
}

// quotaUS is l.CPUs as µs of processor time in each period.
func (l Limits) quotaUS() int64 { return int64(math.Round(l.CPUs * periodUS)) }

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
