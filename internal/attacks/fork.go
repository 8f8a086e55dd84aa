package attacks

import (
	_ "unsafe" // for go:linkname

	"golang.org/x/sys/unix"
)

// fork is clone(2), or its like nr with arguments of its own: 0 in the child, which is
// one thread of a runtime with several and may make raw system calls alone. The runtime
// is told, as it is by os/exec: a clone lasts long on a busy or an emulated processor,
// and if this goroutine was meanwhile asked to give way, the child would do so at the
// next function it calls, and wait for good for the threads that it does not have.
//
// Linked with runtime's functions, which says itself that others may
// (https://go.dev/issue/67401).
//
//go:nosplit
//go:norace
func fork(nr, a1, a2, a3 uintptr) (uintptr, unix.Errno) {
	beforeFork()
	pid, _, e := unix.RawSyscall6(nr, a1, a2, a3, 0, 0, 0)
	afterFork() // in the child as well: what it was asked is forgotten there
	return pid, e
}

// forkOne is fork(2).
func forkOne() (uintptr, unix.Errno) { return fork(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0) }

//go:linkname beforeFork syscall.runtime_BeforeFork
func beforeFork()

//go:linkname afterFork syscall.runtime_AfterFork
func afterFork()
