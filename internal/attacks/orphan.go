package attacks

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A caller does not outlive whoever carries the attacks out, and neither does what it
// runs without a box: a selftest that is killed leaves no attack going on. No signal of
// the parent's death does that, since some attacks are about one.

// endWithParent ends this process, after all below it, when its parent has ended.
func endWithParent() {
	parent, err := unix.PidfdOpen(os.Getppid(), 0)
	if err != nil {
		return // without pidfds (Linux 5.3) there is no box either
	}
	go func() { // ends with the process
		for {
			fds := []unix.PollFd{{Fd: int32(parent), Events: unix.POLLIN}}
			if n, err := unix.Poll(fds, -1); n == 1 || err != nil && err != unix.EINTR {
				break
			}
		}
		endBelow(os.Getpid())
		os.Exit(1)
	}()
}

// endBelow kills what is below a process, again and again until nothing is: what is
// killed may have started more.
func endBelow(pid int) {
	const patience = 10 * time.Second
	for began := time.Now(); time.Since(began) < patience; time.Sleep(time.Millisecond) {
		below := descendants(pid)
		if len(below) == 0 {
			return
		}
		for _, p := range below {
			unix.Kill(p, unix.SIGKILL)
		}
	}
}

// descendants are the living processes below one, as far as the kernel lists them
// (CONFIG_PROC_CHILDREN).
func descendants(pid int) (all []int) {
	lists, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, word := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(word); err == nil {
				below := descendants(child)
				if all = append(all, below...); !dead(child) {
					all = append(all, child)
				}
			}
		}
	}
	return all
}

// dead says whether a process has ended and is waited for by nobody.
func dead(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, after, ok := strings.Cut(string(stat), ") ")
	return err != nil || ok && strings.HasPrefix(after, "Z")
}
