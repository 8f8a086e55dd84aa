package policy

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/seccomp/internal/calls"
)

// TestEveryCallIsDecided: each name of Linux 7.2's tables stands in exactly one
// group, and no group has a name that is in neither table.
func TestEveryCallIsDecided(t *testing.T) {
	places := make(map[string]int)
	var groups []Group
	groups = append(groups, Allowed()...)
	groups = append(groups, Denied()...)
	groups = append(groups, Missing()...)
	for _, c := range Checked() {
		groups = append(groups, Group{c.Why, c.Calls})
	}
	for _, g := range groups {
		if g.Why == "" {
			t.Errorf("%s: no reason given", g.Calls)
		}
		for _, name := range strings.Fields(g.Calls) {
			places[name]++
			_, x86 := calls.X86_64.Number(name)
			_, arm := calls.AArch64.Number(name)
			if !x86 && !arm {
				t.Errorf("%s: not a system call of Linux 7.2", name)
			}
		}
	}
	for _, name := range slices.Concat(calls.X86_64, calls.AArch64) {
		if name != "" && places[name] != 1 {
			t.Errorf("%s: in %d groups, want 1", name, places[name])
		}
	}
}

// What may be given by name is refused, and each refusal has its reason.
func TestReasons(t *testing.T) {
	var refused []string
	for _, g := range append(Denied(), Missing()...) {
		refused = append(refused, strings.Fields(g.Calls)...)
	}
	for _, c := range Checked() {
		if why := Why(strings.Fields(c.Calls)[0]); why != c.Why {
			t.Errorf("Why(%s) = %q, want %q", c.Calls, why, c.Why)
		}
	}
	for _, name := range refused {
		if Why(name) == "" {
			t.Errorf("Why(%s) is empty", name)
		}
	}
	for _, g := range Allowed() {
		for _, name := range strings.Fields(g.Calls) {
			if Why(name) != "" || ByName(name) {
				t.Errorf("%s is allowed: Why %q, ByName %v", name, Why(name), ByName(name))
			}
		}
	}
	for _, name := range []string{"unshare", "setns", "mount", "keyctl", "bpf", "open_by_handle_at", "clone3", "io_uring_setup", "mkdir", "clone"} {
		if ByName(name) {
			t.Errorf("ByName(%s): it opens a wall", name)
		}
	}
}

// answer is what c's rows say, read from the top.
func (c Check) answer(args [6]uint64) Verdict {
	for _, row := range c.Rows {
		if !slices.ContainsFunc(row.When, func(t Test) bool { return !slices.Contains(t.In, args[t.Arg]&t.Mask) }) {
			return row.Then
		}
	}
	return c.Else
}

func (c Clause) matches(args [6]uint64) bool {
	for i, bits := range c.Args {
		if (args[i]&bits.Mask == bits.Value) == bits.Not {
			return false
		}
	}
	return true
}

// TestClauses: on any arguments at most one clause matches, and it says what
// the rows say.
func TestClauses(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, c := range Checked() {
		clauses := c.Clauses()
		for range 20000 {
			args := arguments(random, c)
			got, matches := Absent, 0
			for _, clause := range clauses {
				if clause.matches(args) {
					got = clause.Verdict
					matches++
				}
			}
			if want := c.answer(args); got != want || matches > 1 {
				t.Errorf("%s(%#x): %d clauses answer %d, want %d", c.Calls, args, matches, got, want)
			}
		}
	}
}

// arguments are random bits, and for each test of c, often one of its values
// or one bit beside it.
func arguments(random *rand.Rand, c Check) [6]uint64 {
	var args [6]uint64
	for i := range args {
		args[i] = random.Uint64() & random.Uint64()
	}
	for _, row := range c.Rows {
		for _, test := range row.When {
			if random.IntN(3) == 0 {
				continue
			}
			v := test.In[random.IntN(len(test.In))]
			if random.IntN(2) == 0 {
				v ^= 1 << random.IntN(32)
			}
			args[test.Arg] = args[test.Arg]&^test.Mask | v&test.Mask
		}
	}
	return args
}
