package seccomp

import (
	"encoding/binary"
	"fmt"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// NewListener is the flag of seccomp(2) that makes a listener, and WaitKillable
// the one, of Linux 5.19, that keeps signals from interrupting a call of which the
// listener has heard.
const (
	NewListener  = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER
	WaitKillable = unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
)

// Observed is p with its refusals put to a listener (seccomp_unotify(2)): each
// answer of an errno but ENOSYS becomes SECCOMP_RET_USER_NOTIF, with the errno
// left in the data, which the kernel does not look at. Whoever listens answers
// with [Program.Refusal], so that a caller is told the same by both programs.
//
// ENOSYS stays: it is what every program's first try of a newer call is answered,
// and it is often tried. Of the few that people ask about Absences has the
// listener hear.
//
// A program's own filter is asked besides, and of two that answer USER_NOTIF the
// newer one is heard: a listener of the box's own could let a call go on. So the
// built-in policy refuses NEW_LISTENER, and so must whatever is prepended to a
// program that is observed.
func (p Program) Observed() Program {
	o := slices.Clone(p)
	for at := 0; at+instructionSize <= len(o); at += instructionSize {
		if i := o.at(at); i.code == returnAction && refuses(i.k) {
			binary.LittleEndian.PutUint32(o[at+4:], notifying(i.k&unix.SECCOMP_RET_DATA))
		}
	}
	return o
}

// replace has p answer one thing in place of another.
func (p Program) replace(answer, by uint32) {
	for at := 0; at+instructionSize <= len(p); at += instructionSize {
		if i := p.at(at); i.code == returnAction && i.k == answer {
			binary.LittleEndian.PutUint32(p[at+4:], by)
		}
	}
}

// before is p with a piece behind it that decides about what p allows: each
// instruction that allows becomes a jump there, as long as what it replaces. No
// other answer changes.
func (p Program) before(tail Program) (Program, error) {
	if n := p.Len() + tail.Len(); n > MaxLen {
		return nil, fmt.Errorf("seccomp: a filter of %d instructions: the kernel takes %d", n, MaxLen)
	}
	o := slices.Clone(p)
	for at := 0; at+instructionSize <= len(o); at += instructionSize {
		if i := o.at(at); i.code == returnAction && i.k == unix.SECCOMP_RET_ALLOW {
			binary.LittleEndian.PutUint16(o[at:], jumpAlways)
			binary.LittleEndian.PutUint32(o[at+4:], uint32((len(o)-at)/instructionSize-1))
		}
	}
	return append(o, tail...), nil
}

func refuses(action uint32) bool {
	return action&unix.SECCOMP_RET_ACTION_FULL == unix.SECCOMP_RET_ERRNO && action&unix.SECCOMP_RET_DATA != uint32(unix.ENOSYS)
}

func notifying(errno uint32) uint32 { return unix.SECCOMP_RET_USER_NOTIF | errno }

// Absences are rules that have a listener hear of the calls whose answer is ENOSYS
// and whose absence programs don't just go on from: locks and kernel AIO. Where
// nobody listens the kernel gives the same answer.
func Absences() []Rule {
	return []Rule{{Syscall: "flock", Action: Absent}, {Syscall: "io_setup", Action: Absent}, {Syscall: "io_submit", Action: Absent}}
}

// Refusal is the errno with which a call is to be answered of which p's listener
// has heard. It is never 0: for a call that p does not leave to a listener it is
// EPERM.
func (p Program) Refusal(nr int32, arch uint32, args [6]uint64) syscall.Errno {
	action, ok := p.Action(nr, arch, args)
	if ok && action&unix.SECCOMP_RET_ACTION_FULL == unix.SECCOMP_RET_USER_NOTIF && action&unix.SECCOMP_RET_DATA != 0 {
		return syscall.Errno(action & unix.SECCOMP_RET_DATA)
	}
	return unix.EPERM
}

// Action is what p answers to a call: one of SECCOMP_RET_… with its data
// (seccomp(2)). It is not ok if p does what no program of this package does.
func (p Program) Action(nr int32, arch uint32, args [6]uint64) (action uint32, ok bool) {
	var accumulator uint32
	for at := 0; at >= 0 && at+instructionSize <= len(p); {
		i := p.at(at)
		jump := uint64(0)
		switch i.code {
		case returnAction:
			return i.k, true
		case loadWord:
			if accumulator, ok = wordAt(i.k, nr, arch, args); !ok {
				return 0, false
			}
		case and:
			accumulator &= i.k
		case jumpAlways:
			jump = uint64(i.k)
		case jumpEqual:
			jump = i.branch(accumulator == i.k)
		case jumpGreater:
			jump = i.branch(accumulator > i.k)
		case jumpAnySet:
			jump = i.branch(accumulator&i.k != 0)
		default:
			return 0, false
		}
		if jump >= uint64(len(p)) {
			return 0, false
		}
		at += (1 + int(jump)) * instructionSize
	}
	return 0, false
}

// wordAt reads a word of struct seccomp_data.
func wordAt(offset uint32, nr int32, arch uint32, args [6]uint64) (uint32, bool) {
	switch {
	case offset == offsetNr:
		return uint32(nr), true
	case offset == offsetArch:
		return arch, true
	case offset < offsetArgs || offset >= offsetArgs+8*6 || offset%4 != 0:
		return 0, false
	}
	arg := args[(offset-offsetArgs)/8]
	return uint32(arg >> (8 * (offset % 8))), true
}

// branch is how many instructions a conditional jump skips.
func (i instruction) branch(taken bool) uint64 {
	if taken {
		return uint64(i.jt)
	}
	return uint64(i.jf)
}

// at is the instruction at an offset in bytes.
func (p Program) at(offset int) instruction {
	b := p[offset : offset+instructionSize]
	return instruction{code: binary.LittleEndian.Uint16(b), jt: b[2], jf: b[3], k: binary.LittleEndian.Uint32(b[4:])}
}
