// Package policy states which system calls code in a box may make. The policy
// is data and this package is only read: by the compiler in ../gen, which makes
// the filters of it ahead of time, by tests, and for the reason of a refusal that
// a box has met with. Starting a box takes nothing of it.
package policy

import "syscall"

// A Group is calls that share one answer and one reason.
type Group struct {
	Why   string
	Calls string // kernel names between spaces; one that an architecture lacks is skipped there
}

// A Check is calls whose answer depends on their arguments.
type Check struct {
	Why   string
	Calls string
	Rows  []Row   // the first row that matches decides
	Else  Verdict // when none does
}

// A Row matches when all of its tests do.
type Row struct {
	When []Test
	Then Verdict
}

// A Test matches when argument Arg, cut to the bits of Mask, is one of In.
type Test struct {
	Arg  uint // 0 to 5
	Mask uint64
	In   []uint64
}

// A Verdict is the errno with which the kernel answers; 0 lets the call run.
type Verdict syscall.Errno

const (
	// Allow lets the kernel carry out the call.
	Allow Verdict = 0
	// Deny answers what we know and refuse.
	Deny = Verdict(syscall.EPERM)
	// Absent answers as a kernel that does not have the call. It is also the
	// answer to every number and every argument value not named in this package:
	// programs probe for what is new and fall back on exactly this error.
	Absent = Verdict(syscall.ENOSYS)
	// NoFamily answers as a kernel built without the socket family, which is
	// what resolvers, getaddrinfo and every "is IPv6 there" probe expect. EPERM
	// makes many of them give up with an error instead.
	NoFamily = Verdict(syscall.EAFNOSUPPORT)
)

const (
	// Low is the half of an argument that the kernel reads where its parameter
	// has 32 bits. What lies above is garbage that must neither open the check
	// (CVE-2019-10063: TIOCSTI | 1<<32 passed a 64-bit compare) nor fail it.
	Low = 0xffffffff
	// Whole is all of an argument: for pointers.
	Whole = ^uint64(0)
)

func in(arg uint, mask uint64, values ...uint64) []Test {
	return []Test{{arg, mask, values}}
}
