package spell

import "golang.org/x/sys/unix"

// A name is what a value, or a bit, is called.
type name struct {
	value uint32
	name  string
}

// A kind is how an argument is written: the name of its value, or those of its
// bits.
type kind struct {
	kind   string
	names  []name
	bits   bool
	ignore uint32 // bits that say nothing
	zero   string // how no bits are written
}

// kinds are those with names. None of it is made at start: the compiler lays the
// tables out.
var kinds = [...]kind{
	{kind: "family", names: families},
	{kind: "socket", names: socketTypes, ignore: unix.SOCK_CLOEXEC | unix.SOCK_NONBLOCK},
	{kind: "ip", names: ipProtocols},
	{kind: "netlink", names: netlinks},
	{kind: "clone", names: cloneFlags, bits: true, ignore: 0xff}, // its exit signal
	{kind: "namespaces", names: cloneFlags, bits: true, zero: "0"},
	{kind: "ptrace", names: ptraceRequests},
	{kind: "mountflags", names: mountFlags, bits: true, zero: "0"},
	{kind: "umountflags", names: umountFlags, bits: true, zero: "0"},
	{kind: "open", names: openFlags, bits: true, zero: "O_RDONLY", ignore: unix.O_CLOEXEC | unix.O_NONBLOCK | unix.O_LARGEFILE},
	{kind: "keyctl", names: keyctls},
	{kind: "prctl", names: prctls},
	{kind: "rlimit", names: rlimits},
	{kind: "policy", names: schedulers, ignore: 0x40000000}, // SCHED_RESET_ON_FORK
	{kind: "fcntl", names: fcntls},
	{kind: "prot", names: protections, bits: true, zero: "PROT_NONE"},
	{kind: "map", names: mapFlags, bits: true, zero: "0"},
	{kind: "memfd", names: memfdFlags, bits: true, zero: "0"},
	{kind: "bpf", names: bpfCommands},
	{kind: "lock", names: lockKinds, bits: true, zero: "0"},
	{kind: "inotify", names: inotifyEvents, bits: true, zero: "0"},
	{kind: "whose", names: priorities},
	{kind: "seccomp", names: seccompOperations},
	{kind: "filterflags", names: filterFlags, bits: true, zero: "0"},
	{kind: "rename", names: renameFlags, bits: true, zero: "0"},
	{kind: "ioctl", names: ioctls},
	{kind: "level", names: levels},
	{kind: "option", names: socketOptions},
}
