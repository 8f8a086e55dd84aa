package seccomp

import (
	"encoding/json"
	"os"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// An aim is a call that is made with the filter and without, with what the
// filter says to it.
type aim struct {
	name string
	nr   uintptr
	args [6]uintptr
	fate fate
}

type fate int

const (
	refused fate = iota
	allowed
)

// aimed is calls that touch PID 1, all processes of a user, or huge pages, and
// beside them the same on what is the caller's. Here PID 1 is the host's, so none
// of them would change anything of it, should it get through.
func aimed() []aim {
	const high, cpuOfPID1, cpuOfSelf = 1 << 32, 0xfffffff2, 0xfffffffa
	const private = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS
	const none, nobody = ^uintptr(0), 54321 // a descriptor or group, a user
	limits := pointer(new([2]uint64))
	id := pointer(new(uint64))
	name := pointer(&[]byte("x\x00")[0])
	me := uintptr(os.Getpid())
	return []aim{
		{"limits of PID 1", unix.SYS_PRLIMIT64, [6]uintptr{1, unix.RLIMIT_CPU, 0, limits}, refused},
		{"limits of PID 1 with garbage", unix.SYS_PRLIMIT64, [6]uintptr{high | 1, unix.RLIMIT_CPU, 0, limits}, refused},
		{"own limits", unix.SYS_PRLIMIT64, [6]uintptr{0, unix.RLIMIT_CPU, 0, limits}, allowed},
		{"own limits by pid", unix.SYS_PRLIMIT64, [6]uintptr{me, unix.RLIMIT_CPU, 0, limits}, allowed},
		{"scheduler of PID 1", unix.SYS_SCHED_SETSCHEDULER, [6]uintptr{1}, refused},
		{"own scheduler", unix.SYS_SCHED_SETSCHEDULER, [6]uintptr{0}, allowed},
		{"parameter of PID 1", unix.SYS_SCHED_SETPARAM, [6]uintptr{high | 1}, refused},
		{"own parameter", unix.SYS_SCHED_SETPARAM, [6]uintptr{0}, allowed},
		{"processors of PID 1", unix.SYS_SCHED_SETAFFINITY, [6]uintptr{1, 0, limits}, refused},
		{"own processors", unix.SYS_SCHED_SETAFFINITY, [6]uintptr{0, 0, limits}, allowed},
		{"priority of group 1", unix.SYS_SETPRIORITY, [6]uintptr{unix.PRIO_PGRP, high | 1}, refused},
		{"priority of a user", unix.SYS_SETPRIORITY, [6]uintptr{unix.PRIO_USER, nobody}, refused},
		{"priority of no such process", unix.SYS_SETPRIORITY, [6]uintptr{unix.PRIO_PROCESS, 1 << 30}, allowed},
		{"disk priority of group 1", unix.SYS_IOPRIO_SET, [6]uintptr{2, 1, 0}, refused},
		{"disk priority of a user", unix.SYS_IOPRIO_SET, [6]uintptr{3, nobody, 0}, refused},
		{"own disk priority", unix.SYS_IOPRIO_SET, [6]uintptr{1, 0, 0}, allowed},
		{"timer on PID 1", unix.SYS_TIMER_CREATE, [6]uintptr{cpuOfPID1, 0, id}, refused},
		{"timer on oneself", unix.SYS_TIMER_CREATE, [6]uintptr{cpuOfSelf, 0, id}, allowed},
		{"sleep by PID 1's clock", unix.SYS_CLOCK_NANOSLEEP, [6]uintptr{high | cpuOfPID1, 0, 0}, refused},
		{"owner PID 1", unix.SYS_FCNTL, [6]uintptr{none, unix.F_SETOWN, 1}, refused},
		{"owner group 1", unix.SYS_FCNTL, [6]uintptr{none, unix.F_SETOWN, none}, refused},
		{"owner oneself", unix.SYS_FCNTL, [6]uintptr{none, unix.F_SETOWN, me}, allowed},
		{"owner behind a pointer", unix.SYS_FCNTL, [6]uintptr{none, unix.F_SETOWN_EX, limits}, refused},
		{"owner by FIOSETOWN", unix.SYS_IOCTL, [6]uintptr{none, 0x8901, id}, refused},
		{"owner by SIOCSPGRP", unix.SYS_IOCTL, [6]uintptr{none, unix.SIOCSPGRP, id}, refused},
		{"huge pages, by a bad size", unix.SYS_MMAP, [6]uintptr{0, 0, 0, private | unix.MAP_HUGETLB}, refused},
		{"plain pages, by a bad size", unix.SYS_MMAP, [6]uintptr{0, 0, 0, private}, allowed},
		{"a file of huge pages", unix.SYS_MEMFD_CREATE, [6]uintptr{name, unix.MFD_HUGETLB | 63<<26}, refused},
		{"a file of plain pages", unix.SYS_MEMFD_CREATE, [6]uintptr{name, unix.MFD_CLOEXEC}, allowed},
		{"shared huge pages, of no size", unix.SYS_SHMGET, [6]uintptr{0, 0, 0o1000 | 0o4000}, refused},
	}
}

// pointer is p for a system call; the child ends before anything is collected.
func pointer[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// takeAim makes the calls and reports their answers.
func takeAim() {
	answers := make(map[string]syscall.Errno)
	for _, a := range aimed() {
		_, _, answers[a.name] = syscall.RawSyscall6(a.nr, a.args[0], a.args[1], a.args[2], a.args[3], a.args[4], a.args[5])
	}
	if json.NewEncoder(os.Stdout).Encode(answers) != nil {
		os.Exit(4)
	}
	os.Exit(0)
}

func TestKernelAimed(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("not for an ordinary user: without a filter the kernel refuses it the host's PID 1 as well")
	}
	answers := make(map[string]map[string]syscall.Errno)
	for _, what := range []string{"aimed", "aimed bare"} {
		stdout, status := run(t, what)
		if status != 0 {
			t.Fatalf("%s: child ended with status %#x", what, status)
		}
		var got map[string]syscall.Errno
		if err := json.Unmarshal(stdout, &got); err != nil {
			t.Fatalf("%s: %v in %q", what, err, stdout)
		}
		answers[what] = got
	}
	for _, a := range aimed() {
		boxed, bare := answers["aimed"][a.name], answers["aimed bare"][a.name]
		if bare == unix.EPERM {
			t.Errorf("control: %s: the kernel itself answers EPERM", a.name)
		}
		if want := map[fate]syscall.Errno{refused: unix.EPERM, allowed: bare}[a.fate]; boxed != want {
			t.Errorf("%s: errno %d, want %d (without the filter it is %d)", a.name, boxed, want, bare)
		}
	}
}
