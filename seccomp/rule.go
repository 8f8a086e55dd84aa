package seccomp

import (
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
)

func (a Action) String() string {
	switch a {
	case Deny:
		return "deny"
	case Allow:
		return "allow"
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
// they do not decide to p. Deny rules are asked before Allow rules, whatever
// the order in the list; among programs that were prepended to in turn, the
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
	groups, err := group(m, rules)
	if err != nil {
		return nil, err
	}
	stub := assemble(m, groups)
	if n := len(stub) + p.Len(); n > MaxLen {
		return nil, fmt.Errorf("seccomp: %d rules: make a filter of %d instructions, the kernel takes %d",
			len(rules), n, MaxLen)
	}
	return append(encode(stub), p...), nil
}

// A callRules is all rules for one call, Deny before Allow.
type callRules struct {
	nr          uint32
	deny, allow []Rule
}

// group checks the rules and sorts them by call, in the order in which the
// calls first appear.
func group(m machine, rules []Rule) ([]callRules, error) {
	var groups []callRules
	place := make(map[string]int)
	for i, rule := range rules {
		nr, ok := m.calls.Number(rule.Syscall)
		if !ok {
			return nil, fmt.Errorf("seccomp: rule %d: syscall %q: not a name in this architecture's table of Linux 7.2; "+
				"names are as in the kernel, such as \"flock\"", i, rule.Syscall)
		}
		if err := checkArgs(rule.Args); err != nil {
			return nil, fmt.Errorf("seccomp: rule %d: syscall %q: %w", i, rule.Syscall, err)
		}
		at, ok := place[rule.Syscall]
		if !ok {
			at = len(groups)
			place[rule.Syscall] = at
			groups = append(groups, callRules{nr: uint32(nr)})
		}
		switch rule.Action {
		case Deny:
			groups[at].deny = append(groups[at].deny, rule)
		case Allow:
			groups[at].allow = append(groups[at].allow, rule)
		default:
			return nil, fmt.Errorf("seccomp: rule %d: syscall %q: %v: want %v or %v",
				i, rule.Syscall, rule.Action, Allow, Deny)
		}
	}
	return groups, nil
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

// assemble makes the stub. Jumps over a call's rules and out of the stub are
// long ones (32 bits), so that no number of rules can wrap an offset; the short
// ones (8 bits) only leave one rule, which has a bounded length.
func assemble(m machine, groups []callRules) []instruction {
	stub := []instruction{
		{code: loadWord, k: offsetArch},
		{code: jumpEqual, jt: 1, k: m.audit},
		{code: jump}, // to the end, set below
		{code: loadWord, k: offsetNr},
	}
	leave := []int{2}
	for _, g := range groups {
		var body []instruction
		for _, rule := range append(g.deny, g.allow...) {
			body = append(body, ruleBody(rule)...)
		}
		// One more: the body ends with a jump out of the stub.
		stub = append(stub,
			instruction{code: jumpEqual, jt: 1, k: g.nr},
			instruction{code: jump, k: uint32(len(body) + 1)})
		stub = append(stub, body...)
		leave = append(leave, len(stub))
		stub = append(stub, instruction{code: jump})
	}
	for _, at := range leave {
		stub[at].k = uint32(len(stub) - at - 1)
	}
	return stub
}

// ruleBody answers when all conditions hold, and else goes on after itself.
func ruleBody(r Rule) []instruction {
	action := uint32(denied)
	if r.Action == Allow {
		action = unix.SECCOMP_RET_ALLOW
	}
	body := []instruction{{code: returnAction, k: action}}
	for _, a := range slices.Backward(r.Args) {
		// What follows is at most 16 instructions: an index occurs once.
		condition := []instruction{{code: loadWord, k: uint32(offsetArgs + 8*a.Index)}}
		if a.Mask != word {
			condition = append(condition, instruction{code: and, k: a.Mask})
		}
		condition = append(condition, instruction{code: jumpEqual, jf: uint8(len(body)), k: a.Value})
		body = append(condition, body...)
	}
	return body
}
