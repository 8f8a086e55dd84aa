package main

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// takeNoSignals gives up the Go runtime's handlers of the signals that PID 1 gets by
// the thousand, since it is told of every process that ends, and has no use for: it
// waits. By default the kernel drops them, but still keeps what is to be waited for
// (signal(7)). User-mode Linux 6.1, which now and then ends a thread with SIGSEGV on
// its way out of a handler, then has none to run.
func takeNoSignals() error {
	type action struct {
		handler, flags, restorer uintptr
		mask                     uint64
	}
	var byDefault action
	for _, signal := range []unix.Signal{unix.SIGCHLD, unix.SIGURG, unix.SIGWINCH, unix.SIGIO} {
		_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(signal), uintptr(unsafe.Pointer(&byDefault)), 0,
			unsafe.Sizeof(byDefault.mask), 0, 0)
		if errno != 0 {
			return errno
		}
	}
	return nil
}
