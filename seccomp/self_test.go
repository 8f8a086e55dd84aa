package seccomp

import (
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// What names oneself is allowed, whatever lies above the low word of a number;
// what names another is not, and for pointers both words count.
func TestSelf(t *testing.T) {
	const high = 1 << 32
	for _, m := range []machine{amd64(), arm64()} {
		for _, strict := range []bool{false, true} {
			vm := machineFor(t, self(m, strict, strict))
			other := uint32(denied)
			if !strict {
				other = unix.SECCOMP_RET_ALLOW
			}
			const unsupported = unix.SECCOMP_RET_ERRNO | uint32(unix.EOPNOTSUPP)
			for _, c := range []struct {
				call string
				args [6]uint64
				want uint32
			}{
				{"prlimit64", [6]uint64{0, 7, 1}, unix.SECCOMP_RET_ALLOW},
				{"prlimit64", [6]uint64{high, 7, 1}, unix.SECCOMP_RET_ALLOW},
				{"prlimit64", [6]uint64{4711, 7, 1}, denied},
				{"sched_setscheduler", [6]uint64{4711}, denied},
				{"sched_setparam", [6]uint64{4711}, denied},
				{"sched_setaffinity", [6]uint64{0, 8}, unix.SECCOMP_RET_ALLOW},
				{"sched_setaffinity", [6]uint64{4711, 8}, denied},
				{"sched_setattr", [6]uint64{4711}, denied},
				{"setpriority", [6]uint64{1, 0, 5}, unix.SECCOMP_RET_ALLOW},
				{"setpriority", [6]uint64{0, 4711, 5}, denied},
				{"ioprio_set", [6]uint64{1, 0, 5}, unix.SECCOMP_RET_ALLOW},
				{"ioprio_set", [6]uint64{1, 4711, 5}, denied},
				{"utimensat", [6]uint64{3, 0, 0}, unix.SECCOMP_RET_ALLOW},
				{"utimensat", [6]uint64{3, 0x1000, 0}, denied},
				{"utimensat", [6]uint64{3, high, 0}, denied},
				{"utimensat", [6]uint64{3, 0, 0x1000}, other},
				{"utimensat", [6]uint64{3, 0, high}, other},
				{"utimensat", [6]uint64{3, 0x1000, 0x1000}, denied},
				{"getxattr", [6]uint64{0x1000, 0x1000}, unsupported},
				{"lgetxattr", [6]uint64{0x1000, 0x1000}, unsupported},
				{"listxattr", [6]uint64{0x1000, 0x1000}, unsupported},
				{"llistxattr", [6]uint64{0x1000, 0x1000}, unsupported},
				{"fgetxattr", [6]uint64{3, 0x1000}, unix.SECCOMP_RET_ALLOW},
				{"kill", [6]uint64{0, 9}, unix.SECCOMP_RET_ALLOW},
				{"kill", [6]uint64{4711, 9}, other},
				{"kill", [6]uint64{0xffffffff, 9}, other},
				{"read", [6]uint64{4711, 4711, 4711}, unix.SECCOMP_RET_ALLOW},
			} {
				nr, ok := m.calls.Number(c.call)
				if !ok {
					t.Fatalf("%s is no call", c.call)
				}
				check(t, vm, data{uint32(nr), m.audit, c.args}, c.want)
				// Of another architecture it says nothing: the policy kills those.
				check(t, vm, data{uint32(nr), m.audit ^ 1, c.args}, unix.SECCOMP_RET_ALLOW)
			}
		}
	}
}

// One filter answers what two in a row do, and a listener hears of what that denies
// and is to answer the same.
func TestWithSelf(t *testing.T) {
	policy, err := Builtin(Default)
	if err != nil {
		t.Fatal(err)
	}
	denying, err := policy.Prepend([]Rule{{Syscall: "getxattr"}, {Syscall: "utimensat"}, {Syscall: "prlimit64", Action: Allow}})
	if err != nil {
		t.Fatal(err)
	}
	m := native()
	for _, p := range []Program{policy, denying} {
		for _, strict := range []bool{false, true} {
			one, err := p.WithSelf(strict, strict, false)
			if err != nil {
				t.Fatal(err)
			}
			heard, err := p.Observed().WithSelf(strict, strict, true)
			if err != nil {
				t.Fatal(err)
			}
			both := []*bpf.VM{machineFor(t, p), machineFor(t, self(m, strict, strict))}
			single, listened := machineFor(t, one), machineFor(t, heard)
			for nr := range uint32(480) {
				for _, arch := range []uint32{m.audit, m.audit ^ 1} {
					for _, args := range [][6]uint64{{}, {1, 1, 1}, {4711, 0x1000, 0x1000}, {3, 0, 0x1000}, {0, 4711}, {1 << 32, 1 << 32, 1 << 32}} {
						d := data{nr, arch, args}
						want := answer(t, both[0], d)
						if want == unix.SECCOMP_RET_ALLOW {
							want = answer(t, both[1], d)
						}
						if got := answer(t, single, d); got != want {
							t.Fatalf("call %d %v: %#x, want %#x", nr, args, got, want)
						}
						told := answer(t, listened, d)
						if refuses(want) && want&unix.SECCOMP_RET_DATA != uint32(unix.EOPNOTSUPP) {
							want = notifying(want & unix.SECCOMP_RET_DATA)
						}
						if told != want {
							t.Fatalf("call %d %v, with a listener: %#x, want %#x", nr, args, told, want)
						}
					}
				}
			}
		}
	}
}

func answer(t *testing.T, vm *bpf.VM, d data) uint32 {
	t.Helper()
	action, err := interpret(vm, d)
	if err != nil {
		t.Fatal(err)
	}
	return action
}

// A keeper can do what PID 1 can, and end the tree.
func TestKeeper(t *testing.T) {
	for _, m := range []machine{amd64(), arm64()} {
		vm := machineFor(t, keeper(m))
		for call, want := range map[string]uint32{"kill": unix.SECCOMP_RET_ALLOW, "waitid": unix.SECCOMP_RET_ALLOW, "wait4": unix.SECCOMP_RET_ALLOW,
			"exit_group": unix.SECCOMP_RET_ALLOW, "openat": denied, "clone": denied, "tkill": denied} {
			nr, _ := m.calls.Number(call)
			check(t, vm, data{nr: uint32(nr), arch: m.audit}, want)
		}
	}
}
