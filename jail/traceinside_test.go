package jail

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// pathCalls are calls with paths of every kind: there, absent, read-only, of wrong
// kinds, at addresses where nothing is, through links and descriptors.
func pathCalls() []probed {
	cwd := ^uintptr(99)
	const nowhere = 8
	var list []probed
	for _, p := range []string{"/usr/bin/env", "/absent", "/usr/absent", "/usr/bin/env/below", "/tmp", "tmp", "../etc", "", ".", "//usr//./bin/", "/usr/bin/../bin/env",
		"/proc/self/absent", "/proc/1/root", "/proc/cpuinfo", "/dev/null", "/dev/stdin", "/dev/fd/0", "/dev/kvm", "/sys/kernel", "/etc/passwd", "/test",
		"/" + strings.Repeat("x/", 2000), strings.Repeat("y", 300), "/tmp/\x01\xff\n", "/tmp/loop"} {
		at := textAt(p)
		list = append(list,
			probed{"read " + p, unix.SYS_OPENAT, [6]uintptr{cwd, at, unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NONBLOCK}},
			probed{"write " + p, unix.SYS_OPENAT, [6]uintptr{cwd, at, unix.O_WRONLY | unix.O_CLOEXEC | unix.O_NONBLOCK}},
			probed{"path " + p, unix.SYS_OPENAT, [6]uintptr{cwd, at, unix.O_PATH | unix.O_NOFOLLOW}},
			probed{"stat " + p, unix.SYS_NEWFSTATAT, [6]uintptr{cwd, at, textAt(strings.Repeat("-", 300)), 0}},
			probed{"access " + p, unix.SYS_FACCESSAT, [6]uintptr{cwd, at, 2}},
			probed{"link text " + p, unix.SYS_READLINKAT, [6]uintptr{cwd, at, textAt(strings.Repeat("-", 300)), 300}},
			probed{"remove folder " + p, unix.SYS_UNLINKAT, [6]uintptr{cwd, at, unix.AT_REMOVEDIR}},
			probed{"become " + p, unix.SYS_EXECVE, [6]uintptr{at, nowhere, 0}},
			probed{"enter and back " + p, unix.SYS_CHDIR, [6]uintptr{textAt("/tmp")}},
			probed{"rename " + p, unix.SYS_RENAMEAT, [6]uintptr{cwd, at, cwd, textAt("/usr/elsewhere")}},
			probed{"times " + p, unix.SYS_UTIMENSAT, [6]uintptr{cwd, at, 0, 0}},
		)
	}
	return append(list,
		probed{"no address", unix.SYS_OPENAT, [6]uintptr{cwd, nowhere, 0}},
		probed{"no descriptor", unix.SYS_OPENAT, [6]uintptr{77, textAt("x"), 0}},
		probed{"no folder", unix.SYS_OPENAT, [6]uintptr{0, textAt("x"), 0}},
		probed{"make", unix.SYS_MKDIRAT, [6]uintptr{cwd, textAt("/usr/made"), 0o755}},
		probed{"connect", unix.SYS_CONNECT, [6]uintptr{0, textAt("\x01\x00/absent"), 10}},
		probed{"connect nowhere", unix.SYS_CONNECT, [6]uintptr{0, nowhere, 10}},
	)
}

func pathAnswers() string {
	os.Chdir("/tmp")
	os.Symlink("loop", "/tmp/loop")
	var b strings.Builder
	for _, c := range pathCalls() {
		n, _, errno := syscall.RawSyscall6(c.nr, c.args[0], c.args[1], c.args[2], c.args[3], c.args[4], c.args[5])
		if errno == 0 && c.nr == unix.SYS_OPENAT {
			unix.Close(int(n))
		}
		fmt.Fprintf(&b, "%q %d\n", c.name, errno)
	}
	return b.String()
}

// pathsEverywhere makes the calls on several threads at once and in children, under
// signals, and prints the answers if they are all the same.
func pathsEverywhere() int {
	signal.Ignore(syscall.SIGWINCH)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGWINCH) // with a handler, which interrupts
	over := make(chan struct{})
	go func() {
		for {
			select {
			case <-over:
				return
			case <-time.After(time.Millisecond):
				syscall.Kill(os.Getpid(), syscall.SIGWINCH)
			}
		}
	}()
	first := pathAnswers()
	all := make([]string, 4)
	var threads sync.WaitGroup
	for i := range all {
		threads.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			all[i] = pathAnswers()
		})
	}
	threads.Wait()
	close(over)
	out, err := exec.Command(os.Args[0], insidePrefix+"paths").Output()
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for _, a := range append(all, string(out)) {
		if a != first {
			fmt.Printf("not the same everywhere:\n%s---\n%s", first, a)
			return 1
		}
	}
	fmt.Print(first)
	return 0
}

// lookForever looks for paths on many threads until it is killed.
func lookForever() int {
	for range 8 {
		go func() {
			runtime.LockOSThread()
			for i := 0; ; i++ {
				unix.Access(fmt.Sprintf("/absent/%d", i), 0)
			}
		}()
	}
	select {}
}

// lookOften stats a path as often as LOOKS says and prints how long one took, in ns.
func lookOften() int {
	var st unix.Stat_t
	began := time.Now()
	const looks = 2000
	for range looks {
		unix.Stat("/usr/bin/env", &st)
	}
	fmt.Println(time.Since(began).Nanoseconds() / looks)
	return 0
}
