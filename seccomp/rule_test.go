package seccomp

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// decide is what the rules in front of a program that answers rest say to d.
func decide(m machine, rules []Rule, d data, rest uint32) uint32 {
	if d.arch != m.audit {
		return rest
	}
	answers := map[Action]uint32{Deny: eperm, Allow: allow, Absent: unix.SECCOMP_RET_USER_NOTIF | uint32(unix.ENOSYS)}
	for _, action := range []Action{Deny, Allow, Absent} {
		for _, r := range rules {
			if r.Action != action || m.calls.Name(int(d.nr)) != r.Syscall || r.Syscall == "" || !holds(r.Args, d) {
				continue
			}
			return answers[action]
		}
	}
	return rest
}

func holds(args []Arg, d data) bool {
	for _, a := range args {
		if uint32(d.args[a.Index])&a.Mask != a.Value {
			return false
		}
	}
	return true
}

func TestPrepend(t *testing.T) {
	tests := map[string][]Rule{
		"none":              nil,
		"allow":             {{Syscall: "flock", Action: Allow}},
		"zero is deny":      {{Syscall: "read"}},
		"deny before allow": {{Syscall: "kill", Action: Allow}, {Syscall: "kill"}},
		"deny one argument": {{Syscall: "kill", Args: []Arg{{1, word, 9}}}},
		"deny within allow": {
			{Syscall: "fcntl", Action: Allow},
			{Syscall: "fcntl", Args: []Arg{{1, word, 1024}}},
		},
		"allow before absent": append(Absences(), Rule{Syscall: "flock", Action: Allow}),
		"absent":              Absences(),
		"unix sockets":        UnixSockets(),
		"loopback":            Loopback(),
		"both": append(append(Loopback(), UnixSockets()...),
			Rule{Syscall: "socket", Args: []Arg{{0, word, 16}}}, Rule{Syscall: "listen"}),
	}
	for name, rules := range tests {
		t.Run(name, func(t *testing.T) {
			for _, f := range builtins(t) {
				p, err := f.program.prepend(f.machine, rules)
				if err != nil {
					t.Fatalf("prepend: %v", err)
				}
				compareStub(t, f, p, rules)
			}
		})
	}
}

// compareStub holds p, which is f with the rules in front, against the rules
// and the policy, over all numbers and the interesting arguments.
func compareStub(t *testing.T, f built, p Program, rules []Rule) {
	t.Helper()
	vm, policy := machineFor(t, p), state(f.machine)
	for nr := range uint32(1024) {
		for _, d := range []data{{nr: nr, arch: f.machine.audit}, {nr: nr | 0x40000000, arch: f.machine.audit}, {nr: nr}} {
			check(t, vm, d, decide(f.machine, rules, d, policy.verdict(d)))
		}
	}
	random := rand.New(rand.NewPCG(5, 6))
	tried := make(map[string]bool)
	for _, r := range rules {
		if tried[r.Syscall] {
			continue
		}
		tried[r.Syscall] = true
		nr, _ := f.machine.calls.Number(r.Syscall)
		for _, a := range interesting {
			for _, b := range interesting {
				c := interesting[random.IntN(len(interesting))]
				d := data{nr: uint32(nr), arch: f.machine.audit,
					args: [6]uint64{a, b | garbage[random.IntN(len(garbage))], c}}
				check(t, vm, d, decide(f.machine, rules, d, policy.verdict(d)))
			}
		}
	}
}

// TestPrependSockets says in words what the two sets open and what they do not.
func TestPrependSockets(t *testing.T) {
	const stream, dgram, raw, packet = 1, 2, 3, 5
	const flags = unix.SOCK_CLOEXEC | unix.SOCK_NONBLOCK
	tests := []struct {
		what           string
		args           [6]uint64
		loopback, unix uint32
	}{
		{"tcp", [6]uint64{2, stream, 0}, allow, nofamily},
		{"tcp by name", [6]uint64{2, stream | flags, 6}, allow, nofamily},
		{"tcp on IPv6", [6]uint64{10, stream | flags, 6}, allow, nofamily},
		{"udp", [6]uint64{2, dgram, 17}, allow, nofamily},
		{"mptcp", [6]uint64{2, stream, 262}, nofamily, nofamily},
		{"sctp", [6]uint64{2, stream, 132}, nofamily, nofamily},
		{"udp-lite", [6]uint64{2, dgram, 136}, nofamily, nofamily},
		{"ping", [6]uint64{2, dgram, 1}, nofamily, nofamily},
		{"raw", [6]uint64{2, raw, 255}, nofamily, nofamily},
		{"interfaces", [6]uint64{16, raw | flags, 0}, allow, nofamily},
		{"netfilter", [6]uint64{16, raw, 12}, nofamily, nofamily},
		{"audit", [6]uint64{16, raw, 9}, nofamily, nofamily},
		{"unix", [6]uint64{1, stream | flags, 0}, nofamily, allow},
		{"unix datagram", [6]uint64{1, dgram, 0}, nofamily, allow},
		{"unix packets", [6]uint64{1, packet, 0}, nofamily, allow},
		{"unix raw, which the kernel makes a datagram", [6]uint64{1, raw, 0}, nofamily, nofamily},
		{"vsock", [6]uint64{40, stream, 0}, nofamily, nofamily},
		{"alg", [6]uint64{38, packet, 0}, nofamily, nofamily},
		{"packet", [6]uint64{17, raw, 0x300}, nofamily, nofamily},
		{"bluetooth", [6]uint64{31, raw, 0}, nofamily, nofamily},
		{"tcp, garbage above", [6]uint64{7<<32 | 2, 7<<32 | stream, 7 << 32}, allow, nofamily},
		{"vsock, garbage above", [6]uint64{2<<32 | 40, stream, 0}, nofamily, nofamily},
	}
	for _, f := range builtins(t) {
		loopback, err := f.program.prepend(f.machine, Loopback())
		if err != nil {
			t.Fatal(err)
		}
		unixSockets, err := f.program.prepend(f.machine, UnixSockets())
		if err != nil {
			t.Fatal(err)
		}
		nr, _ := f.machine.calls.Number("socket")
		for _, tt := range tests {
			t.Run(f.goarch+" "+tt.what, func(t *testing.T) {
				d := data{nr: uint32(nr), arch: f.machine.audit, args: tt.args}
				check(t, machineFor(t, f.program), d, nofamily)
				check(t, machineFor(t, loopback), d, tt.loopback)
				check(t, machineFor(t, unixSockets), d, tt.unix)
			})
		}
	}
}

