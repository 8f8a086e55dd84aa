package jail

import (
	"fmt"
	"slices"
	"time"

	"github.com/seed-75010da9/jail/cgroups"
	"golang.org/x/sys/unix"
)

// facts are what a verdict is made of. Each has its evidence; nothing is
// guessed from a signal's number, and of SIGSYS nobody's guess is told as known.
type facts struct {
	cause      Reason // recorded before the kill, "" if the box ended by itself
	status     unix.WaitStatus
	ended      bool // status is known
	oomKills   int64
	pidsDenied int64
	tmpfsFull  bool
	cpuSpent   bool // the processor time that was counted is the limit or more
	filtered   bool // the box had a filter, which ends foreign calls by SIGSYS
	heapFull   bool // it ended itself for want of the heap that it was given
}

// reason is the first of these that holds.
func (f facts) reason() Reason {
	failed := f.ended && (f.status.Signaled() || f.status.ExitStatus() != 0)
	switch {
	case f.oomKills > 0 && (f.cause == "" || f.cause == ReasonOutOfMemory):
		return ReasonOutOfMemory
	case f.cause != "":
		return f.cause
	case !f.ended:
		return ReasonInternalError
	case f.status.Signaled() && f.status.Signal() == unix.SIGSYS && f.filtered:
		return ReasonSyscallDenied
	case f.status.Signaled() && f.status.Signal() == unix.SIGXCPU && f.cpuSpent:
		return ReasonCPUTime
	case f.heapFull:
		return ReasonOutOfMemory
	case failed && f.pidsDenied > 0:
		return ReasonPidsLimit
	case failed && f.tmpfsFull:
		return ReasonDiskFull
	case f.status.Signaled():
		return ReasonSignaled
	case failed:
		return ReasonExecutionFailed
	}
	return ReasonOK
}

// verdict fills in how a run that was started ended.
func (r *run) verdict() {
	cause, _ := r.end.over()
	f := facts{cause: cause, status: r.last.status, ended: r.ended, tmpfsFull: r.last.full, filtered: r.plan != nil && r.plan.filter.program != nil}
	if r.group != nil {
		r.measure()
		stats := r.stats
		r.usage(stats)
		if stats.OOMKills != nil {
			f.oomKills = *stats.OOMKills
		}
		// Sockets may have gone past it without a kill (cgroup v1).
		if r.spec.Net == NetLoopback && cause == "" {
			if out, err := r.group.OutOfMemory(); err == nil && out {
				f.cause = ReasonOutOfMemory
			}
		}
		if stats.PidsDenied != nil {
			f.pidsDenied = *stats.PidsDenied
		}
	}
	if f.ended {
		f.heapFull = r.heapFull(f.status)
	}
	res := &r.result
	if u := res.Usage; u.CPUUserMS != nil && u.CPUSystemMS != nil {
		f.cpuSpent = *u.CPUUserMS+*u.CPUSystemMS >= r.spec.Limits.CPUTime.Milliseconds()
	}
	res.Reason = f.reason()
	switch {
	case f.ended && f.status.Exited():
		code := f.status.ExitStatus()
		res.ExitCode = &code
	case f.ended && f.status.Signaled():
		name := unix.SignalName(f.status.Signal())
		res.Signal = &name
	case r.streams != nil && (cause != "" || f.oomKills > 0): // else nothing was there to be killed
		name := "SIGKILL"
		res.Signal = &name
	}
	res.Message, res.Hint = r.words(f)
	message, hint := besides(res.Reason, r.forksRefused, f.pidsDenied, r.observer.delayed())
	res.Message, res.Hint = res.Message+message, joined(res.Hint, hint)
	switch cut := res.Stdout.Truncated || res.Stderr.Truncated; {
	case cut && r.streams != nil && r.streams.untakenRest():
		if res.Reason != ReasonCanceled { // of which it is the cause
			res.Message += "; not all of its output was taken"
		}
	case cut && res.Reason != ReasonOutputTooLarge:
		res.Message += fmt.Sprintf("; of %d bytes of output only %d were kept or passed on", res.Stdout.Bytes+res.Stderr.Bytes, r.spec.Limits.Output)
	}
	if !res.TreeEmpty {
		res.Message += "; some of its processes, though killed, have not ended yet"
	}
}

