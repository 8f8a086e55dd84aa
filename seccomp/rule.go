package seccomp

import (
	"cmp"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"
)

// A Rule says what becomes of one system call, ahead of a built-in policy.
type Rule struct {
	// Syscall is the call's kernel name, such as "flock".
	Syscall string
	// Action is what becomes of it. The zero value is Deny.
	Action Action
	// Args are conditions that must all hold, at most one for an argument. Without any, the rule decides
	// every use of the call: an Allow also lifts the argument checks that the
	// built-in policy makes of it.
	Args []Arg
}

// Action is what a Rule does.
type Action uint8

const (
	// Deny answers EPERM.
	Deny Action = iota
	// Allow lets the kernel carry the call out.
	Allow
	// Absent answers ENOSYS, and has a listener hear of it (Program.Observed).
	Absent
)

func (a Action) String() string {
	switch a {
	case Deny:
		return "deny"
	case Allow:
		return "allow"
	case Absent:
		return "absent"
	}
	return fmt.Sprintf("action(%d)", uint8(a))
}

// An Arg is a condition on one argument: its low word, cut to Mask, is Value.
// The high word is not looked at, as the kernel does not where its parameter
// has 32 bits. Conditions on pointers cannot be said.
type Arg struct {
	Index int    // 0 to 5
	Mask  uint32 // bits to compare; 0xffffffff for all
	Value uint32
}

// Prepend returns a program that decides by the rules first and leaves what
// they do not decide to p. Deny rules are asked before Allow rules and these before
// Absent ones, whatever the order in the list; among programs that were prepended to in turn, the
// last prepended is asked first, so a caller with several sets joins them in
// one list. Calls of a foreign architecture go to p, and so do x32's, whose
// numbers no rule has.
//
// It fails, naming the fault, on a call that this architecture does not have,
// on an impossible argument, and on a program of more than MaxLen instructions.
func (p Program) Prepend(rules []Rule) (Program, error) { return p.prepend(native(), rules) }

func (p Program) prepend(m machine, rules []Rule) (Program, error) {
	if len(p) == 0 || len(p)%instructionSize != 0 {
		return nil, fmt.Errorf("seccomp: program of %d bytes: want one or more instructions of %d bytes",
			len(p), instructionSize)
	}
	if len(rules) == 0 {
		return p, nil
	}
	sorted, err := number(m, rules)
	if err != nil {
		return nil, err
	}
	length := stubLen(sorted)
	if n := length + p.Len(); n > MaxLen {
		return nil, fmt.Errorf("seccomp: %d rules: make a filter of %d instructions, the kernel takes %d",
			len(rules), n, MaxLen)
	}
	// One piece of memory: at start each further one costs a page fault.
	stub := make(Program, 0, length*instructionSize+len(p))
	return append(assemble(stub, m, sorted, length), p...), nil
}

// A numbered rule is one that was checked, and its call.
type numbered struct {
	nr   uint32
	rule *Rule
}

// number checks the rules and sorts them by call, and within a call Deny before
// Allow before Absent.
func number(m machine, rules []Rule) ([]numbered, error) {
	sorted := make([]numbered, len(rules))
	for i := range rules {
		rule := &rules[i]
		nr, ok := m.calls.Number(rule.Syscall)
		if !ok {
			return nil, fmt.Errorf("seccomp: rule %d: syscall %q: not a name in this architecture's table of Linux 7.2; "+
				"names are as in the kernel, such as \"flock\"", i, rule.Syscall)
		}
		if err := checkArgs(rule.Args); err != nil {
			return nil, fmt.Errorf("seccomp: rule %d: syscall %q: %w", i, rule.Syscall, err)
		}
		if rule.Action > Absent {
			return nil, fmt.Errorf("seccomp: rule %d: syscall %q: %v: want %v, %v or %v",
				i, rule.Syscall, rule.Action, Allow, Deny, Absent)
		}
		sorted[i] = numbered{uint32(nr), rule}
	}
	slices.SortStableFunc(sorted, func(a, b numbered) int {
		return cmp.Or(cmp.Compare(a.nr, b.nr), cmp.Compare(a.rule.Action, b.rule.Action))
	})
	return sorted, nil
}

func checkArgs(args []Arg) error {
	var seen [6]bool
	for _, a := range args {
		if a.Index < 0 || a.Index > 5 {
			return fmt.Errorf("argument %d: want 0 to 5", a.Index)
		}
		if seen[a.Index] {
			return fmt.Errorf("argument %d: has two conditions: want one, with the mask of both", a.Index)
		}
		seen[a.Index] = true
		if a.Mask == 0 {
			return fmt.Errorf("argument %d: mask 0: want the bits to compare, such as 0xffffffff", a.Index)
		}
		if a.Value&^a.Mask != 0 {
			return fmt.Errorf("argument %d: value %#x: has bits outside mask %#x, so it never matches",
				a.Index, a.Value, a.Mask)
		}
	}
	return nil
}

// The instructions of a stub besides its rules' own.
const (
	stubHead = 4 // the architecture's check, and loading the number
	callHead = 2 // is it this call; if not, on to the next
	callTail = 1 // out of the stub, where no rule has decided
)

func stubLen(rules []numbered) int {
	n := stubHead
	for i, r := range rules {
		if i == 0 || r.nr != rules[i-1].nr {
			n += callHead + callTail
		}
		n += r.rule.len()
	}
	return n
}

// assemble appends to stub, which is empty, the rules' length instructions.
// Jumps over a call's rules and out of the stub are long ones (32 bits), so that
// no number of rules can wrap an offset; the short ones (8 bits) only leave one
// rule, which has a bounded length.
func assemble(stub Program, m machine, rules []numbered, length int) Program {
	leave := func() instruction { return instruction{code: jumpAlways, k: uint32(length - stub.Len() - 1)} }
	stub = stub.add(instruction{code: loadWord, k: offsetArch})
	stub = stub.add(instruction{code: jumpEqual, jt: 1, k: m.audit})
	stub = stub.add(leave())
	stub = stub.add(instruction{code: loadWord, k: offsetNr})
	for len(rules) > 0 {
		nr, n, body := rules[0].nr, 0, callTail
		for ; n < len(rules) && rules[n].nr == nr; n++ {
			body += rules[n].rule.len()
		}
		stub = stub.add(instruction{code: jumpEqual, jt: 1, k: nr})
		stub = stub.add(instruction{code: jumpAlways, k: uint32(body)})
		for _, r := range rules[:n] {
			stub = r.rule.assemble(stub)
		}
		stub = stub.add(leave())
		rules = rules[n:]
	}
	return stub
}

// len is how many instructions r has, at most 19: an index occurs once.
func (r *Rule) len() int {
	n := 1
	for _, a := range r.Args {
		n += a.len()
	}
	return n
}

func (a Arg) len() int {
	if a.Mask == word {
		return 2
	}
	return 3
}

// assemble appends instructions that answer when all conditions hold, and else
// go on after themselves.
func (r *Rule) assemble(p Program) Program {
	left := r.len()
	for _, a := range r.Args {
		left -= a.len()
		p = p.add(instruction{code: loadWord, k: uint32(offsetArgs + 8*a.Index)})
		if a.Mask != word {
			p = p.add(instruction{code: and, k: a.Mask})
		}
		p = p.add(instruction{code: jumpEqual, jf: uint8(left), k: a.Value})
	}
	answer := [...]uint32{Deny: denied, Allow: unix.SECCOMP_RET_ALLOW, Absent: notifying(uint32(unix.ENOSYS))}[r.Action]
	return p.add(instruction{code: returnAction, k: answer})
}
