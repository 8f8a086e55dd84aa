package cgroups

import (
	"errors"
	"strings"

	"golang.org/x/sys/unix"
)

// limitV2 writes the limits but for pids.max, which limitPids wrote.
func (g *Group) limitV2() error {
	d := g.dirs[0]
	if err := d.write("memory.max", decimal(g.limits.Memory)); err != nil {
		return err
	}
	if err := g.noSwapV2(d); err != nil {
		return err
	}
	// Out of memory ends the box, not one process of it.
	if err := d.write("memory.oom.group", "1"); err != nil {
		return err
	}
	return d.write("cpu.max", decimal(g.limits.quotaUS())+" "+decimal(periodUS))
}

// noSwapV2 keeps the box out of swap, which memory.max does not count. The file
// is absent when swap accounting is off.
func (g *Group) noSwapV2(d dir) error {
	err := d.write("memory.swap.max", "0")
	if !errors.Is(err, unix.ENOENT) {
		return err
	}
	active, activeErr := swapActive()
	if activeErr != nil {
		return activeErr
	}
	if active {
		return &Error{Op: "write", Path: d.path + "/memory.swap.max", Value: "0", Missing: "swap accounting", Err: unix.ENOENT, Remedy: remedySwap}
	}
	g.addNote("no swap accounting, and no swap on this host")
	return nil
}

// limitV1 writes the limits but for pids.max, which limitPids wrote.
func (g *Group) limitV1() error {
	mem, cpu := g.dir("memory"), g.dir("cpu")
	if err := mem.write("memory.limit_in_bytes", decimal(g.limits.Memory)); err != nil {
		return err
	}
	if err := g.noSwapV1(mem); err != nil {
		return err
	}
	if err := g.limitSockets(mem); err != nil {
		return err
	}
	// The period is left alone: a new group's is periodUS, and InForce checks it.
	err := cpu.write("cpu.cfs_quota_us", decimal(g.limits.quotaUS()))
	var e *Error
	if errors.As(err, &e) && errors.Is(err, unix.EINVAL) {
		e.Remedy = remedyCPUs // sched/core.c, tg_cfs_schedulable_down
	}
	return err
}

// noSwapV1 limits memory and swap together to what memory alone may be. That
// limit may not be lower than memory's own, so it comes second. Without the
// file, a swappiness of zero keeps the group's own reclaim from swapping
// (cgroup-v1/memory.rst 5.3); the host's may still.
func (g *Group) noSwapV1(d dir) error {
	err := d.write("memory.memsw.limit_in_bytes", decimal(g.limits.Memory))
	if !errors.Is(err, unix.ENOENT) {
		return err
	}
	active, err := swapActive()
	if err != nil {
		return err
	}
	if !active {
		g.addNote("no swap accounting, and no swap on this host")
		return nil
	}
	g.addNote("no swap accounting: memory.swappiness=0 in its place")
	return d.write("memory.swappiness", "0")
}

// socketLimit caps what lies in the buffers of TCP and UDP sockets. In spite of
// its name it counts UDP as well (net/core/sock.c, __sk_mem_raise_allocated).
const socketLimit = "memory.kmem.tcp.limit_in_bytes"

// limitSockets limits the buffers of sockets to as much as memory once more:
// version 1 keeps them in a budget of its own, and counts them nowhere until that
// is limited (cgroup-v1/memory.rst 2.7). Without it a box with a loopback
// interface fills what the whole host has for sockets (net.ipv4.udp_mem). What
// it leaves open [Group.OutOfMemory] tells. The file is absent from kernels that are built without it.
func (g *Group) limitSockets(mem dir) error {
	err := mem.write(socketLimit, decimal(g.limits.Memory))
	if errors.Is(err, unix.ENOENT) {
		g.addNote("socket buffers are not limited: no " + socketLimit)
		return nil
	}
	return err
}

func (g *Group) addNote(note string) {
	g.note = strings.TrimPrefix(g.note+"; "+note, "; ")
}

// swapActive says whether the host has any swap: /proc/swaps has a line after
// its heading (proc_swaps(5)); a kernel without swap has no such file.
func swapActive() (bool, error) {
	text, err := readAt(unix.AT_FDCWD, "/proc/swaps", 0)
	if err == unix.ENOENT {
		return false, nil
	}
	if err != nil {
		return false, &Error{Op: "read", Path: "/proc/swaps", Err: err}
	}
	return strings.Count(text, "\n") > 1, nil
}
