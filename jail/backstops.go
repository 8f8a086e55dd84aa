package jail

import (
	"os"
	"slices"
	"time"

	"github.com/seed-75010da9/jail/seccomp"
	"golang.org/x/sys/unix"
)

// Where there is no group to cap a box, and the caller allows that by name,
// there are these instead, each weaker than a group:
//
//   - RLIMIT_DATA is the memory cap of each process for itself: its private
//     writable memory (since Linux 4.7, setrlimit(2)).
//   - RLIMIT_NPROC is the cap on processes: in a user namespace the kernel counts
//     those of the box alone (since Linux 5.14, ucounts). So it does in tier 2 when
//     root starts it. Else it counts all of the caller's, and is set only where
//     these can be counted.
//   - The filter refuses files that are memory alone and larger socket buffers,
//     neither of which is in any process's account.
//   - The supervisor adds up the memory and the processor time of the tree, from
//     /proc, and ends the box when it finds more than the cap. Between two looks
//     a box can have more.
//
// So a program that means to have more memory than the cap gets it: in shared
// mappings of which it gives its own part back (madvise(2), MADV_DONTNEED) and
// that stay in memory, in the buffers of sockets and pipes, of which each
// process may have its descriptors full, and what is in /tmp and /dev/shm is
// under their own sizes, not under this cap. What it may spend unseen of
// processor time is in spent.go. The share of processors is not capped.

// backstops are the limits of each process that stand in for a group.
func (b *builder) backstops() []rlimit {
	if !b.shape.backstops {
		return nil
	}
	l := b.spec.Limits
	memory, pids := uint64(l.Memory), uint64(l.Pids)
	limits := []rlimit{{unix.RLIMIT_DATA, memory, memory}}
	switch {
	case !b.spec.inPlace():
	case b.host.ownUID:
		pids-- // the keeper is another user
	case b.host.tasks == 0:
		return limits
	default:
		pids += uint64(b.host.tasks)
	}
	return append(limits, rlimit{unix.RLIMIT_NPROC, pids, pids})
}

// backstopRules are what the filter has to refuse where no group counts it. What
// Spec.Seccomp allows by name stays allowed.
func backstopRules(spec Spec, sh shape) (rules []seccomp.Rule) {
	if !sh.backstops {
		return nil
	}
	if !slices.Contains(spec.Seccomp.Allow, "memfd_create") {
		rules = append(rules, seccomp.Rule{Syscall: "memfd_create", Action: seccomp.Deny})
	}
	if slices.Contains(spec.Seccomp.Allow, "setsockopt") {
		return rules
	}
	for _, option := range []uint32{unix.SO_SNDBUF, unix.SO_RCVBUF, unix.SO_SNDBUFFORCE, unix.SO_RCVBUFFORCE} {
		rules = append(rules, seccomp.Rule{Syscall: "setsockopt", Action: seccomp.Deny,
			Args: []seccomp.Arg{{Index: 1, Mask: 0xffffffff, Value: unix.SOL_SOCKET}, {Index: 2, Mask: 0xffffffff, Value: option}}})
	}
	return rules
}

// backstopNote says what stands in for a group.
func backstopNote(err error, spec Spec) string {
	allows, processes := "--optional", "RLIMIT_NPROC"
	if spec.inPlace() {
		allows, processes = "tier 2", "RLIMIT_NPROC where it can count the box, the processes of the tree"
	}
	watched := "memory and processor time of the tree watched by the supervisor, every " + lookEvery.String() + " at the soonest"
	if !hasChildren() {
		watched = "processor time limited for each process only (this kernel's /proc does not list children)"
	}
	return "no cgroup caps on this run, as " + allows + " allows; in their place RLIMIT_DATA for each process, " + processes + ", and " + watched + ", which a program that means to can exceed: " + err.Error()
}

// hasChildren says whether /proc lists the children of a thread
// (CONFIG_PROC_CHILDREN).
func hasChildren() bool {
	_, err := os.Stat("/proc/thread-self/children")
	return err == nil
}

// watchTree ends a box without a group whose tree uses too much, and returns
// when to look again: a large tree is looked at less often.
func (w *watch) watchTree(now time.Time) time.Time {
	r := w.run
	use := measureTree(w.pid, r.spec.Limits.Pids)
	if use.memory > r.spec.Limits.Memory {
		use.memory = use.shared(r.spec.Limits.Memory)
	}
	w.peak = max(w.peak, use.memory)
	w.spent.add(use)
	switch {
	case int64(use.tasks) > r.spec.Limits.Pids: // where RLIMIT_NPROC would not do
		r.end.now(ReasonPidsLimit)
	case use.memory > r.spec.Limits.Memory:
		r.end.now(ReasonOutOfMemory)
	case w.spent.time() >= r.spec.Limits.CPUTime:
		r.end.now(ReasonCPUTime)
	}
	after := time.Now()
	return after.Add(max(lookEvery, 10*after.Sub(now)))
}