// measure reads the group's counters, once. What one that can't be read would
// have shown stays unknown.
func (r *run) measure() {
	if r.group != nil && !r.counted {
		r.stats, _ = r.group.Stats()
		r.counted = true
	}
}

// signalHint says what often ends a program so. A runtime that finds no memory aborts
// by itself, which the kernel does not count: that it had much of it makes this
// likely, and nothing can prove it. V8's heap may be half of a small memory cap, and
// three quarters of others.
func (r *run) signalHint(signal string) string {
	switch {
	case signal == "SIGXFSZ":
		return "a file grew past its limit: raise --fsize"
	case signal == "SIGABRT" && r.hadMemory():
		return "runtimes that find no memory end so, such as V8, whose heap follows the memory cap; it had much of that: raise --memory"
	case r.shape.backstops && r.hadMemory() && slices.Contains([]string{"SIGSEGV", "SIGBUS", "SIGILL", "SIGTRAP"}, signal):
		return fmt.Sprintf("programs that are refused memory often end so, without a word; there is no control group, each process may have %d bytes of its own instead, and this had much of that: raise --memory if it needs more", r.spec.Limits.Memory)
	}
	return ""
}

// hadMemory says whether the processes had at least half of the memory they may have.
func (r *run) hadMemory() bool {
	peak := r.result.Usage.MemoryPeakBytes
	return peak != nil && *peak >= r.spec.Limits.Memory/2
}

// usage takes over what the group counted.
func (r *run) usage(s cgroups.Stats) {
	u := &r.result.Usage
	ms := func(d time.Duration) *int64 { n := d.Milliseconds(); return &n }
	u.CPUUserMS, u.CPUSystemMS, u.CPUThrottledMS = ms(s.CPUUser), ms(s.CPUSystem), ms(s.Throttled)
	u.MemoryPeakBytes, u.PidsPeak, u.OOMKills = s.MemoryPeak, s.PidsPeak, s.OOMKills
	u.IOReadBytes, u.IOWriteBytes = s.IORead, s.IOWrite
}

// rusage takes over what the kernel counted for PID 1 and all that it and the
// end of its namespace reaped, where there is no group to ask; or what the
// supervisor saw, if that is more.
func (r *run) rusage(u unix.Rusage) {
	if r.group != nil {
		return
	}
	user, system := u.Utime.Nano()/1e6, u.Stime.Nano()/1e6
	if seen := r.watch.spent.most; seen.time().Milliseconds() > user+system {
		user, system = seen.user.time().Milliseconds(), seen.system.time().Milliseconds()
	}
	peak := max(u.Maxrss<<10, r.watch.peak)
	r.result.Usage.CPUUserMS, r.result.Usage.CPUSystemMS, r.result.Usage.MemoryPeakBytes = &user, &system, &peak
}

