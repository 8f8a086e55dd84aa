package jail

import (
	"bytes"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// A keeper that somebody outside of the box has stopped, which the box itself can't do,
// hears of nothing: so whatever it is told to end, it is continued as well. One that is
// stopped again each time, or does not end for another reason, is given up after
// endGrace, and then killed, so that it does not stay.

// wake has a keeper that is stopped go on (kill(2): SIGCONT does so even where it is
// blocked). To one that runs it is nothing.
func (e *end) wake() { unix.PidfdSendSignal(e.pidfd, unix.SIGCONT, nil, 0) }

// uprootings and uprootPause are how often, and how far apart, what is left of a tree is
// killed that has no keeper to do it at once.
const (
	uprootings  = 20
	uprootPause = 5 * time.Millisecond
)

// uproot kills the tree below a keeper, as far as it can be seen and does not grow
// faster, and then the keeper: the other way round nobody would know whose it was.
func (r *run) uproot(c *child) {
	for range uprootings {
		if killBelow(c.pid, maxPids) == 0 {
			break
		}
		time.Sleep(uprootPause)
	}
	unix.PidfdSendSignal(c.pidfd, unix.SIGKILL, nil, 0)
	if r.gone(c, uprootings*uprootPause) {
		_, usage := reap(c.pid)
		r.rusage(usage)
		r.reaped = true
	}
}

// killBelow kills all descendants of a process, and says how many live ones it saw.
func killBelow(pid int, most int64) (n int) {
	use := measureTree(pid, most)
	for p := range use.own {
		if p.pid == pid {
			continue
		}
		fd, err := unix.PidfdOpen(p.pid, 0)
		if err != nil {
			continue
		}
		// The number may have become another's since it was read, and can't any more.
		stat, err := readSmall("/proc/" + strconv.Itoa(p.pid) + "/stat")
		if t, ok := parseStat(stat); err == nil && ok && t.start == p.start && !bytes.Contains(stat, []byte(") Z ")) {
			unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
			n++
		}
		unix.Close(fd)
	}
	return n
}
