package jail

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Where there is no group to cap a box, and the caller allows that by name,
// there are these instead, each weaker than a group:
//
//   - RLIMIT_DATA is the memory cap of each process for itself: its private
//     writable memory (since Linux 4.7, setrlimit(2)).
//   - RLIMIT_NPROC is the cap on processes: in a user namespace the kernel counts
//     those of the box alone (since Linux 5.14, ucounts).
//   - The supervisor adds up the memory and the processor time of the tree, from
//     /proc, and ends the box when it finds more than the cap. Between two looks
//     a box can have more.
//
// The share of processors is not capped.

// backstops are the limits of each process that stand in for a group.
func (b *builder) backstops() []rlimit {
	if !b.shape.backstops {
		return nil
	}
	l := b.spec.Limits
	memory, pids := uint64(l.Memory), uint64(l.Pids)
	limits := []rlimit{{unix.RLIMIT_DATA, memory, memory}}
	if b.spec.inPlace() {
		pids-- // the keeper is another user's
	}
	if !b.spec.inPlace() || b.host.ownUID {
		limits = append(limits, rlimit{unix.RLIMIT_NPROC, pids, pids})
	}
	return limits
}

// backstopNote says what stands in for a group.
func backstopNote(err error) string {
	watched := "memory and processor time of the tree watched by the supervisor, every " + lookEvery.String() + " at the soonest"
	if !hasChildren() {
		watched = "processor time limited for each process only (this kernel's /proc does not list children)"
	}
	return "no cgroup caps on this run, as --optional allows; in their place RLIMIT_DATA for each process, RLIMIT_NPROC, and " + watched + ": " + err.Error()
}

// hasChildren says whether /proc lists the children of a thread
// (CONFIG_PROC_CHILDREN).
func hasChildren() bool {
	_, err := os.Stat("/proc/thread-self/children")
	return err == nil
}

// treeUse is what a process and all its descendants use.
type treeUse struct {
	memory    int64         // bytes of anonymous and shared memory, shared ones as often as they are mapped
	cpu       time.Duration // the dead and waited for included
	processes int
}

// measureTree adds up the tree below pid. Processes that come and go meanwhile
// may be missed.
func measureTree(pid int) (use treeUse) {
	todo := []int{pid}
	for len(todo) > 0 {
		p := "/proc/" + strconv.Itoa(todo[len(todo)-1])
		todo = todo[:len(todo)-1]
		stat, err := readSmall(p + "/stat")
		if err != nil {
			continue // it has ended
		}
		use.processes++
		use.cpu += statTimes(stat)
		if status, err := readSmall(p + "/status"); err == nil {
			use.memory += statusMemory(status)
		}
		threads, _ := os.ReadDir(p + "/task")
		for _, t := range threads {
			todo = append(todo, children(p+"/task/"+t.Name()+"/children")...)
		}
	}
	return use
}

// children reads /proc/PID/task/TID/children, which may be long.
func children(path string) (pids []int) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	for _, field := range bytes.Fields(text) {
		if n, err := strconv.Atoi(string(field)); err == nil {
			pids = append(pids, n)
		}
	}
	return pids
}

// statTimes adds utime, stime, cutime and cstime of /proc/PID/stat (proc_pid_stat(5)),
// which follow the name in parentheses; a name may hold anything.
func statTimes(stat []byte) time.Duration {
	const utime, cstime = 11, 14 // of the fields behind the name
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= cstime {
		return 0
	}
	var ticks int64
	for _, f := range fields[utime : cstime+1] {
		n, _ := strconv.ParseInt(string(f), 10, 64)
		ticks += n
	}
	return time.Duration(ticks) * (time.Second / userHz)
}

// userHz is the unit of times in /proc on every architecture that there is a
// jail for.
const userHz = 100

// statusMemory adds RssAnon and RssShmem of /proc/PID/status.
func statusMemory(status []byte) (bytes int64) {
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		if name != "RssAnon" && name != "RssShmem" {
			continue
		}
		kib, _, _ := strings.Cut(strings.TrimSpace(value), " ")
		n, err := strconv.ParseInt(kib, 10, 64)
		if err == nil {
			bytes += n << 10
		}
	}
	return bytes
}

// watchTree ends a box without a group whose tree uses too much, and returns
// when to look again: a large tree is looked at less often.
func (w *watch) watchTree(now time.Time) time.Time {
	r := w.run
	use := measureTree(w.pid)
	w.peak = max(w.peak, use.memory)
	switch {
	case use.memory > r.spec.Limits.Memory:
		r.end.now(ReasonOutOfMemory)
	case use.cpu >= r.spec.Limits.CPUTime:
		r.end.now(ReasonCPUTime)
	}
	after := time.Now()
	return after.Add(max(lookEvery, 10*after.Sub(now)))
}
