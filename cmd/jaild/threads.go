package main

import (
	"fmt"
	"runtime"

	"github.com/seed-75010da9/jail/internal/threads"
	"github.com/seed-75010da9/jail/jail"
)

const (
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
// there is room for, of which a quarter is left to what else there is, such as callers.
func keepThreads(said teller, running, ready int) (int, error) {
	if !threads.Few(threads.Crowd * jail.DefaultLimits().Pids) {
		return running, nil
	}
	if runtime.GOMAXPROCS(0) > mostProcessors {
		runtime.GOMAXPROCS(mostProcessors)
	}
	most := int64(running + ready + passing)
	room := threads.Room(2*most*(threads.ForBox+ofBox)) - int64(threads.Missing(0))
	fit := int(min(room*3/4/(threads.ForBox+ofBox), most))
	if fit -= ready + passing; fit < 1 {
		return 0, fmt.Errorf("the limits on this process's processes have room for %d more, too few for one box beside the %d that are to be ready: allow it more (ulimit -u, pids.max of its cgroup), or keep fewer ready (--warm)", room, ready)
	}
	threads.Keep(fit + ready + passing)
	if fit < running {
		said.tell(fmt.Sprintf("at most %d at once, not %d: the limits on this process's processes (ulimit -u, pids.max of its cgroup) have no room for more", fit, running))
	}
	return fit, nil
}
