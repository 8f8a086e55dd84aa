// Package audit reads the records that the kernel makes of what Landlock refuses
// (Linux 6.15), as one of many who may read them: it asks how auditing is set, joins
// the group that all records go to (AUDIT_NLGRP_READLOG), and changes nothing of
// either. The protocol is include/uapi/linux/audit.h in the kernel's sources.
package audit

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Types of messages.
const (
	typeError   = unix.NLMSG_ERROR
	typeGet     = unix.AUDIT_GET
	typeUser    = 1005 // AUDIT_USER: a record that a program asks for
	typeRefusal = 1423 // AUDIT_LANDLOCK_ACCESS
	typeDomain  = 1424 // AUDIT_LANDLOCK_DOMAIN
)

// A Status is how auditing is set.
type Status struct {
	On        bool
	Panics    bool   // the host is to panic when a record is lost (AUDIT_FAIL_PANIC)
	RateLimit uint32 // records a second, 0 for no limit
	Lost      uint32 // records that were lost since the host started, of anybody's
	Backlog   uint32 // records that are waiting to be handed out
}

// A Listener hears of the kernel's records from Join on.
type Listener struct {
	fd       int
	seq      uint32
	status   Status
	told     bool // status is the answer to the last question, or err is
	accepted bool // the last request was acknowledged
	err      error
	buf      []byte
	short    bool // see Dropped
}

// ErrOff says that the kernel makes no records.
var ErrOff = errors.New("auditing is switched off on this host")

// Open asks the kernel how auditing is set, and does not wait for the answer. The
// kernel gives it to whoever has CAP_AUDIT_CONTROL in the first user and pid
// namespace, and to nobody else. Where auditing is off that is found out at once, and
// the error is [ErrOff]: this question has a thread of the kernel's answer it, which
// takes tens of times as long.
func Open() (*Listener, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_AUDIT)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	l := &Listener{fd: fd, buf: make([]byte, answerSize)}
	if l.off() {
		l.Close()
		return nil, ErrOff
	}
	if err := l.ask(typeGet, 0); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// off says whether auditing is off, as far as that can be had at once: the kernel
// accepts a record of no text where it makes none anyway, and refuses it where it is
// on (audit_receive_msg in kernel/audit.c); whoever lacks CAP_AUDIT_WRITE is not told.
// In neither case is there a record.
func (l *Listener) off() bool {
	if l.ask(typeUser, unix.NLM_F_ACK) != nil {
		return false
	}
	l.next(nil)
	return l.accepted
}

// Close ends it. A nil Listener may be closed.
func (l *Listener) Close() {
	if l != nil {
		unix.Close(l.fd)
	}
}

// ask sends a request of nothing but a header (struct nlmsghdr).
func (l *Listener) ask(kind, flags uint16) error {
	l.seq, l.told, l.accepted, l.err = l.seq+1, false, false, nil
	m := make([]byte, headerSize)
	binary.NativeEndian.PutUint32(m, headerSize)
	binary.NativeEndian.PutUint16(m[4:], kind)
	binary.NativeEndian.PutUint16(m[6:], unix.NLM_F_REQUEST|flags)
	binary.NativeEndian.PutUint32(m[8:], l.seq)
	return os.NewSyscallError("sendto", unix.Sendto(l.fd, m, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}))
}

const headerSize = 16

// Answer is what the kernel said to the last question, for which it waits that long
// at most. Records that come meanwhile go to each, which may be nil.
func (l *Listener) Answer(wait time.Duration, each func(Record)) (Status, error) {
	until := time.Now().Add(wait)
	for {
		if each == nil {
			l.next(nil)
		} else {
			l.Drain(each)
		}
		switch left := time.Until(until); {
		case l.told:
			return l.status, l.err
		case left <= 0:
			return Status{}, errNoAnswer
		default:
			l.Await(left)
		}
	}
}

var errNoAnswer = errors.New("the kernel does not say how auditing is set")

// Ask is a further question and its answer.
func (l *Listener) Ask(wait time.Duration, each func(Record)) (Status, error) {
	if err := l.ask(typeGet, 0); err != nil {
		return Status{}, err
	}
	return l.Answer(wait, each)
}

// Await waits for a message.
func (l *Listener) Await(most time.Duration) {
	ts := unix.NsecToTimespec(int64(max(most, 0)))
	unix.Ppoll([]unix.PollFd{{Fd: int32(l.fd), Events: unix.POLLIN}}, &ts, nil)
}

