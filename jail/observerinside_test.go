package jail

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A probed is a system call that is made in a box.
type probed struct {
	name string
	nr   uintptr
	args [6]uintptr
}

func textAt(s string) uintptr {
	b := append([]byte(s), 0)
	pointedAt.mu.Lock()
	defer pointedAt.mu.Unlock()
	pointedAt.text = append(pointedAt.text, b)
	return uintptr(unsafe.Pointer(&b[0]))
}

// pointedAt is what system calls point to, which has to stay where it is.
var pointedAt struct {
	mu   sync.Mutex
	text [][]byte
}

// probedCalls are calls that boxes are refused in each way, and some that they are
// allowed.
func probedCalls() []probed {
	const high = 1 << 32
	cwd := ^uintptr(99) // AT_FDCWD
	const none = ^uintptr(0)
	return []probed{
		{"getppid", unix.SYS_GETPPID, [6]uintptr{}},
		{"close nothing", unix.SYS_CLOSE, [6]uintptr{none}},
		{"inet socket", unix.SYS_SOCKET, [6]uintptr{unix.AF_INET, unix.SOCK_STREAM}},
		{"raw socket", unix.SYS_SOCKET, [6]uintptr{unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP}},
		{"vsock", unix.SYS_SOCKET, [6]uintptr{unix.AF_VSOCK, unix.SOCK_STREAM}},
		{"pair of datagrams", unix.SYS_SOCKETPAIR, [6]uintptr{unix.AF_UNIX, unix.SOCK_RAW}},
		{"unshare", unix.SYS_UNSHARE, [6]uintptr{unix.CLONE_NEWUSER}},
		{"setns", unix.SYS_SETNS, [6]uintptr{none}},
		{"mount", unix.SYS_MOUNT, [6]uintptr{textAt("none"), textAt("/mnt"), textAt("tmpfs"), unix.MS_NOSUID}},
		{"chroot", unix.SYS_CHROOT, [6]uintptr{textAt("/")}},
		{"ptrace", unix.SYS_PTRACE, [6]uintptr{unix.PTRACE_ATTACH, 1}},
		{"keyctl", unix.SYS_KEYCTL, [6]uintptr{unix.KEYCTL_GET_KEYRING_ID}},
		{"bpf", unix.SYS_BPF, [6]uintptr{}},
		{"mkdir set-group-ID", unix.SYS_MKDIRAT, [6]uintptr{cwd, textAt("/tmp/setgid"), 0o2755}},
		{"mkdir", unix.SYS_MKDIRAT, [6]uintptr{cwd, textAt("/tmp"), 0o755}},
		{"create set-user-ID", unix.SYS_OPENAT, [6]uintptr{cwd, textAt("/tmp/setuid"), unix.O_CREAT | unix.O_WRONLY, 0o4755}},
		{"device", unix.SYS_MKNODAT, [6]uintptr{cwd, textAt("/tmp/null"), unix.S_IFCHR | 0o600, 0x103}},
		{"limits of PID 1", unix.SYS_PRLIMIT64, [6]uintptr{high | 1, unix.RLIMIT_CPU}},
		{"typing", unix.SYS_IOCTL, [6]uintptr{none, unix.TIOCSTI}},
		{"terminal's settings", unix.SYS_IOCTL, [6]uintptr{none, unix.TCGETS}},
		{"a lease", unix.SYS_FCNTL, [6]uintptr{none, unix.F_SETLEASE}},
		{"huge pages", unix.SYS_MMAP, [6]uintptr{0, 1 << 21, 3, unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_HUGETLB, none}},
		{"a listener", unix.SYS_SECCOMP, [6]uintptr{setModeFilter, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER}},
		{"no filter", unix.SYS_SECCOMP, [6]uintptr{setModeFilter, 0}},
		{"clone with a namespace", unix.SYS_CLONE, [6]uintptr{unix.CLONE_NEWNET | uintptr(unix.SIGCHLD)}},
		{"clone3", unix.SYS_CLONE3, [6]uintptr{}},
		{"flock", unix.SYS_FLOCK, [6]uintptr{1, unix.LOCK_EX}},
		{"io_setup", unix.SYS_IO_SETUP, [6]uintptr{1}},
		{"io_uring", unix.SYS_IO_URING_SETUP, [6]uintptr{1}},
		{"unknown", 1000, [6]uintptr{}},
		{"denied by name", unix.SYS_GETPRIORITY, [6]uintptr{}},
		{"another's limits", unix.SYS_PRLIMIT64, [6]uintptr{noProcess, unix.RLIMIT_CPU}},
		{"another's priority", unix.SYS_SETPRIORITY, [6]uintptr{unix.PRIO_PROCESS, noProcess, 5}},
		{"times by path", unix.SYS_UTIMENSAT, [6]uintptr{cwd, textAt("/nowhere"), 0}},
		{"attributes by path", unix.SYS_LISTXATTR, [6]uintptr{textAt("/nowhere")}},
	}
}

// noProcess is the number of a process that there is not.
const noProcess = 99999999

// answers are the errnos of all calls, one a line.
func answers() string {
	var b strings.Builder
	for _, c := range probedCalls() {
		_, _, errno := syscall.RawSyscall6(c.nr, c.args[0], c.args[1], c.args[2], c.args[3], c.args[4], c.args[5])
		fmt.Fprintf(&b, "%s %d\n", c.name, errno)
	}
	return b.String()
}

