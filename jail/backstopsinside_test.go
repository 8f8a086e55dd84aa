package jail

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// noGroupInside is a box of a function of inside that finds no group.
func noGroupInside(t *testing.T, name string, l Limits) Spec {
	t.Helper()
	s := insideBox(t, name)
	with := noGroup("", l)
	s.CgroupParent, s.Optional, s.Limits = with.CgroupParent, with.Optional, with.Limits
	s.Env = append(s.Env, slowness+"="+os.Getenv(slowness))
	return s
}

// burn uses the processor for d of its own time.
func burn(d time.Duration) {
	var used unix.Rusage
	for time.Duration(used.Utime.Nano()+used.Stime.Nano()) < d {
		if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
			panic(err) // it has no reason to
		}
	}
}

// burnUnwaited burns some seconds in children, one after the other, each much longer
// than it takes until the next look at it; or goes on until it is ended.
func burnUnwaited() int {
	signal.Ignore(unix.SIGCHLD)
	for n := 0; n < 8 || os.Getenv(onAndOn) != ""; n++ {
		pid, err := syscall.ForkExec("/test", []string{"/test", insidePrefix + "burn"}, &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, 1, 2}})
		if err != nil {
			fmt.Println(err)
			return 1
		}
		if _, err := unix.Wait4(pid, nil, 0, nil); err != unix.ECHILD {
			fmt.Println("waited for:", err)
			return 1
		}
	}
	return 0
}

const onAndOn = "ON_AND_ON"

// leaderless has 240 MiB in a process whose first thread is dead: /proc/PID/status
// says nothing of memory then.
func leaderless() int {
	for range 60 { // each gets a thread for good, and one of them the first
		if status, err := readSmall("/proc/self/status"); err != nil || bytes.Contains(status, []byte("Z (zombie)")) {
			break
		}
		go func() {
			runtime.LockOSThread()
			if unix.Gettid() == os.Getpid() {
				syscall.Syscall(unix.SYS_EXIT, 0, 0, 0)
			}
			select {}
		}()
		time.Sleep(time.Millisecond)
	}
	if status, err := readSmall("/proc/self/status"); err != nil || !bytes.Contains(status, []byte("Z (zombie)")) {
		fmt.Printf("the first thread is not dead: %v\n%s", err, status)
		return 1
	}
	keep := take(240 << 20)
	time.Sleep(noticing())
	runtime.KeepAlive(keep)
	return 0
}

// forkShared has 120 MiB that two forks share with it until somebody writes. The
// children make bare system calls alone: nothing of Go's runtime runs in them.
func forkShared() int {
	keep, err := unix.Mmap(-1, 0, 120<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for i := 0; i < len(keep); i += os.Getpagesize() {
		keep[i] = 1
	}
	half := unix.Timespec{Nsec: 5e8}
	for range 2 {
		pid, _, _ := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
		if pid == 0 {
			syscall.RawSyscall6(unix.SYS_PPOLL, 0, 0, uintptr(unsafe.Pointer(&half)), 0, 0, 0)
			syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
	}
	time.Sleep(time.Second)
	runtime.KeepAlive(keep)
	return 0
}

// take is a piece of shared memory, which RLIMIT_DATA does not count.
func take(size int) []byte {
	b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANONYMOUS)
	if err != nil {
		fmt.Println(err)
		unix.Exit(1)
	}
	for i := 0; i < len(b); i += os.Getpagesize() {
		b[i] = 1
	}
	return b
}

// pageTables has some 240 MiB of page tables and hardly any page.
func pageTables() int {
	const size, each = 120 << 30, 2 << 20
	b, err := unix.Mmap(-1, 0, size, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	if err := unix.Madvise(b, unix.MADV_NOHUGEPAGE); err != nil && err != unix.EINVAL { // there are none

		fmt.Println(err)
		return 1
	}
	sum := 0
	for i := 0; i < size; i += each {
		sum += int(b[i])
	}
	time.Sleep(noticing())
	return sum
}

// uncounted prints what becomes of calls by which memory is in no process's
// account.
func uncounted() int {
	_, err := unix.MemfdCreate("x", 0)
	fmt.Println("memfd_create", err)
	s, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for name, option := range map[string]int{"SO_SNDBUF": unix.SO_SNDBUF, "SO_RCVBUF": unix.SO_RCVBUF, "SO_PASSCRED": unix.SO_PASSCRED} {
		fmt.Println(name, unix.SetsockoptInt(s[0], unix.SOL_SOCKET, option, 1))
	}
	return 0
}

// leaveToFullTests leaves out what a small cap on memory is for: the short tests
// are those below the race detector, whose own memory is past it.
func leaveToFullTests(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a program without a race detector: the full tests run it")
	}
}

// What one file in /proc does not tell, or only beside the usual fields, is
// counted, too.
func TestBackstopsSeeHiddenMemory(t *testing.T) {
	leaveToFullTests(t)
	for _, name := range []string{"memory of a thread whose leader ended", "page tables"} {
		t.Run(name, func(t *testing.T) {
			want(t, runBox(t, noGroupInside(t, name, Limits{Memory: 512 << 20}), IO{}), ReasonOK)
			want(t, runBox(t, noGroupInside(t, name, Limits{Memory: 192 << 20}), IO{}), ReasonOutOfMemory)
		})
	}
}

// What processes share is not counted once for each.
func TestBackstopsCountSharedMemoryOnce(t *testing.T) {
	leaveToFullTests(t)
	want(t, runBox(t, noGroupInside(t, "memory that forks share", Limits{Memory: 256 << 20}), IO{}), ReasonOK)
}

// Where no group counts it the filter refuses it, unless it was allowed by name.
func TestBackstopsRefuseUncounted(t *testing.T) {
	s := noGroupInside(t, "uncounted", Limits{})
	res := runBox(t, s, IO{})
	want(t, res, ReasonOK)
	const refused = "operation not permitted"
	if got, want := lines(res), "SO_PASSCRED <nil>|SO_RCVBUF "+refused+"|SO_SNDBUF "+refused+"|memfd_create "+refused; got != want {
		t.Errorf("without a group: %s, want %s", got, want)
	}
	const allowed = "SO_PASSCRED <nil>|SO_RCVBUF <nil>|SO_SNDBUF <nil>|memfd_create <nil>"
	s.Seccomp.Allow = []string{"memfd_create", "setsockopt"}
	if got := lines(runBox(t, s, IO{})); got != allowed {
		t.Errorf("allowed by name: %s, want %s", got, allowed)
	}
	s = insideBox(t, "uncounted")
	if got := lines(runBox(t, s, IO{})); groupError() == nil && got != allowed {
		t.Errorf("with a group: %s, want %s", got, allowed)
	}
}

// lines are those of stdout, sorted.
func lines(res Result) string {
	l := strings.Split(strings.TrimSpace(res.Stdout.Text), "\n")
	slices.Sort(l)
	return strings.Join(l, "|")
}