// words say how a run ended, and what to type if it should end otherwise.
func (r *run) words(f facts) (message, hint string) {
	l, res := r.spec.Limits, r.result
	wall := time.Duration(res.Usage.WallMS) * time.Millisecond
	switch res.Reason {
	case ReasonOK:
		return "the program ended with exit code 0", ""
	case ReasonExecutionFailed:
		return fmt.Sprintf("the program ended with exit code %d", *res.ExitCode), ""
	case ReasonSignaled:
		return "the program was ended by " + *res.Signal, r.signalHint(*res.Signal)
	case ReasonTimeout:
		if r.watch.idled {
			return fmt.Sprintf("ended because it was idle: for %v nothing was read or written", l.IdleTimeout), "raise --idle-timeout if the program may be silent for longer"
		}
		return fmt.Sprintf("ended after %v of wall time (limit %v)", wall, l.Timeout), "raise --timeout if the program needs longer"
	case ReasonCPUTime:
		return fmt.Sprintf("ended after its processor time was used up (limit %v)", l.CPUTime), "raise --cpu-time (or --timeout, which it follows) if the program needs more"
	case ReasonOutputTooLarge:
		if r.value.cause() == ReasonOutputTooLarge {
			return fmt.Sprintf("ended after it wrote a value of more than %d bytes", l.Output), "raise --output, or have the program answer with less"
		}
		return fmt.Sprintf("ended after it wrote more than %d bytes of output", l.Output), "raise --output, or take --output-mode truncate to let it go on"
	case ReasonOutOfMemory:
		if f.heapFull && f.oomKills == 0 {
			how := "with exit code 1, for the JavaScript heap of a worker"
			if res.Signal != nil {
				how = "itself by " + *res.Signal + ", for its JavaScript heap"
			}
			return fmt.Sprintf("the program ended %s was full, which is a part of its memory (limit %d bytes, for the whole process tree)", how, l.Memory), "raise --memory if the program needs more: unless --max-old-space-size is given, the heap follows that"
		}
		if r.group == nil {
			return fmt.Sprintf("ended by the supervisor, which found its processes to have more memory than they may (limit %d bytes, for the whole process tree; no control group holds it to that)", l.Memory), "raise --memory if the program needs more"
		}
		if a := r.memoryAround(); a != nil {
			return fmt.Sprintf("ended by the kernel for want of memory, and not of its own limit of %d bytes: %s", l.Memory, a.groups), a.remedy
		}
		return fmt.Sprintf("ended by the kernel for want of memory (limit %d bytes, for the whole process tree, with its /tmp)", l.Memory), "raise --memory if the program needs more"
	case ReasonPidsLimit:
		if cause, _ := r.end.over(); cause != "" {
			return fmt.Sprintf("ended after more processes and threads than it may have were seen (limit %d)", l.Pids), "raise --pids if the program needs more"
		}
		limit, remedy := r.forksRefused()
		return "the program failed after forks were refused (" + limit + ")", remedy + " if the program needs more"
	case ReasonDiskFull:
		if r.spec.inPlace() {
			return fmt.Sprintf("ended, or it failed, with its private folder past its size or the disk full (limit %d bytes)", l.TmpSize), "raise --tmp-size, or grant a folder with --rw"
		}
		return fmt.Sprintf("the program failed, and its /tmp or /dev/shm is full (limit %d bytes each)", l.TmpSize), "raise --tmp-size, or grant a folder with --rw"
	case ReasonSyscallDenied:
		return "the program was ended by SIGSYS: by the box's filter, for a system call of another architecture, or by a program that sent it, which looks the same",
			"if it was built for another architecture, build it for this machine's"
	case ReasonCanceled:
		if r.streams != nil && r.streams.lostFor() != nil {
			return "ended because its output could not be passed on: " + r.streams.lostFor().Error(), ""
		}
		if err := r.value.lostFor(); err != nil {
			return "ended because its value could not be passed on: " + err.Error(), ""
		}
		return "ended because the caller asked for it", ""
	}
	return "the box ended without a word on how the program did", ""
}

func (l Limits) inForce() InForce {
	cpu := l.CPUTime.Milliseconds()
	output := &l.Output
	if l.Output == Unlimited {
		output = nil
	}
	return InForce{
		TimeoutMS: l.Timeout.Milliseconds(), IdleTimeoutMS: l.IdleTimeout.Milliseconds(), CPUTimeMS: &cpu, MemoryBytes: &l.Memory, CPUs: &l.CPUs,
		Pids: &l.Pids, OutputBytes: output, TmpBytes: l.TmpSize, NoFile: l.NoFile, FileSizeBytes: l.FileSize,
	}
}
