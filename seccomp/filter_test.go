package seccomp

import (
	"math/rand/v2"
	"testing"

	"golang.org/x/sys/unix"
)

// garbage is what callers may leave above a 32-bit argument.
var garbage = []uint64{0, 1 << 32, 0xffffffff << 32, 0xdeadbeef << 32}

func TestFilterNumbers(t *testing.T) {
	for _, f := range builtins(t) {
		t.Run(f.goarch, func(t *testing.T) {
			vm, policy := machineFor(t, f.program), state(f.machine)
			numbers := []uint32{0x3fffffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff}
			for nr := uint32(0); nr < 1024; nr++ {
				numbers = append(numbers, nr, nr|0x40000000)
			}
			for _, nr := range numbers {
				for _, arg := range []uint64{0, 1, ^uint64(0)} {
					d := data{nr: nr, arch: f.machine.audit, args: [6]uint64{arg, arg, arg, arg, arg, arg}}
					check(t, vm, d, policy.verdict(d))
				}
			}
		})
	}
}

func TestFilterForeignArchitectures(t *testing.T) {
	arches := []uint32{unix.AUDIT_ARCH_X86_64, unix.AUDIT_ARCH_I386, unix.AUDIT_ARCH_AARCH64,
		unix.AUDIT_ARCH_ARM, unix.AUDIT_ARCH_RISCV64, unix.AUDIT_ARCH_S390X, 0, 0xffffffff}
	for _, f := range builtins(t) {
		vm := machineFor(t, f.program)
		for _, arch := range arches {
			if arch == f.machine.audit {
				continue
			}
			for nr := uint32(0); nr < 1024; nr++ {
				check(t, vm, data{nr: nr, arch: arch}, kill)
				check(t, vm, data{nr: nr | 0x40000000, arch: arch}, kill)
			}
		}
	}
}

// checked is the calls whose arguments are looked at, with those arguments.
func checked() map[string][]int {
	return map[string][]int{
		"creat": {1}, "mkdir": {1}, "chmod": {1}, "fchmod": {1}, "mkdirat": {2}, "fchmodat": {2},
		"mknod": {1}, "mknodat": {2}, "open": {1, 2}, "openat": {2, 3}, "fcntl": {1, 2}, "ioctl": {1},
		"clone": {0}, "prlimit64": {0, 1, 2}, "setrlimit": {0}, "personality": {0}, "sched_setscheduler": {0, 1},
		"prctl": {0}, "socket": {0, 1, 2}, "socketpair": {0, 1}, "sched_setparam": {0}, "sched_setaffinity": {0},
		"setpriority": {0, 1}, "ioprio_set": {0, 1}, "timer_create": {0}, "clock_nanosleep": {0},
		"renameat2": {4}, "mmap": {3}, "memfd_create": {1}, "shmget": {2}, "seccomp": {1},
	}
}

// TestFilterSweeps gives each argument that is looked at every value of 12
// bits, every value of one or two bits, those around the terminal's commands,
// and all of their complements, with garbage above.
func TestFilterSweeps(t *testing.T) {
	var values []uint32
	for low := range uint32(1 << 12) {
		values = append(values, low, ^low, 0x5000|low, low<<4)
	}
	for i := range 32 {
		for j := range i {
			values = append(values, 1<<i|1<<j, ^uint32(1<<i|1<<j))
		}
	}
	for _, f := range builtins(t) {
		vm, policy := machineFor(t, f.program), state(f.machine)
		for name, args := range checked() {
			nr, ok := f.machine.calls.Number(name)
			if !ok {
				continue
			}
			for _, arg := range args {
				d := data{nr: uint32(nr), arch: f.machine.audit, args: [6]uint64{1, 0o100, 0o100, 0o4755, 0, 0}}
				for i, low := range values {
					d.args[arg] = uint64(low) | garbage[i%len(garbage)]
					check(t, vm, d, policy.verdict(d))
				}
			}
		}
	}
}

// interesting are the values on which the policy turns somewhere.
var interesting = []uint64{
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 16, 17, 22, 28, 31, 33, 35, 38, 40, 57, 62, 67, 262,
	0o100, 0o755, 0o2755, 0o4755, 0o6000, 0o7777, 0o100644, 0o104755, 0o020644, 0o060644, 0o010644, 0o140755,
	0o20000000, 0o20200000, 0o20000100, 1023, 1024, 1025, 1026, 1030, 1038, 1039, 1040,
	0x5401, 0x5411, 0x5412, 0x541c, 0x541d, 0x5423, 0x5424, 0x20000, 0x40000, 0x80000, 0x3d0f00, 0x1200011,
	0x10000000, 0x10000011, 0x40000000, 0x40000001, 0x7e020000, 0x80000000, 0xffffffff, 0xffffffef, 0xfffffff0, 0xfffffff7, 0xfffffff8, 0x40022, 0o4600, 0x8901, 0x8902, 0x59616d61, 0x53564d41,
	0x7fffffffd000, // a pointer
}

// TestFilterArguments tries random interesting values in all six arguments of
// every number that has a name, and every pair of them on neighbouring
// arguments of the calls whose arguments are looked at.
func TestFilterArguments(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func() uint64 {
		return interesting[random.IntN(len(interesting))] | garbage[random.IntN(len(garbage))]
	}
	for _, f := range builtins(t) {
		vm, policy := machineFor(t, f.program), state(f.machine)
		for nr := range f.machine.calls {
			d := data{nr: uint32(nr), arch: f.machine.audit}
			for range 50 {
				for i := range d.args {
					d.args[i] = pick()
				}
				check(t, vm, d, policy.verdict(d))
			}
		}
		for name := range checked() {
			nr, ok := f.machine.calls.Number(name)
			if !ok {
				continue
			}
			for i := range 3 {
				for _, a := range interesting {
					for _, b := range interesting {
						d := data{nr: uint32(nr), arch: f.machine.audit}
						d.args = [6]uint64{pick(), pick(), pick(), pick(), pick(), pick()}
						d.args[i], d.args[i+1] = a, b
						check(t, vm, d, policy.verdict(d))
					}
				}
			}
		}
	}
}

func TestReaper(t *testing.T) {
	for _, m := range []machine{amd64(), arm64()} {
		p := reaper(m)
		vm := machineFor(t, p)
		for nr := uint32(0); nr < 1024; nr++ {
			want := eperm
			switch m.calls.Name(int(nr)) {
			case "wait4", "read", "write", "close", "fstatfs", "exit", "exit_group", "rt_sigreturn", "restart_syscall":
				want = allow
			}
			check(t, vm, data{nr: nr, arch: m.audit}, want)
			check(t, vm, data{nr: nr | 0x40000000, arch: m.audit}, eperm)
			check(t, vm, data{nr: nr, arch: m.audit + 1}, kill)
		}
	}
}
