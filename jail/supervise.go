package jail

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// carryOut starts the box and sees it through to its end.
func (r *run) carryOut(ctx context.Context, io IO) error {
	if ctx.Err() != nil || interrupted(r.interrupt) {
		r.end.cause = ReasonCanceled
		return nil
	}
	r.stopwatch.begin(StageSession)
	streams, err := r.connect(io)
	if err != nil {
		return err
	}
	r.shape.slave = streams.slave
	c, err := r.launch(streams)
	if err != nil {
		streams.abandon()
		return err
	}
	defer c.fds.closeAll()
	r.began(c, streams)
	streams.bind(io)
	return r.seeThrough(ctx, c)
}

// began takes over a box that was made.
func (r *run) began(c *child, streams *streams) {
	streams.started()
	r.end.pidfd, r.end.group, r.end.lifeline = c.pidfd, r.group, -1
	if r.spec.inPlace() {
		r.end.lifeline = c.lifeline
	}
	r.streams = streams
	r.watch.begin(r, c.pid)
	r.value.start(&r.end) // it may end the box at once
}

// seeThrough waits for the end of the box, or brings it about.
func (r *run) seeThrough(ctx context.Context, c *child) error {
	canceled := context.AfterFunc(ctx, func() { r.end.now(ReasonCanceled) })
	werr := r.wait(c)
	canceled()
	cause, at := r.end.over()
	if cause != "" {
		r.result.KillMS = time.Since(at).Milliseconds()
	}
	r.observer.end()
	r.endAudit()
	p := taking{ended: func() bool { return ctx.Err() != nil || interrupted(r.interrupt) }}
	if cause == "" {
		p.until = r.started.Add(r.spec.Limits.Timeout)
	}
	r.result.Stdout, r.result.Stderr = r.streams.finish(&r.end, p)
	r.value.finish(p)
	if late := cmp.Or(r.streams.cause(), r.value.cause()); late != "" && cause == "" {
		// The program had ended already, with this still in the pipe.
		r.end.lateCause(late)
	}
	return werr
}

// wait sees the box through its three ends: the report pipe closes when the
// program has started, the status pipe when it has ended, and PID 1 is reaped
// when the last process of its namespace is gone.
func (r *run) wait(c *child) error {
	// Only its end is waited for: what PID 1 says right before the program starts
	// is not to have the two of them share a processor.
	r.stopwatch.begin(StageExec)
	if err := r.listenFirst(c); err != nil {
		return err
	}
	r.stayAway(c)
	if err := r.hear(c, 0, reportRoom); err != nil {
		return err
	}
	words, _ := r.drain(c.status, unix.POLLIN, lastSize)
	if r.last, r.ended = parseLast(words); r.ended {
		r.end.over() // nothing that happens now is the cause any more
		r.measure()  // while the kernel ends what is left of the box
	}
	r.stopwatch.begin(timedEnd)
	if !r.alone(c) {
		r.reap(c)
	}
	return r.outcome()
}

// aside is how long the supervisor stays away from a program that has just begun.
const aside = time.Millisecond

// stayAway waits for the end of the program, but not for longer than that. The start
// of a program wakes whoever waits for it on the processor on which it runs itself, and
// where all are busy, as two of them are with PID 1 beside it, that is where the waker
// stays until the program is over: it is late then for that. What there is to do at the
// start, which is to see that every wall is proven, comes at most that much later, or
// while the kernel ends the box; and a call that the filter refuses, which waits for the
// supervisor's answer, waits as long. Whoever wants to know when the program began waits
// for it.
func (r *run) stayAway(c *child) {
	r.lookAtOwn()
	if r.plan.filter.traced || r.spec.Timings {
		return
	}
	fds := [1]unix.PollFd{{Fd: int32(c.status), Events: unix.POLLIN}}
	poll(fds[:], aside)
}

// outcome is the error of a box that was not made, or fell apart.
func (r *run) outcome() error {
	cause, _ := r.end.over()
	if f := r.report.failed; f != nil && (cause == "" || !f.overtaken(r.report.result)) {
		return f.failure(r.report.result, r.plan)
	}
	if cause != "" || r.ended && len(r.report.evidence) > 0 {
		return nil
	}
	// The kernel's OOM killer takes PID 1, too, where it takes the whole group
	// (memory.oom.group) or finds nothing larger.
	if r.group != nil {
		if n, err := r.group.OOMKills(); err == nil && n > 0 {
			return nil
		}
	}
	return &SetupError{Stage: StageSupervise, Operation: "wait", Operand: "PID 1", Err: errors.New("it ended without a word on how the program did")}
}

// reap waits for PID 1. When it can be waited for the kernel has ended every
// process of its namespace (pid_namespaces(7)); the cgroup is asked as well.
func (r *run) reap(c *child) {
	r.result.TreeEmpty = false
	since := time.Now()
	for wait := 20 * time.Millisecond; !r.gone(c, wait); wait = 100 * time.Millisecond {
		if time.Since(since) > endGrace {
			if r.spec.inPlace() {
				r.uproot(c)
			}
			return
		}
		// A box that starves itself of processor time dies too slowly, unless
		// it is helped: see cgroups.Group.Kill.
		r.end.kill()
	}
	r.reaped = true
	status, usage := reap(c.pid)
	r.rusage(usage)
	// A keeper that ends by itself has waited for its last descendant.
	r.result.TreeEmpty = r.group == nil && (!r.spec.inPlace() || status.Exited())
	for range 100 {
		if r.group == nil {
			return
		}
		if empty, err := r.group.Empty(); err == nil && empty {
			r.result.TreeEmpty = true
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// gone waits for the end of PID 1, at most that long.
func (r *run) gone(c *child, wait time.Duration) bool {
	until := time.Now().Add(wait)
	for left := wait; left > 0; left = time.Until(until) {
		fds := [2]unix.PollFd{{Fd: int32(c.pidfd), Events: unix.POLLIN}, {Fd: int32(r.interrupt), Events: unix.POLLIN}}
		err := poll(fds[:], left)
		r.interruption(fds[1])
		if fds[0].Revents != 0 {
			return true
		}
		if err != nil {
			return false
		}
	}
	return false
}

// failure is a failing step as the caller sees it.
func (s *Step) failure(result int32, p *Plan) *SetupError {
	e := &SetupError{Stage: s.Stage, Layer: s.Layer, Operation: s.Operation, Operand: s.Operand}
	if result < 0 {
		e.Err = syscall.Errno(-result)
	} else {
		e.Err = errors.New("the kernel did not do what was asked (it answered " + strconv.Itoa(int(result)) + ")")
	}
	e.Remedy = remedy(e, p)
	return e
}
