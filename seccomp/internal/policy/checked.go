package policy

import (
	"slices"

	"golang.org/x/sys/unix"
)

const (
	setID    = unix.S_ISUID | unix.S_ISGID
	creating = unix.O_CREAT | tmpfile
	// tmpfile is O_TMPFILE without the O_DIRECTORY that it contains.
	tmpfile = unix.O_TMPFILE &^ unix.O_DIRECTORY

	// newNamespaces is every CLONE_NEW* that clone takes. CLONE_NEWTIME (0x80)
	// lies within clone's exit signal, so only unshare and clone3 can carry it.
	newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
		unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
)

// Checked is the calls that are carried out with some arguments only.
func Checked() []Check {
	return slices.Concat(files(), processes(), named(), memory())
}

// cleanMode is the check of calls whose file mode is argument arg. It stays
// right where the kernel cuts the argument to 16 bits.
func cleanMode(arg uint, calls string) Check {
	return Check{
		Why: "setuid and setgid bits left in a writable grant would be taken up on the host, " +
			"where the file belongs to the caller",
		Calls: calls,
		Rows:  []Row{{in(arg, setID, 0), Allow}},
		Else:  Deny,
	}
}

// cleanOpen is cleanMode for open, which reads its mode only when it creates
// a file: otherwise the register holds whatever the last call left there (musl
// opens with two arguments).
func cleanOpen(flags uint, calls string) Check {
	check := cleanMode(flags+1, calls)
	check.Rows = append(check.Rows, Row{in(flags, creating, 0), Allow})
	return check
}

// node is the check of mknod: no device node, which would work on the host from a
// writable grant. Both kinds of them have the bit of S_IFCHR, which of all others
// only symbolic links have; those, folders and what is no kind the kernel itself
// does not make (fs/namei.c, may_mknod).
func node(arg uint, call string) Check {
	return Check{
		Why:   "no device nodes, and no setuid or setgid bits, in a writable grant",
		Calls: call, Rows: []Row{{in(arg, unix.S_IFCHR|setID, 0), Allow}}, Else: Deny,
	}
}

func files() []Check {
	return []Check{
		cleanMode(1, "creat mkdir chmod fchmod"),
		cleanMode(2, "mkdirat fchmodat"),
		cleanOpen(1, "open"),
		cleanOpen(2, "openat"),
		node(1, "mknod"),
		node(2, "mknodat"),
		{
			Why:   "a whiteout, which a rename may leave in its place, is a device node, 0:0: an overlay of the host's would hide a file for it",
			Calls: "renameat2", Rows: []Row{{in(4, unix.RENAME_WHITEOUT, 0), Allow}}, Else: Deny,
		},
		{
			Why: "leases (1024, and 1040 on directories) and dnotify (1026) tell what the host does with a " +
				"file, and a lease stalls the host's open. The kernel itself sends SIGIO to a file's owner, past " +
				"what a process may signal, so that must not be PID 1, neither as a process nor as a group; " +
				"F_SETOWN_EX names it behind a pointer. Commands that we do not know are absent",
			Calls: "fcntl",
			Rows: []Row{
				{in(1, Low, unix.F_SETLEASE, unix.F_NOTIFY, setDelegation, unix.F_SETOWN_EX), Deny},
				{[]Test{{1, Low, []uint64{unix.F_SETOWN}}, {2, Low, []uint64{pid1, group1}}}, Deny},
				{in(1, Low,
					unix.F_DUPFD, unix.F_GETFD, unix.F_SETFD, unix.F_GETFL, unix.F_SETFL,
					unix.F_GETLK, unix.F_SETLK, unix.F_SETLKW,
					unix.F_SETOWN, unix.F_GETOWN, unix.F_SETSIG, unix.F_GETSIG,
					unix.F_GETOWN_EX, getOwnerUIDs,
					unix.F_OFD_GETLK, unix.F_OFD_SETLK, unix.F_OFD_SETLKW,
					unix.F_GETLEASE, duplicateQuery, createdQuery, unix.F_DUPFD_CLOEXEC,
					unix.F_SETPIPE_SZ, unix.F_GETPIPE_SZ, unix.F_ADD_SEALS, unix.F_GET_SEALS,
					unix.F_GET_RW_HINT, unix.F_SET_RW_HINT, unix.F_GET_FILE_RW_HINT, unix.F_SET_FILE_RW_HINT),
					Allow},
			},
			Else: Absent,
		},
		{
			Why: "terminals: typing into it (TIOCSTI), the console's buffer (TIOCLINUX), taking the " +
				"console's output (TIOCCONS), loading line disciplines (TIOCSETD). Sockets: who gets SIGIO, behind " +
				"a pointer (FIOSETOWN, SIOCSPGRP), see fcntl. Compared by 16 bits: the " +
				"only others that end like these are of sound timers, and the filter is the shorter for it",
			Calls: "ioctl",
			Rows: []Row{
				{in(1, 0xffff, unix.TIOCSTI, unix.TIOCLINUX, unix.TIOCCONS, unix.TIOCSETD, setOwner, unix.SIOCSPGRP), Deny},
			},
			Else: Allow,
		},
	}
}

