package pid1

import (
	"encoding/binary"
	"errors"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Image is PID 1's program, an ELF executable for this architecture.
func Image() []byte { return unsafe.Slice(unsafe.StringData(image), len(image)) }

// Channel is the descriptor at which the starter and PID 1 find their end of
// the channel, a SOCK_SEQPACKET socket of family AF_UNIX.
const Channel = 3

// Start starts the starter, from an image that can be executed, with its end of
// the channel. It waits for the request. It has no environment but env. The
// error is an errno: of clone(2); that of execve is the starter's exit status.
//
// The calling goroutine must be locked to its thread: PID 1 is going to be the
// child of that thread, for its parent-death signal (prctl(2)).
func Start(image, channel int, env []string) (pid int, err error) {
	environ, err := syscall.SlicePtrFromStrings(env)
	if err != nil {
		return 0, err
	}
	// The child shares our memory until it executes its image (vfork(2)): a
	// handler of ours must not run in it. The mask is set back by init/init.c.
	all, old := ^uint64(0), uint64(0)
	mask(&all, &old)
	n := spawn(uintptr(image), uintptr(channel), uintptr(unsafe.Pointer(unsafe.SliceData(environ))))
	mask(&old, nil)
	if n < 0 {
		return 0, syscall.Errno(-n)
	}
	return n, nil
}

func mask(set, old *uint64) {
	syscall.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(old)), unsafe.Sizeof(*set), 0, 0)
}

// spawn clones and executes as Start says; on return the child has its image,
// or is gone.
//
//go:noescape
func spawn(image, channel, environ uintptr) (pid int)

// Namespaces are those of every box: CLONE_NEWUSER, NEWNS, NEWPID, NEWNET,
// NEWIPC, NEWUTS and NEWCGROUP.
const Namespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// A Request is what the starter waits for.
type Request struct {
	Namespaces uintptr // that PID 1 gets of its own
	// KeepSession leaves PID 1 in the caller's session.
	KeepSession bool
	// KeepKeyring leaves it the caller's session keyring (keyrings(7)), in place of the
	// one that all boxes of a user share.
	KeepKeyring bool
	// Group is the version 2 control group that PID 1 is born in (clone3(2),
	// CLONE_INTO_CGROUP), or -1.
	Group int
}

const (
	requestSize = 16
	keepSession = 1
	keepKeyring = 2
)

// Send sends r to the starter.
func (r Request) Send(channel int) error {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, requestSize), uint64(r.Namespaces))
	flags := uint64(0)
	if r.KeepSession {
		flags |= keepSession
	}
	if r.KeepKeyring {
		flags |= keepKeyring
	}
	b = binary.LittleEndian.AppendUint64(b, flags)
	var rights []byte
	if r.Group >= 0 {
		rights = unix.UnixRights(r.Group)
	}
	return unix.Sendmsg(channel, b, rights, nil, unix.MSG_NOSIGNAL)
}

// An ExecError is why the starter's image was not executed.
type ExecError struct{ Err syscall.Errno }

func (e ExecError) Error() string { return "execve of PID 1's image: " + e.Err.Error() }

func (e ExecError) Unwrap() error { return e.Err }

// Born waits for the answer of a starter that has its request, and for its end.
// The error is an ExecError, the errno of clone or (EDQUOT, EKEYREJECTED) of keyctl, or ECHILD when the starter came
// to an end without an answer. One that somebody stops is continued; one that says
// nothing for ten seconds is ended.
func Born(starter, channel int) (pid int, err error) {
	answer := make([]byte, 4)
	n := answered(starter, channel, answer)
	if n == len(answer) {
		unix.Kill(starter, unix.SIGKILL) // it has nothing left to do, and may be stopped
	}
	status := wait(starter)
	switch {
	case n != len(answer) && status.Exited() && status.ExitStatus() != brokenOff:
		return 0, ExecError{syscall.Errno(status.ExitStatus())}
	case n != len(answer):
		return 0, unix.ECHILD
	}
	if pid = int(int32(binary.LittleEndian.Uint32(answer))); pid < 0 {
		return 0, syscall.Errno(-pid)
	}
	return pid, nil
}

const (
	lookAfter = 100 * time.Millisecond // whether the starter has been stopped
	looks     = 100
)

// answered reads the starter's answer, and returns its length: 0 for none.
func answered(starter, channel int, answer []byte) int {
	for look := 0; ; {
		n, _, err := unix.Recvfrom(channel, answer, unix.MSG_DONTWAIT)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case !errors.Is(err, unix.EAGAIN):
			return max(n, 0)
		case look == looks:
			unix.Kill(starter, unix.SIGKILL)
			return 0
		}
		fds := []unix.PollFd{{Fd: int32(channel), Events: unix.POLLIN}}
		if n, err := unix.Poll(fds, int(lookAfter.Milliseconds())); n == 0 && err == nil {
			look++
			if ended(starter) {
				look = looks // for what it said before that
			}
			unix.Kill(starter, unix.SIGCONT)
		}
	}
}

// ended says whether the starter, which nobody has waited for, has come to its end. The
// channel does not tell: PID 1 may be there, and has the other end as well.
func ended(starter int) bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, starter, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == nil && info.Signo != 0
}

// brokenOff is with what init.c exits when its supervisor has gone.
const brokenOff = 125

func wait(pid int) (status unix.WaitStatus) {
	for {
		if _, err := unix.Wait4(pid, &status, unix.WALL, nil); !errors.Is(err, unix.EINTR) {
			return status
		}
	}
}
