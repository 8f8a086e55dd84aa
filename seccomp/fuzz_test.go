package seccomp

import (
	"encoding/binary"
	"testing"
)

// FuzzPrepend makes rules of bytes and holds the program against the rules'
// plain meaning, on every number that they name.
func FuzzPrepend(f *testing.F) {
	f.Add([]byte{0, 1, 0, 0}, uint64(0), uint64(0))
	f.Add([]byte{41, 1, 2, 0, 0xff, 0xff, 2, 0, 1, 0xf, 0, 1, 0, 41, 0, 0}, uint64(2), uint64(1))
	f.Fuzz(func(t *testing.T, b []byte, arg0, arg1 uint64) {
		if len(b) > 1<<10 {
			return // more of the same, and the plain meaning takes quadratic time
		}
		rules := rulesOf(b)
		for _, m := range []machine{amd64(), arm64()} {
			rest := reaper(m)
			p, err := rest.prepend(m, rules)
			if err != nil {
				continue
			}
			before, after := machineFor(t, rest), machineFor(t, p)
			for _, r := range rules {
				nr, _ := m.calls.Number(r.Syscall)
				d := data{nr: uint32(nr), arch: m.audit, args: [6]uint64{arg0, arg1, arg0, arg1, arg1, arg0}}
				old, err := interpret(before, d)
				if err != nil {
					t.Fatal(err)
				}
				check(t, after, d, decide(m, rules, d, old))
			}
		}
	})
}

// rulesOf reads rules: a number, an action, a count of conditions, and for each
// condition its index, mask and value. Impossible ones are kept.
func rulesOf(b []byte) []Rule {
	var rules []Rule
	for len(b) >= 3 {
		rule := Rule{Syscall: arm64().calls.Name(int(b[0])), Action: Action(b[1])}
		conditions := int(b[2] % 8)
		b = b[3:]
		for range conditions {
			if len(b) < 5 {
				break
			}
			rule.Args = append(rule.Args, Arg{
				Index: int(int8(b[0])),
				Mask:  uint32(binary.LittleEndian.Uint16(b[1:])),
				Value: uint32(binary.LittleEndian.Uint16(b[3:])),
			})
			b = b[5:]
		}
		rules = append(rules, rule)
	}
	return rules
}
