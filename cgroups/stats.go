package cgroups

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// Stats is what the processes of a group have used so far. A nil field is one
// that this kernel or hierarchy does not count.
type Stats struct {
	CPUUser   time.Duration // processor time in user mode, over the whole tree
	CPUSystem time.Duration // processor time in the kernel
	Throttled time.Duration // time for which the CPU quota held the group back, summed over processors
	// MemoryPeak is the highest use in bytes (version 2: kernel 5.19).
	MemoryPeak *int64
	// PidsPeak is the highest number of processes and threads (kernel 6.1).
	PidsPeak *int64
	// OOMKills is how many processes were killed for want of memory.
	OOMKills *int64
	// PidsDenied is how often a fork was refused for want of pids. On version
	// 1 and on kernels before 6.11 that may be a limit further up.
	PidsDenied *int64
	// IORead and IOWrite are bytes from and to block devices, where the parent
	// has the controller io. Version 1 counts them in a hierarchy that a box is
	// not put into.
	IORead, IOWrite *int64
}

// Stats reads everything. On an error the other fields are still right.
func (g *Group) Stats() (Stats, error) {
	if g.Version() == V2 {
		return readV2(g.dirs[0])
	}
	return readV1(g)
}

// CPUUsage reads the processor time used so far, user and system together.
func (g *Group) CPUUsage() (used time.Duration, err error) {
	if g.Version() == V2 {
		err = g.dirs[0].parse("cpu.stat", duration(&used, "usage_usec", time.Microsecond))
	} else {
		err = g.dir("cpuacct").parse("cpuacct.usage", duration(&used, "", time.Nanosecond))
	}
	return used, err
}

// OOMKills reads how many processes of g were killed for want of memory.
func (g *Group) OOMKills() (int64, error) {
	file := "memory.events"
	if g.Version() == V1 {
		file = "memory.oom_control"
	}
	var n *int64
	if err := g.dir("memory").parse(file, count(&n, "oom_kill")); err != nil {
		return 0, err
	}
	return *n, nil
}

// OutOfMemory says whether g has needed more memory than it may have: the kernel
// has killed for want of it, or what lies in the buffers of its sockets took g
// past its limit by more than half, for which the kernel kills nobody. Whoever
// watches g ends it then.
//
// Version 1 refuses UDP what is beyond the limit of sockets, but each TCP
// connection may have one packet (tcp_data_queue, of up to 64 KiB here). Version
// 2 counts sockets as memory, but what arrives in an interrupt is taken in past
// the limit (try_charge_memcg with __GFP_HIGH), and reclaim only comes when g
// next asks for memory of another kind: on Linux 7.3 a flood of datagrams was seen
// to take three times the limit. Nothing else goes past it by more than a few
// pages.
func (g *Group) OutOfMemory() (bool, error) {
	n, err := g.OOMKills()
	if err != nil || n > 0 {
		return n > 0, err
	}
	files := []string{"memory.kmem.tcp.max_usage_in_bytes"}
	if g.Version() == V2 {
		files = []string{"memory.peak", "memory.current"} // the first from 5.19 on
	}
	for _, file := range files {
		var most *int64
		err := optional(g.dir("memory").parse(file, count(&most, "")))
		if err != nil || most != nil {
			return err == nil && *most > g.limits.Memory+g.limits.Memory/2, err
		}
	}
	return false, nil
}

func readV2(d dir) (s Stats, err error) {
	return s, errors.Join(
		d.parse("cpu.stat", func(text string) error {
			return errors.Join(
				duration(&s.CPUUser, "user_usec", time.Microsecond)(text),
				duration(&s.CPUSystem, "system_usec", time.Microsecond)(text),
				duration(&s.Throttled, "throttled_usec", time.Microsecond)(text))
		}),
		optional(d.parse("memory.peak", count(&s.MemoryPeak, ""))),
		optional(d.parse("pids.peak", count(&s.PidsPeak, ""))),
		d.parse("memory.events", count(&s.OOMKills, "oom_kill")),
		d.parse("pids.events", count(&s.PidsDenied, "max")),
		optional(d.parse("io.stat", func(text string) error {
			r, w, err := parseIOStat(text)
			if err == nil {
				s.IORead, s.IOWrite = &r, &w
			}
			return err
		})))
}

func readV1(g *Group) (s Stats, err error) {
	mem, cpu, acct, pids := g.dir("memory"), g.dir("cpu"), g.dir("cpuacct"), g.dir("pids")
	var sum, user, system time.Duration
	err = errors.Join(
		acct.parse("cpuacct.usage_user", duration(&user, "", time.Nanosecond)),
		acct.parse("cpuacct.usage_sys", duration(&system, "", time.Nanosecond)),
		acct.parse("cpuacct.usage", duration(&sum, "", time.Nanosecond)))
	s.CPUUser, s.CPUSystem = divided(sum, user, system)
	return s, errors.Join(err,
		cpu.parse("cpu.stat", duration(&s.Throttled, "throttled_time", time.Nanosecond)),
		mem.parse("memory.max_usage_in_bytes", count(&s.MemoryPeak, "")),
		optional(pids.parse("pids.peak", count(&s.PidsPeak, ""))),
		mem.parse("memory.oom_control", count(&s.OOMKills, "oom_kill")),
		pids.parse("pids.events", count(&s.PidsDenied, "max")))
}

// divided is the processor time that a group has used, which the scheduler has measured,
// in the proportion of what was counted in user mode and in the kernel. Version 1 counts
// those two in ticks, of 4 ms as a rule, and so is off by a third in a program that takes
// 10 ms; without a tick it is user time, as the kernel does for a process
// (cputime_adjust). The second is in whole milliseconds, so that both, cut to these, add
// up to the sum.
func divided(sum, user, system time.Duration) (_, _ time.Duration) {
	share := 0.0
	if system > 0 {
		share = float64(system) / (float64(user) + float64(system))
	}
	system = time.Duration(share * float64(sum)).Truncate(time.Millisecond)
	return sum - system, system
}

// parse reads a file of d with f.
func (d dir) parse(name string, f func(text string) error) error {
	text, err := d.read(name)
	if err != nil {
		return err
	}
	if err := f(text); err != nil {
		return &Error{Op: "read", Path: d.path + "/" + name, Err: err}
	}
	return nil
}

// optional forgives a file that this kernel does not have.
func optional(err error) error {
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	return err
}

// number reads the one value of a file, or that of a key.
func number(text, key string) (int64, error) {
	if key == "" {
		return parseValue(text)
	}
	return parseKey(text, key)
}

func count(to **int64, key string) func(string) error {
	return func(text string) error {
		n, err := number(text, key)
		if err == nil {
			*to = &n
		}
		return err
	}
}

func duration(to *time.Duration, key string, unit time.Duration) func(string) error {
	return func(text string) error {
		n, err := number(text, key)
		if err == nil && n > unlimited/int64(unit) {
			err = errTooLong
		}
		if err == nil {
			*to = time.Duration(n) * unit
		}
		return err
	}
}

var errTooLong = errors.New("more than 292 years")
