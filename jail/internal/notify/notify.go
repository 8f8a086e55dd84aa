// Package notify is the listener's end of a seccomp filter that puts calls to one
// (seccomp_unotify(2)). It refuses calls, or has those go on that the filter itself
// has allowed and only tells of: an answer that lets another one go on would let it
// go on with arguments that may have changed since.
package notify

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A Listener reads calls from one descriptor, which is somebody else's to close.
// It must have no other reader: [Listener.Receive] blocks where another was
// faster.
type Listener struct {
	fd   int
	call []byte // struct seccomp_notif, of the kernel's size
	resp []byte // struct seccomp_notif_resp
}

// A Call is one that waits for its answer. The process can be killed, and its
// number be somebody else's, at any time: see [Listener.Waits].
type Call struct {
	ID   uint64
	PID  int // of the thread, in our pid namespace; 0 if it can't be seen from there
	NR   int32
	Arch uint32
	Args [6]uint64
}

// The layout of the structures, from include/uapi/linux/seccomp.h. Kernels may have
// longer ones, of which these are the beginnings.
const (
	callSize, respSize = 80, 24

	callPID  = 8
	callNR   = 16
	callArch = 20
	callArgs = 32

	respError = 16
	respFlags = 20
)

// New is a listener on fd.
func New(fd int) (*Listener, error) {
	const getNotifSizes = 3 // SECCOMP_GET_NOTIF_SIZES
	var sizes struct{ call, resp, data uint16 }
	_, _, errno := syscall.Syscall(unix.SYS_SECCOMP, getNotifSizes, 0, uintptr(unsafe.Pointer(&sizes)))
	if errno != 0 {
		return nil, os.NewSyscallError("seccomp", errno)
	}
	if sizes.call < callSize || sizes.resp < respSize {
		return nil, fmt.Errorf("notify: the kernel's notifications have %d bytes and answers %d: want %d and %d or more", sizes.call, sizes.resp, callSize, respSize)
	}
	// The caller waits for the answer and for nothing else, so it is best given on
	// its processor. From Linux 6.6 on; it works without.
	const setFlags, syncWakeUp = 0x40082104, 1 // SECCOMP_IOCTL_NOTIF_SET_FLAGS
	syscall.Syscall(unix.SYS_IOCTL, uintptr(fd), setFlags, syncWakeUp)
	return &Listener{fd, make([]byte, sizes.call), make([]byte, sizes.resp)}, nil
}

// Receive takes the next call, which poll(2) has said is there. It is not ok if
// that has gone meanwhile.
func (l *Listener) Receive() (Call, bool) {
	clear(l.call) // the kernel refuses anything but zeros
	// Not again after EINTR, which only a call that waits for one gives.
	_, _, errno := syscall.Syscall(unix.SYS_IOCTL, uintptr(l.fd), unix.SECCOMP_IOCTL_NOTIF_RECV, uintptr(unsafe.Pointer(unsafe.SliceData(l.call))))
	if errno != 0 {
		return Call{}, false
	}
	word := func(at int) *uint32 { return (*uint32)(unsafe.Pointer(&l.call[at])) }
	c := Call{ID: *(*uint64)(unsafe.Pointer(&l.call[0])), PID: int(*word(callPID)), NR: int32(*word(callNR)), Arch: *word(callArch)}
	for i := range c.Args {
		c.Args[i] = *(*uint64)(unsafe.Pointer(&l.call[callArgs+8*i]))
	}
	return c, true
}

// Waits says whether c still waits for its answer: then what was read by its
// process's number is that process's.
func (l *Listener) Waits(c Call) bool {
	return l.ioctl(unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&c.ID)) == nil
}

// Refuse answers c with an errno, which is not 0. It is false if nobody waits for
// the answer any more.
func (l *Listener) Refuse(c Call, errno syscall.Errno) bool {
	clear(l.resp)
	*(*uint64)(unsafe.Pointer(&l.resp[0])) = c.ID
	*(*int32)(unsafe.Pointer(&l.resp[respError])) = -int32(max(errno, 1))
	return l.ioctl(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(unsafe.SliceData(l.resp))) == nil
}

// GoOn has the kernel carry c out as if nobody had heard of it. It must only be
// given for calls that the filter allows whatever their pointers lead to: what was
// read there may be something else by the time the kernel reads it
// (SECCOMP_USER_NOTIF_FLAG_CONTINUE, seccomp_unotify(2)).
func (l *Listener) GoOn(c Call) bool {
	clear(l.resp)
	*(*uint64)(unsafe.Pointer(&l.resp[0])) = c.ID
	*(*uint32)(unsafe.Pointer(&l.resp[respFlags])) = unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
	return l.ioctl(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(unsafe.SliceData(l.resp))) == nil
}

func (l *Listener) ioctl(command uintptr, arg unsafe.Pointer) error {
	for {
		_, _, errno := syscall.Syscall(unix.SYS_IOCTL, uintptr(l.fd), command, uintptr(arg))
		if errno == 0 {
			return nil
		}
		if !errors.Is(errno, unix.EINTR) {
			return errno
		}
	}
}

// Read copies memory of a process, up to the end of what it can: as long as b, or
// less. The call whose memory it is must be asked for once more ([Listener.Waits])
// before what was read is believed.
func Read(pid int, address uint64, b []byte) int {
	total := 0
	for total < len(b) {
		// Page by page, since what lies behind a string may not be there.
		end := min(len(b), total+pageSize-int((address+uint64(total))%pageSize))
		local := []unix.Iovec{{Base: &b[total]}}
		local[0].SetLen(end - total)
		n, err := unix.ProcessVMReadv(pid, local, []unix.RemoteIovec{{Base: uintptr(address) + uintptr(total), Len: end - total}}, 0)
		if err != nil || n <= 0 {
			break
		}
		total += n
	}
	return total
}

// pageSize is the smallest that Linux has here.
const pageSize = 4096
