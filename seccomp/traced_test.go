package seccomp

import (
	"testing"

	"golang.org/x/sys/unix"
)

// Traced, a program answers every call as before but for those that it allowed and
// is to tell of.
func TestTracedChangesNoAnswer(t *testing.T) {
	traced := []Traced{{Syscall: "open"}, {Syscall: "openat"}, {Syscall: "execve"}, {Syscall: "connect"},
		{Syscall: "newfstatat", Unless: Arg{Index: 3, Mask: 0x1000}}, {Syscall: "mkdirat"}, {Syscall: "ptrace"}}
	for _, f := range builtins(t) {
		p := watched(t, f)
		for name, before := range map[string]Program{"plain": p, "observed": p.Observed()} {
			after, err := before.traced(f.machine, traced)
			if err != nil {
				t.Fatal(err)
			}
			told := map[string]int{}
			everywhere(f.machine, func(d data) {
				was, _ := before.Action(int32(d.nr), d.arch, d.args)
				is, ok := after.Action(int32(d.nr), d.arch, d.args)
				if !ok {
					t.Fatalf("%s: Action(%d) is not ok", name, d.nr)
				}
				call := f.machine.calls.Name(int(d.nr))
				listed := d.arch == f.machine.audit && was == unix.SECCOMP_RET_ALLOW && isTraced(traced, call, d.args)
				switch {
				case listed && is == notifying(0):
					told[call]++
				case listed || is != was:
					t.Fatalf("%s: %s %v is answered %#x, and %#x traced", name, call, d.args, was, is)
				}
				if after.GoesOn(int32(d.nr), d.arch, d.args) != (is == notifying(0)) {
					t.Fatalf("%s: GoesOn(%s) is not what the program says", name, call)
				}
			})
			for _, call := range []string{"openat", "execve", "connect", "newfstatat"} {
				if _, ok := f.machine.calls.Number(call); ok && told[call] == 0 {
					t.Errorf("%s: nothing told of %s", name, call)
				}
			}
		}
	}
}

func isTraced(traced []Traced, call string, args [6]uint64) bool {
	for _, c := range traced {
		if c.Syscall == call {
			return c.Unless.Mask == 0 || uint32(args[c.Unless.Index])&c.Unless.Mask == 0
		}
	}
	return false
}
