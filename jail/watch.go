package jail

import (
	"time"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

const (
	firstLook = 20 * time.Millisecond
	lookEvery = 50 * time.Millisecond
	longest   = 250 * time.Millisecond
)

// A watch is what a box is ended for while it runs: its deadline and, once it
// lasts, its processor time and memory, from its group's counters or else from
// those of its processes. It belongs to
// whoever waits for the box; there is no thread of its own. On cgroup v1 it is
// also what makes the kernel's OOM kill of one process the end of the whole
// group, as memory.oom.group does on v2.
type watch struct {
	run      *run
	deadline time.Time
	counters time.Time // when to look at them
	pid      int       // the root of the tree to look at where there is no group, or 0
	peak     int64     // the most memory that was seen there, in bytes
	spent    spent     // the processor time that was seen there
	folder   time.Time // when to look at the private folder of a tier 2 box
	late     bool      // its time was over
	idled    bool      // and that because it was idle
}

func (w *watch) begin(r *run, pid int) {
	if r.off.Has(ablation.Watch) {
		return
	}
	w.run = r
	w.deadline = r.started.Add(r.spec.Limits.Timeout)
	w.counters = time.Now().Add(firstLook)
	w.folder = w.counters
	if r.shape.backstops && hasChildren() {
		w.pid = pid
	}
}

// next is how long to wait before looking again.
func (w *watch) next() time.Duration {
	if w.run == nil {
		return longest
	}
	at := w.deadline
	if quiet, ok := w.quiet(); ok && quiet.Before(at) {
		at = quiet
	}
	if (w.run.group != nil || w.pid != 0) && w.counters.Before(at) {
		at = w.counters
	}
	if w.run.private != "" && w.folder.Before(at) {
		at = w.folder
	}
	return min(time.Until(at), longest)
}

// look ends the box if there is a reason.
func (w *watch) look() {
	if w.run == nil {
		return
	}
	now := time.Now()
	if !now.Before(w.deadline) {
		w.late = true
		w.run.end.now(ReasonTimeout)
		w.deadline = now.Add(longest) // it is over, and whoever waits has a limit of its own
	}
	if quiet, ok := w.quiet(); ok && !now.Before(quiet) {
		w.late, w.idled = true, true
		w.run.end.now(ReasonTimeout)
	}
	r := w.run
	if r.private != "" && !now.Before(w.folder) {
		w.folder = w.watchFolder(now)
	}
	if now.Before(w.counters) {
		return
	}
	if r.group == nil {
		if w.pid != 0 {
			w.counters = w.watchTree(now)
		}
		return
	}
	if out, err := r.group.OutOfMemory(); err == nil && out {
		r.end.now(ReasonOutOfMemory)
	}
	used, err := r.group.CPUUsage()
	if err == nil && used >= r.spec.Limits.CPUTime {
		r.end.now(ReasonCPUTime)
	}
	// Sooner only when the limit could be reached sooner.
	wait := lookEvery
	if left := time.Duration(float64(r.spec.Limits.CPUTime-used) / r.spec.Limits.CPUs); err == nil && left < wait {
		wait = max(left, time.Millisecond)
	}
	w.counters = now.Add(wait)
}

// quiet is when the program will have been idle for too long. Not ok: it may be, or
// its time is over already.
func (w *watch) quiet() (time.Time, bool) {
	limit := w.run.spec.Limits.IdleTimeout
	if limit == 0 || w.late || w.run.streams == nil {
		return time.Time{}, false
	}
	moved, ok := w.run.streams.moved()
	return moved.Add(limit), ok
}

// interrupted says whether the caller has ended a run by this descriptor of its, or
// -1.
func interrupted(fd int) bool {
	if fd < 0 {
		return false
	}
	n, _ := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
	return n > 0
}

// interruption ends the box if that is what a poll has seen.
func (r *run) interruption(p unix.PollFd) {
	if p.Revents != 0 {
		r.interrupt = -1
		r.end.now(ReasonCanceled)
	}
}
