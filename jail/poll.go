package jail

import (
	"errors"
	"syscall"
	"time"
	"unsafe"

	"github.com/seed-75010da9/jail/internal/pid1"
	"golang.org/x/sys/unix"
)

// poll is poll(2) with a timeout to the nanosecond. Being interrupted is no
// error: nothing has happened then.
func poll(fds []unix.PollFd, timeout time.Duration) error {
	ts := unix.NsecToTimespec(max(int64(timeout), 0))
	if timeout > keeps {
		pid1.GiveTextBack()
	}
	err := ppoll(fds, &ts, timeout <= keeps && pid1.Single())
	if errors.Is(err, unix.EINTR) {
		for i := range fds {
			fds[i].Revents = 0
		}
		return nil
	}
	return err
}

// keeps is for how long a wait may keep the runtime's only processor.
const keeps = 20 * time.Millisecond

// ppoll is ppoll(2). Keeping the processor is not telling the runtime of the wait: its
// monitor takes a processor from who is in the kernel for a moment, and gives it to a
// thread that finds nothing to do with it, for which whoever waited has to wait then.
func ppoll(fds []unix.PollFd, ts *unix.Timespec, keep bool) (err error) {
	if !keep {
		_, err = unix.Ppoll(fds, ts, nil)
		return err
	}
	_, _, errno := syscall.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(unsafe.SliceData(fds))), uintptr(len(fds)), uintptr(unsafe.Pointer(ts)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