// TestPrependLong puts more than 255 instructions behind one comparison, where
// a short jump would wrap, and fills a program to the kernel's limit.
func TestPrependLong(t *testing.T) {
	for _, f := range builtins(t) {
		var rules []Rule
		for i := range uint32(100) {
			rules = append(rules, Rule{Syscall: "ioctl", Action: Allow, Args: []Arg{{1, word, 0x5412}, {2, word, i}}})
		}
		rules = append(rules, Rule{Syscall: "fchmod"})
		p, err := f.program.prepend(f.machine, rules)
		if err != nil {
			t.Fatal(err)
		}
		compareStub(t, f, p, rules)

		// Each denied use of kill is 3 instructions; the stub adds 7.
		room := (MaxLen - f.program.Len() - 7) / 3
		rules = make([]Rule, room)
		for i := range rules {
			rules[i] = Rule{Syscall: "kill", Args: []Arg{{1, word, uint32(i)}}}
		}
		p, err = f.program.prepend(f.machine, rules)
		if err != nil {
			t.Fatalf("%s: %d rules: %v", f.goarch, room, err)
		}
		vm, nr := machineFor(t, p), uint32(62)
		if f.goarch == "arm64" {
			nr = 129
		}
		for arg, want := range map[uint64]uint32{0: eperm, uint64(room) - 1: eperm, uint64(room): allow} {
			check(t, vm, data{nr: nr, arch: f.machine.audit, args: [6]uint64{1, arg}}, want)
		}
		_, err = f.program.prepend(f.machine, append(rules, Rule{Syscall: "kill", Args: []Arg{{1, word, 1 << 20}}}))
		if err == nil || !strings.Contains(err.Error(), "the kernel takes 4096") {
			t.Errorf("%s: %d rules: error %v, want one about 4096 instructions", f.goarch, room+1, err)
		}
	}
}

func TestPrependErrors(t *testing.T) {
	p := Reaper()
	tests := []struct {
		program Program
		rules   []Rule
		want    string
	}{
		{p, []Rule{{Syscall: "flok"}}, `rule 0: syscall "flok": not a name`},
		{p, []Rule{{Syscall: "read"}, {Syscall: ""}}, `rule 1: syscall "": not a name`},
		{p, []Rule{{Syscall: "READ"}}, `syscall "READ"`},
		{p, []Rule{{Syscall: "read", Action: 7}}, `syscall "read": action(7): want allow, deny or absent`},
		{p, []Rule{{Syscall: "read", Args: []Arg{{6, 1, 1}}}}, "argument 6: want 0 to 5"},
		{p, []Rule{{Syscall: "read", Args: []Arg{{-1, 1, 1}}}}, "argument -1: want 0 to 5"},
		{p, []Rule{{Syscall: "read", Args: []Arg{{1, 0, 0}}}}, "argument 1: mask 0"},
		{p, []Rule{{Syscall: "read", Args: []Arg{{1, 1, 3}}}}, "value 0x3: has bits outside mask 0x1"},
		{p, []Rule{{Syscall: "read", Args: []Arg{{1, 1, 1}, {1, 2, 2}}}}, "argument 1: has two conditions"},
		{nil, nil, "program of 0 bytes"},
		{p[:9], nil, "program of 9 bytes"},
	}
	for _, tt := range tests {
		got, err := tt.program.Prepend(tt.rules)
		if err == nil || !strings.Contains(err.Error(), tt.want) || got != nil {
			t.Errorf("Prepend(%v) = %d bytes, %v; want an error with %q", tt.rules, len(got), err, tt.want)
		}
	}
}

func TestBuiltin(t *testing.T) {
	p, err := Builtin(Default)
	const most = 206 // each adds to every start what the kernel takes to translate it
	if err != nil || p.Len() < 100 || p.Len() > most {
		t.Errorf("Builtin(%q) = %d instructions, %v; want at most %d", Default, p.Len(), err, most)
	}
	for _, name := range []string{"", "node", "Default"} {
		if _, err := Builtin(name); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", name)) {
			t.Errorf("Builtin(%q): error %v, want one that names it", name, err)
		}
	}
	// The caller owns what it gets.
	clear(p)
	if q, _ := Builtin(Default); q[0] == 0 {
		t.Error("changing a program changed the built-in one")
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{"read", "execve", "clone3", "newfstatat", "rseq_slice_yield"} {
		nr, ok := Number(name)
		if !ok || Name(nr) != name {
			t.Errorf("Number(%q) = %d, %v, and Name of it is %q", name, nr, ok, Name(nr))
		}
	}
	for _, nr := range []int{-1, 400, 472, 1 << 30} {
		if name := Name(nr); name != "" {
			t.Errorf("Name(%d) = %q, want none", nr, name)
		}
	}
	if nr, ok := Number(""); ok {
		t.Errorf("Number of no name = %d", nr)
	}
}
