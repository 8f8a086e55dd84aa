package jail

import (
	"bytes"
	"strconv"
	"time"
)

// ticks is a time in the unit that /proc has on every architecture that there is
// a jail for: USER_HZ, of which a second has 100.
type ticks int64

func (t ticks) time() time.Duration { return time.Duration(t) * (time.Second / 100) }

// cpuTimes is processor time by kind.
type cpuTimes struct{ user, system ticks }

func (c cpuTimes) plus(d cpuTimes) cpuTimes { return cpuTimes{c.user + d.user, c.system + d.system} }

func (c cpuTimes) time() time.Duration { return (c.user + c.system).time() }

// A process is one process for good: its pid alone may be another's later.
type process struct {
	pid   int
	start ticks // since the host's start
}

// statTimes are the processor times in /proc/PID/stat (proc_pid_stat(5)).
type statTimes struct {
	own, children cpuTimes // children: those that have ended and were waited for
	start         ticks
}

// parseStat reads what follows the name in parentheses; a name may hold anything.
func parseStat(stat []byte) (t statTimes, ok bool) {
	const utime, starttime = 11, 19 // of the fields behind the name
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= starttime {
		return t, false
	}
	n := func(i int) ticks {
		v, _ := strconv.ParseInt(string(fields[i]), 10, 64)
		return ticks(v)
	}
	t.own = cpuTimes{n(utime), n(utime + 1)}
	t.children = cpuTimes{n(utime + 2), n(utime + 3)}
	t.start = n(starttime)
	return t, true
}

// spent is the processor time that a tree was seen to use, which is never more
// than it used. There are two sums, for each has a hole. What the live processes
// count, for themselves and for their children, lacks the children that nobody
// waited for: of one whose parent ignores SIGCHLD the kernel adds nothing
// (wait(2)). What each process counted for itself when it was last seen lacks all
// that came later, and a process that lived between two looks altogether. They
// can't be added, since each holds most of the other. So a tree of processes
// shorter than the time between two looks, which nobody waits for, is seen to use
// a part of what it does or nothing; and so is one whose short processes are waited
// for by others that nobody waits for in turn. RLIMIT_CPU does not help, as each
// process has it for itself.
type spent struct {
	live map[process]cpuTimes // no more than there are processes
	gone cpuTimes             // of those that have ended
	most cpuTimes             // the larger sum, over all looks
}

func (s spent) time() time.Duration { return s.most.time() }

// add takes over what a look has found.
func (s *spent) add(use treeUse) {
	if s.live == nil {
		s.live = make(map[process]cpuTimes, len(use.own))
	}
	for p, t := range use.own {
		s.live[p] = t
	}
	own := cpuTimes{}
	for p, t := range s.live {
		// A look may miss a live one, which must not be counted twice.
		if _, seen := use.own[p]; !seen && p.ended() {
			s.gone = s.gone.plus(t)
			delete(s.live, p)
			continue
		}
		own = own.plus(t)
	}
	for _, sum := range []cpuTimes{own.plus(s.gone), use.cpu} {
		if sum.time() > s.most.time() {
			s.most = sum
		}
	}
}

// ended says whether there is no such process any more.
func (p process) ended() bool {
	stat, err := readSmall("/proc/" + strconv.Itoa(p.pid) + "/stat")
	if err != nil {
		return true
	}
	t, ok := parseStat(stat)
	return !ok || t.start != p.start
}
