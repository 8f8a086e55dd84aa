package main

import (
	"fmt"
	"os"
	"runtime"

	"github.com/seed-75010da9/jail/internal/threads"
	"golang.org/x/sys/unix"
)

const (
	// fewProcesses is up to what a limit on the processes of a server counts: boxes
	// with the default of --pids use it up.
	fewProcesses = 32 * 128
	// ofBox is what a box has besides its threads, at least: what clones its PID 1,
	// that, and a program.
	ofBox = 3
	// passing are boxes that are being cleared away while others begin.
	passing = 2
	// mostProcessors are those of a server that is short of threads: each may take one.
	mostProcessors = 4
)

// keepThreads has a server own the threads of all its boxes before there is one: its
// boxes could take all that its limits on processes leave, and the Go runtime ends a
// process that needs one more thread then, with everybody's runs. It says how many
// boxes may run at once, beside those that are kept ready: running, or as many as
// there is room for.
func keepThreads(said teller, running, ready int) (int, error) {
	hostRoot := os.Geteuid() == 0 && hostUsers()
	var l unix.Rlimit
	few := unix.Getrlimit(unix.RLIMIT_NPROC, &l) == nil && threads.ByUser(l.Cur, hostRoot) && l.Cur <= fewProcesses
	if !few && threads.Limit() > fewProcesses {
		return running, nil
	}
	if runtime.GOMAXPROCS(0) > mostProcessors {
		runtime.GOMAXPROCS(mostProcessors)
	}
	room := threads.Room(hostRoot) - int64(threads.Missing(0))
	fit := int(min(room/(threads.ForBox+ofBox), int64(running+ready+passing)))
	if fit -= ready + passing; fit < 1 {
		return 0, fmt.Errorf("the limits on this process's processes have room for %d more, too few for one box beside the %d that are to be ready: allow it more (ulimit -u, pids.max of its cgroup), or keep fewer ready (--warm)", room, ready)
	}
	threads.Keep(fit + ready + passing)
	if fit < running {
		said.tell(fmt.Sprintf("at most %d at once, not %d: the limits on this process's processes (ulimit -u, pids.max of its cgroup) have no room for more", fit, running))
	}
	return fit, nil
}

// hostUsers says whether this process's user namespace is the host's.
func hostUsers() bool {
	const initial = 0xEFFFFFFD // PROC_USER_INIT_INO (include/uapi/linux/nsfs.h)
	var st unix.Stat_t
	return unix.Stat("/proc/self/ns/user", &st) == nil && st.Ino == initial
}
