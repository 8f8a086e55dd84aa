package seccomp

import (
	"math/rand/v2"
	"syscall"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// watched is a program as boxes have it: the policy below rules of all kinds.
func watched(t testing.TB, f built) Program {
	t.Helper()
	rules := append(append(Loopback(), Absences()...), Rule{Syscall: "listen"}, Rule{Syscall: "ptrace", Action: Allow},
		Rule{Syscall: "fcntl", Args: []Arg{{1, word, unix.F_SETOWN}}})
	p, err := f.program.prepend(f.machine, rules)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// everywhere calls try with calls of every number, with and without x32's bit, of
// every architecture, and with the arguments on which the policy turns.
func everywhere(m machine, try func(d data)) {
	random := rand.New(rand.NewPCG(7, 8))
	for nr := range uint32(1024) {
		for _, arch := range []uint32{m.audit, unix.AUDIT_ARCH_I386, unix.AUDIT_ARCH_ARM, unix.AUDIT_ARCH_X86_64, unix.AUDIT_ARCH_AARCH64, 0} {
			try(data{nr: nr, arch: arch})
			try(data{nr: nr | 0x40000000, arch: arch})
		}
		for range 40 {
			d := data{nr: nr, arch: m.audit}
			for i := range d.args {
				d.args[i] = interesting[random.IntN(len(interesting))] | garbage[random.IntN(len(garbage))]
			}
			try(d)
		}
	}
	for name, args := range checked() {
		nr, _ := m.calls.Number(name)
		for _, arg := range args {
			for _, v := range interesting {
				for _, w := range interesting {
					d := data{nr: uint32(nr), arch: m.audit, args: [6]uint64{w, w, w, w, w, w}}
					d.args[arg] = v
					try(d)
				}
			}
		}
	}
}

// Our own interpreter answers what x/net's does, on every program of this package.
func TestActionIsTheInterpreters(t *testing.T) {
	for _, f := range builtins(t) {
		for name, p := range map[string]Program{
			"policy": f.program, "watched": watched(t, f), "observed": watched(t, f).Observed(),
			"self": self(f.machine, true, true), "reaper": reaper(f.machine),
		} {
			vm := machineFor(t, p)
			everywhere(f.machine, func(d data) {
				got, ok := p.Action(int32(d.nr), d.arch, d.args)
				if want, err := interpret(vm, d); !ok || err != nil || got != want {
					t.Errorf("%s of %s: Action(%d, %#x, %#x) = %#x, %v, want %#x (%v)", name, f.goarch, d.nr, d.arch, d.args, got, ok, want, err)
				}
			})
		}
	}
}

// Observing moves refusals to the listener, each with its errno, and nothing else:
// what is allowed, killed or absent is that as before, and nothing besides is.
func TestObservedChangesOnlyWhoRefuses(t *testing.T) {
	for _, f := range builtins(t) {
		plain := watched(t, f)
		before, after := machineFor(t, plain), machineFor(t, plain.Observed())
		seen := map[uint32]int{}
		everywhere(f.machine, func(d data) {
			old, err := interpret(before, d)
			if err != nil {
				t.Fatal(err)
			}
			want := old
			switch old {
			case eperm, nofamily:
				want = unix.SECCOMP_RET_USER_NOTIF | old&unix.SECCOMP_RET_DATA
			}
			check(t, after, d, want)
			seen[want]++
			if want&unix.SECCOMP_RET_ACTION_FULL != unix.SECCOMP_RET_USER_NOTIF {
				return
			}
			if got := plain.Observed().Refusal(int32(d.nr), d.arch, d.args); got != syscall.Errno(want&unix.SECCOMP_RET_DATA) {
				t.Errorf("Refusal(%d, %#x) = %d, want %#x's", d.nr, d.args, got, want)
			}
		})
		for _, action := range []uint32{allow, kill, enosys, notifying(uint32(unix.EPERM)), notifying(uint32(unix.EAFNOSUPPORT)), notifying(uint32(unix.ENOSYS))} {
			if seen[action] == 0 {
				t.Errorf("%s: no call was answered %#x", f.goarch, action)
			}
		}
	}
}

// Whatever a listener hears of is refused, also what should not have come to it.
func TestRefusalIsNeverNothing(t *testing.T) {
	p := Program{}.add(instruction{code: returnAction, k: unix.SECCOMP_RET_ALLOW})
	loop := Program{}.add(instruction{code: jumpAlways, k: 0xffffffff})
	notify := Program{}.add(instruction{code: returnAction, k: unix.SECCOMP_RET_USER_NOTIF})
	pointer := Program{}.add(instruction{code: loadWord, k: 8}).add(instruction{code: returnAction, k: notifying(1)})
	store := Program{}.add(instruction{code: unix.BPF_ST}).add(instruction{code: returnAction, k: notifying(1)})
	for name, p := range map[string]Program{"none": nil, "allow": p, "past the end": loop, "no errno": notify, "the instruction's address": pointer, "an instruction of no filter here": store, "half of one": p[:4]} {
		if got := p.Refusal(1, 2, [6]uint64{}); got != unix.EPERM {
			t.Errorf("%s: Refusal = %v, want EPERM", name, got)
		}
	}
}

// No instruction more: an allowed call costs the same.
func TestObservedIsNoLonger(t *testing.T) {
	for _, f := range builtins(t) {
		if p := watched(t, f); p.Observed().Len() != p.Len() {
			t.Errorf("%s: %d instructions, observed %d", f.goarch, p.Len(), p.Observed().Len())
		}
	}
}

// FuzzAction holds the interpreter against x/net's on programs of any bytes that
// are valid ones.
func FuzzAction(f *testing.F) {
	f.Add([]byte(watched(f, builtins(f)[0]).Observed()), uint32(41), uint64(2), uint64(1))
	f.Fuzz(func(t *testing.T, b []byte, nr uint32, arg0, arg1 uint64) {
		p := Program(b[:len(b)/instructionSize*instructionSize])
		if p.Len() > 256 {
			return
		}
		d := data{nr: nr, arch: unix.AUDIT_ARCH_X86_64, args: [6]uint64{arg0, arg1, arg0, arg1, arg1, arg0}}
		got, ok := p.Action(int32(d.nr), d.arch, d.args)
		if !ok {
			return
		}
		vm, err := tryMachine(p)
		if err != nil {
			return
		}
		if want, err := interpret(vm, d); err != nil || want != got {
			t.Errorf("Action = %#x, want %#x (%v)", got, want, err)
		}
	})
}

func tryMachine(p Program) (*bpf.VM, error) {
	raw := make([]bpf.RawInstruction, p.Len())
	for i := range raw {
		in := p.at(i * instructionSize)
		raw[i] = bpf.RawInstruction{Op: in.code, Jt: in.jt, Jf: in.jf, K: in.k}
	}
	program, _ := bpf.Disassemble(raw)
	return bpf.NewVM(program)
}