// Commands that x/sys/unix does not name, from include/uapi/linux/fcntl.h and
// asm-generic/fcntl.h.
const (
	getOwnerUIDs   = 17
	duplicateQuery = 1027
	createdQuery   = 1028
	setDelegation  = 1040
	setOwner       = 0x8901 // FIOSETOWN, asm-generic/sockios.h
)

func processes() []Check {
	return []Check{
		{
			Why:   noNamespaces,
			Calls: "clone",
			Rows:  []Row{{in(0, newNamespaces, 0), Allow}},
			Else:  Deny,
		},
		{
			Why:   coreLimit,
			Calls: "setrlimit",
			Rows: []Row{
				{in(0, Low, unix.RLIMIT_CORE), Deny},
				{in(0, Low&^15, 0), Allow},
			},
			Else: Deny,
		},
		{
			Why: "0 is what we are, 0xffffffff asks, and 0x40000 (no address randomization) is set by the " +
				"thread sanitizer; the rest emulates other systems or weakens memory protection",
			Calls: "personality",
			Rows:  []Row{{in(0, Low, 0, addrNoRandomize, 0xffffffff), Allow}},
			Else:  Absent,
		},
		control(),
		{
			Why: "locking oneself up further: a filter of the box's own cannot loosen this one, because the kernel " +
				"takes the strictest answer. But among those who answer by a listener it takes the newest, and such a " +
				"listener can let a call go on (SECCOMP_USER_NOTIF_FLAG_CONTINUE), also one that this filter has put to ours",
			Calls: "seccomp",
			Rows:  []Row{{in(1, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, 0), Allow}},
			Else:  Deny,
		},
		{
			Why: "no socket of any family. Unix sockets would reach one that lies in a granted tree; " +
				"what a net mode or a profile needs is allowed beside it",
			Calls: "socket",
			Else:  NoFamily,
		},
		{
			Why: "a connected pair of Unix sockets reaches nobody else; a datagram end (2) could be connected " +
				"again, to a socket with a name",
			Calls: "socketpair",
			Rows: []Row{
				{[]Test{{0, Low, []uint64{unix.AF_UNIX}}, {1, sockType, []uint64{unix.SOCK_STREAM, unix.SOCK_SEQPACKET}}}, Allow},
				{in(0, Low, unix.AF_UNIX), Deny},
			},
			Else: Absent,
		},
		{
			Why: "filters of packets: what the kernel translates them to is in no memory cap, and has one bound for " +
				"the whole host (net.core.bpf_jit_limit), past which no box starts. A thousand ends of pairs can have one each. " +
				"Those of extended BPF need bpf",
			Calls: "setsockopt",
			Rows: []Row{
				{slices.Concat(in(1, Low, unix.SOL_SOCKET), in(2, Low, unix.SO_ATTACH_FILTER, unix.SO_ATTACH_REUSEPORT_CBPF)), Deny},
			},
			Else: Allow,
		},
	}
}

const (
	addrNoRandomize = 0x40000 // include/uapi/linux/personality.h
	sockType        = 0xf     // SOCK_TYPE_MASK: the rest is SOCK_NONBLOCK and SOCK_CLOEXEC
)

// control is the check of prctl.
func control() Check {
	return Check{
		Why: "the caller's own attributes. Refused: rewriting the memory map that /proc shows (SET_MM), " +
			"merging equal pages (SET_MEMORY_MERGE: tells whether others have a page), core scheduling " +
			"(SCHED_CORE: idles the host's sibling threads), naming a tracer, machine-check policy; " +
			"reclaim and secure bits need a capability anyway. Options of other processors, and two of counters, " +
			"are let through to the kernel, which has no effect for them: so what is refused are points in one range, " +
			"and the filter is shorter by as much as it costs to attach it",
		Calls: "prctl",
		Rows: []Row{
			{in(0, Low, unix.PR_SET_MM, unix.PR_SET_MEMORY_MERGE, unix.PR_SCHED_CORE, unix.PR_SET_PTRACER,
				unix.PR_MCE_KILL, unix.PR_SET_IO_FLUSHER, unix.PR_SET_SECUREBITS), Deny},
			{in(0, Low, slices.Concat(upTo(unix.PR_LOCK_SHADOW_STACK_STATUS),
				[]uint64{unix.PR_SET_VMA, unix.PR_GET_AUXV})...), Allow},
		},
		Else: Absent,
	}
}

// upTo are the options from PR_SET_PDEATHSIG, the first, to the last one that is known.
func upTo(last uint64) (options []uint64) {
	for option := uint64(unix.PR_SET_PDEATHSIG); option <= last; option++ {
		options = append(options, option)
	}
	return options
}
