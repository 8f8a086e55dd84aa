package policy

import (
	"slices"

	"golang.org/x/sys/unix"
)

// PID 1 as a call's argument of 32 bits names it. It has the program's own uid,
// so the kernel lets the program slow it down and limit it; and a box ends when
// PID 1 gets to run. Its other processes are the program's own.
const (
	pid1   = 1
	group1 = 0xffffffff // -1: where a negative number names a process group
)

const (
	resetOnFork = 0x40000000 // SCHED_RESET_ON_FORK
	// pid1Clock is the clock of PID 1's processor time, without the bits of its
	// kinds: ^1 << 3 (include/linux/posix-timers.h).
	pid1Clock  = 0xfffffff0
	clockKinds = 7

	// Whose priority ioprio_set sets, from include/uapi/linux/ioprio.h.
	ioprioProcess = 1
	ioprioGroup   = 2
)

// coreLimit is why nobody sets RLIMIT_CORE.
const coreLimit = "A soft RLIMIT_CORE of 1 is the only value that writes no core and also starts no " +
	"core_pattern helper on the host (fs/coredump.c); 0 would start it again. Reading it is fine"

// named is the calls that change a process which the caller names, PID 1 as well
// as any. Those that only read (getpriority, sched_getaffinity) are harmless, and
// a signal to PID 1 is the kernel's to drop (pid_namespaces(7)); what reaches into
// memory and descriptors is refused altogether.
//
// A row asks for PID 1 last: everything that is not PID 1 is 32 clauses, and each of
// what was asked before has them.
func named() []Check {
	ofPID1 := in(0, Low, pid1)
	fair := in(1, Low&^resetOnFork, unix.SCHED_NORMAL, unix.SCHED_BATCH, unix.SCHED_IDLE)
	return []Check{
		{
			Why:   "PID 1's limits are not the program's to lower: RLIMIT_CPU ends it. " + coreLimit,
			Calls: "prlimit64",
			Rows: []Row{
				{slices.Concat(in(2, Whole, 0), ofPID1), Deny},
				{in(2, Whole, 0), Allow},
				{in(1, Low, unix.RLIMIT_CORE), Deny},
				{slices.Concat(in(1, Low&^15, 0), ofPID1), Deny},
				{in(1, Low&^15, 0), Allow},
			},
			Else: Deny,
		},
		{
			Why: "PID 1 behind every loop of the program does not run. Real-time classes escape the cpu cap " +
				"where the caller has RLIMIT_RTPRIO; the mask leaves SCHED_RESET_ON_FORK out",
			Calls: "sched_setscheduler",
			Rows: []Row{
				{slices.Concat(fair, ofPID1), Deny},
				{fair, Allow},
			},
			Else: Deny,
		},
		{
			Why:   "PID 1's priority and processors: behind every loop of the program it does not run",
			Calls: "sched_setparam sched_setaffinity",
			Rows:  []Row{{in(0, Low, pid1), Deny}},
			Else:  Allow,
		},
		{
			Why:   "PID 1's nice value, and PRIO_USER, which includes it",
			Calls: "setpriority",
			Rows: []Row{
				{slices.Concat(in(0, Low, unix.PRIO_PROCESS, unix.PRIO_PGRP), in(1, Low, pid1)), Deny},
				{in(0, Low, unix.PRIO_PROCESS, unix.PRIO_PGRP), Allow},
			},
			Else: Deny,
		},
		{
			Why:   "PID 1's disk priority, and IOPRIO_WHO_USER, which includes it",
			Calls: "ioprio_set",
			Rows: []Row{
				{slices.Concat(in(0, Low, ioprioProcess, ioprioGroup), in(1, Low, pid1)), Deny},
				{in(0, Low, ioprioProcess, ioprioGroup), Allow},
			},
			Else: Deny,
		},
		{
			Why:   "a timer on PID 1's processor time is work for PID 1 whenever it runs",
			Calls: "timer_create clock_nanosleep",
			Rows:  []Row{{in(0, Low&^clockKinds, pid1Clock), Deny}},
			Else:  Allow,
		},
	}
}

// Flags of huge pages. The bits above them say which size, and mean nothing
// without them.
const (
	mapHuge = unix.MAP_HUGETLB
	memHuge = unix.MFD_HUGETLB
	shmHuge = 0o4000 // SHM_HUGETLB, include/uapi/linux/shm.h
)

// memory is the calls that can take pages from the host's pool of huge ones,
// which the memory cap does not count (it would be a controller of its own), or
// share them with strangers.
func memory() []Check {
	const why = "huge pages from the host's pool are not counted by the memory cap; " +
		"transparent ones are, and need no flag"
	return []Check{
		{Why: why, Calls: "mmap", Rows: []Row{{in(3, mapHuge, 0), Allow}}, Else: Deny},
		{Why: why, Calls: "memfd_create", Rows: []Row{{in(1, memHuge, 0), Allow}}, Else: Deny},
		{
			Why:   "merging equal pages, as by prctl's SET_MEMORY_MERGE: the time that a write takes tells whether others on the host have a page",
			Calls: "madvise", Rows: []Row{{in(2, Low, unix.MADV_MERGEABLE), Deny}}, Else: Allow,
		},
		{Why: why, Calls: "shmget", Rows: []Row{{in(2, shmHuge, 0), Allow}}, Else: Deny},
	}
}