// roomOfRecords is what waits in the kernel, until Drain, in bytes of its own
// bookkeeping: some thousand records.
const roomOfRecords = 4 << 20

// Join has the kernel hand us its records of Landlock's from now on, those of
// everybody. Others are dropped before they take room. Only the first network
// namespace gets any, which the kernel does not say.
func (l *Listener) Join() error {
	program := l.filter()
	if err := unix.SetsockoptSockFprog(l.fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}); err != nil {
		return os.NewSyscallError("setsockopt", err)
	}
	// With CAP_NET_ADMIN as much as that, else what the host lets everybody have.
	if unix.SetsockoptInt(l.fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, roomOfRecords) != nil {
		unix.SetsockoptInt(l.fd, unix.SOL_SOCKET, unix.SO_RCVBUF, roomOfRecords)
	}
	l.buf = make([]byte, longestRecord)
	// By its number, since the question has given the socket an address already.
	const readLog = 1 // AUDIT_NLGRP_READLOG
	return os.NewSyscallError("setsockopt", unix.SetsockoptInt(l.fd, unix.SOL_NETLINK, unix.NETLINK_ADD_MEMBERSHIP, readLog))
}

// filter lets through what is read here, by the type in struct nlmsghdr, which is in
// the machine's order and which the filter loads in the network's.
func (l *Listener) filter() []unix.SockFilter {
	types := []uint16{typeError, typeGet, typeRefusal, typeDomain}
	program := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_H | unix.BPF_ABS, K: 4}}
	for i, t := range types {
		program = append(program, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: uint32(networkOrder(t)), Jt: uint8(len(types) - i)})
	}
	return append(program, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K}, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: ^uint32(0)})
}

func networkOrder(v uint16) uint16 {
	one := uint16(1)
	if *(*byte)(unsafe.Pointer(&one)) == 1 {
		return bits.ReverseBytes16(v)
	}
	return v
}

// answerSize is more than the answer to a question has.
const answerSize = 256

// longestRecord is more than the kernel makes (MAX_AUDIT_MESSAGE_LENGTH).
const longestRecord = 16 << 10

// Dropped says whether there were more records than there was room for.
func (l *Listener) Dropped() bool { return l.short }

// Drain reads what there is, without waiting.
func (l *Listener) Drain(each func(Record)) {
	for range mostAtOnce {
		if !l.next(each) {
			return
		}
	}
	l.short = true
}

// next reads one message. It is false if there is none.
func (l *Listener) next(each func(Record)) bool {
	n, from, err := unix.Recvfrom(l.fd, l.buf, 0)
	switch {
	case errors.Is(err, unix.EINTR):
		return true
	case errors.Is(err, unix.ENOBUFS):
		l.short = true
		return true
	case err != nil:
		return false
	}
	if k, ok := from.(*unix.SockaddrNetlink); ok && k.Pid == 0 { // the kernel
		l.take(l.buf[:n], each)
	}
	return true
}

// mostAtOnce bounds a Drain: it is several times what fits in roomOfRecords.
const mostAtOnce = 64 << 10

// take is one message.
func (l *Listener) take(m []byte, each func(Record)) {
	if len(m) < headerSize {
		return
	}
	body := m[headerSize:]
	kind, seq := binary.NativeEndian.Uint16(m[4:]), binary.NativeEndian.Uint32(m[8:])
	switch {
	case kind == typeGet && seq == l.seq && len(body) >= 8*4:
		word := func(i int) uint32 { return binary.NativeEndian.Uint32(body[4*i:]) }
		l.told, l.status = true, Status{On: word(1) != 0, Panics: word(2) == failPanic, RateLimit: word(4), Lost: word(6), Backlog: word(7)}
	case kind == typeError && seq == l.seq && len(body) >= 4:
		if errno := -int32(binary.NativeEndian.Uint32(body)); errno != 0 {
			l.told, l.err = true, unix.Errno(errno)
		} else {
			l.accepted = true
		}
	case each != nil && (kind == typeRefusal || kind == typeDomain):
		if r, ok := Parse(kind == typeDomain, string(body)); ok {
			each(r)
		}
	}
}

// failPanic is AUDIT_FAIL_PANIC.
const failPanic = 2
