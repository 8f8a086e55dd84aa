package seccomp

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// A Traced is a call of which a listener is to hear although it is allowed.
type Traced struct {
	// Syscall is the call's kernel name. One that this architecture does not have
	// is left out.
	Syscall string
	// Unless, if its Mask is not 0, leaves out the calls in whose argument any of
	// these bits is set. Value means nothing.
	Unless Arg
}

// Traced is p with some of the calls that it allows put to a listener: where p
// would answer ALLOW to one of them it is USER_NOTIF without an errno, and whoever
// listens is to have it go on ([Program.GoesOn]). No other answer changes, and
// what p allows is decided as before, by the kernel and in the program's own
// instructions: the listener decides nothing.
func (p Program) Traced(calls []Traced) (Program, error) { return p.traced(native(), calls) }

func (p Program) traced(m machine, calls []Traced) (Program, error) {
	tail, err := traceTail(m, calls)
	if err != nil {
		return nil, err
	}
	return p.before(tail)
}

// traceTail is what the allowed calls jump to. p has seen to the architecture.
func traceTail(m machine, calls []Traced) (Program, error) {
	p := Program(nil).add(instruction{code: loadWord, k: offsetNr})
	for _, c := range calls {
		nr, ok := m.calls.Number(c.Syscall)
		if !ok {
			continue
		}
		if c.Unless.Mask == 0 {
			p = p.add(instruction{code: jumpEqual, jf: 1, k: uint32(nr)})
			p = p.add(instruction{code: returnAction, k: notifying(0)})
			continue
		}
		if c.Unless.Index < 0 || c.Unless.Index > 5 {
			return nil, fmt.Errorf("seccomp: traced %q: argument %d: want 0 to 5", c.Syscall, c.Unless.Index)
		}
		p = p.add(instruction{code: jumpEqual, jf: 4, k: uint32(nr)})
		p = p.add(instruction{code: loadWord, k: uint32(offsetArgs + 8*c.Unless.Index)})
		p = p.add(instruction{code: jumpAnySet, jt: 1, k: c.Unless.Mask})
		p = p.add(instruction{code: returnAction, k: notifying(0)})
		p = p.add(instruction{code: returnAction, k: unix.SECCOMP_RET_ALLOW})
	}
	return p.add(instruction{code: returnAction, k: unix.SECCOMP_RET_ALLOW}), nil
}

// GoesOn says whether a call of which p's listener has heard is one that p allows,
// which was traced.
func (p Program) GoesOn(nr int32, arch uint32, args [6]uint64) bool {
	action, ok := p.Action(nr, arch, args)
	return ok && action == notifying(0)
}