// askEverywhere makes the calls on the main thread, on others at the same time and
// in children, and prints the answers if they are all the same.
func askEverywhere() int {
	first := answers()
	all := make([]string, 8)
	var threads sync.WaitGroup
	for i := range all {
		threads.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			all[i] = answers()
		})
	}
	threads.Wait()
	for range 3 {
		out, err := exec.Command(os.Args[0], insidePrefix+"answers").Output()
		if err != nil {
			fmt.Println(err)
			return 1
		}
		all = append(all, string(out))
	}
	for _, a := range all {
		if a != first {
			fmt.Printf("not the same everywhere:\n%s---\n%s", first, a)
			return 1
		}
	}
	fmt.Print(first)
	return 0
}

// flood makes refused calls on many threads, in children that end, and under
// signals, for the milliseconds in FLOOD and until they are a flood, and prints how
// many.
func flood() int {
	ms, _ := strconv.Atoi(os.Getenv("FLOOD"))
	until := time.Now().Add(time.Duration(ms) * time.Millisecond)
	var mu sync.Mutex
	var threads sync.WaitGroup
	calls := map[syscall.Errno]int{}
	var made atomic.Int64
	for range 16 {
		threads.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for time.Now().Before(until) || made.Load() < floodOf {
				_, _, errno := syscall.RawSyscall(unix.SYS_CHROOT, nowhere, 0, 0)
				mu.Lock()
				calls[errno]++
				mu.Unlock()
				made.Add(1)
				syscall.Kill(os.Getpid(), syscall.SIGWINCH) // the runtime's handler restarts calls
			}
		})
	}
	threads.Wait()
	errnos := []string{}
	total := 0
	for e, n := range calls {
		errnos = append(errnos, unix.ErrnoName(e))
		total += n
	}
	slices.Sort(errnos)
	fmt.Println(total, strings.Join(errnos, ","))
	return 0
}

// floodOf is how many calls are a flood.
const floodOf = 1000

// refusedOften is how many refused calls beRefusedOften makes.
const refusedOften = 30_000

func beRefusedOften() int {
	for range refusedOften {
		if _, _, errno := syscall.RawSyscall(unix.SYS_CHROOT, nowhere, 0, 0); errno != unix.EPERM {
			return 1
		}
	}
	return 3
}

const nowhere = 0 // NULL: the filter is asked before the path is looked at

// floodForever is a box to kill. Of its calls one is refused in tier 2 alone.
func floodForever() int {
	fmt.Println("begun")
	for {
		syscall.RawSyscall(unix.SYS_CHROOT, 0, 0, 0)
		syscall.RawSyscall6(unix.SYS_PRLIMIT64, noProcess, unix.RLIMIT_CPU, 0, 0, 0, 0)
	}
}

// letGo tries to let a refused call go on by a filter of its own, which is newer:
// with a listener of its own, and without one.
func letGo() int {
	runtime.LockOSThread()
	filter := []unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_USER_NOTIF}}
	// The policy's calls that this filter does not put to a listener.
	program := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_UNSHARE, Jt: 0, Jf: 1},
		filter[0],
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	fprog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	fd, _, errno := syscall.RawSyscall(unix.SYS_SECCOMP, setModeFilter, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, uintptr(unsafe.Pointer(&fprog)))
	fmt.Println("listener", unix.ErrnoName(errno), errno != 0 || int(fd) < 0)
	_, _, errno = syscall.RawSyscall(unix.SYS_SECCOMP, setModeFilter, 0, uintptr(unsafe.Pointer(&fprog)))
	fmt.Println("filter", errno == 0)
	_, _, errno = syscall.RawSyscall(unix.SYS_UNSHARE, unix.CLONE_NEWUSER, 0, 0)
	fmt.Println("unshare", errno != 0)
	return 0
}

// listened runs the rest of its words below a filter that has a listener already.
func listened() int {
	runtime.LockOSThread()
	allow := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}
	program := unix.SockFprog{Len: 1, Filter: &allow}
	unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	fd, _, errno := syscall.RawSyscall(unix.SYS_SECCOMP, setModeFilter, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		fmt.Println(errno)
		return 1
	}
	unix.FcntlInt(fd, unix.F_SETFD, 0) // or nobody would listen after the next line
	fmt.Println(syscall.Exec("/proc/self/exe", append([]string{"test"}, os.Args[2:]...), os.Environ()))
	return 1
}

// refusedAndFail makes a call twice and, if it is refused, fails.
func refusedAndFail(nr, a, b uintptr) func() int {
	return func() int {
		syscall.RawSyscall(nr, a, b, 0)
		if _, _, errno := syscall.RawSyscall(nr, a, b, 0); errno == 0 {
			return 0
		}
		return 1
	}
}

// fetchAndWait tries again until it is ended, as a program does that waits for
// its network.
func fetchAndWait() int {
	fetch := refusedAndFail(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM)
	fetch()
	time.Sleep(time.Minute)
	return 0
}

// manyKinds makes 50 refused calls that look different, each twice.
func manyKinds() int {
	for i := range 100 {
		syscall.RawSyscall(unix.SYS_CHROOT, textAt("/"+strconv.Itoa(i/2)), 0, 0)
	}
	return 0
}
