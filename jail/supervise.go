package jail

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// carryOut starts the box and sees it through to its end.
func (r *run) carryOut(ctx context.Context, io IO) error {
	if ctx.Err() != nil || r.interrupted() {
		r.end.cause = ReasonCanceled
		return nil
	}
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
	streams.started()
	defer c.fds.closeAll()
	r.end.pidfd, r.end.group = c.pidfd, r.group
	r.streams = streams
	stop := r.watch(ctx)
	werr := r.wait(c)
	stop()
	cause, at := r.end.over()
	if cause != "" {
		r.result.KillMS = time.Since(at).Milliseconds()
	}
	r.result.Stdout, r.result.Stderr = streams.finish(&r.end)
	if late := streams.cause(); late != "" && cause == "" {
		// The program had ended already, with this still in the pipe.
		r.end.lateCause(late)
	}
	return werr
}

// interrupted says whether the caller has ended the run by its descriptor.
func (r *run) interrupted() bool {
	n, _ := unix.Poll([]unix.PollFd{{Fd: int32(r.interrupt), Events: unix.POLLIN}}, 0)
	return n > 0
}

// interruption ends the box if that is what a poll has seen.
func (r *run) interruption(p unix.PollFd) {
	if p.Revents != 0 {
		r.interrupt = -1
		r.end.now(ReasonCanceled)
	}
}

// watch arms what ends a box: the deadline, the caller, and once a run lasts,
// its CPU time and memory.
func (r *run) watch(ctx context.Context) (stop func()) {
	if r.off.Has(ablation.Watch) {
		return func() {}
	}
	deadline := time.AfterFunc(r.spec.Limits.Timeout-time.Since(r.started), func() { r.end.now(ReasonTimeout) })
	canceled := context.AfterFunc(ctx, func() { r.end.now(ReasonCanceled) })
	poll := &poller{run: r}
	if r.group != nil {
		poll.start()
	}
	return func() {
		deadline.Stop()
		canceled()
		poll.stop()
	}
}

const (
	firstPoll = 20 * time.Millisecond
	pollEvery = 50 * time.Millisecond
)

// A poller reads the group's counters from time to time. On cgroup v1 it is
// also what makes the kernel's OOM kill of one process the end of the whole
// group, as memory.oom.group does on v2.
type poller struct {
	run   *run
	mu    sync.Mutex
	timer *time.Timer
	over  bool
}

func (p *poller) start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = time.AfterFunc(firstPoll, p.look)
}

// stop ends the looking; no look is under way when it returns.
func (p *poller) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	if p.timer != nil {
		p.timer.Stop()
	}
}

func (p *poller) look() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	r := p.run
	if out, err := r.group.OutOfMemory(); err == nil && out {
		r.end.now(ReasonOutOfMemory)
	}
	used, err := r.group.CPUUsage()
	if err == nil && used >= r.spec.Limits.CPUTime {
		r.end.now(ReasonCPUTime)
	}
	// Sooner only when the limit could be reached sooner.
	next := pollEvery
	if left := time.Duration(float64(r.spec.Limits.CPUTime-used) / r.spec.Limits.CPUs); err == nil && left < next {
		next = max(left, time.Millisecond)
	}
	p.timer.Reset(next)
}

// wait sees the box through its three ends: the report pipe closes when the
// program has started, the status pipe when it has ended, and PID 1 is reaped
// when the last process of its namespace is gone.
func (r *run) wait(c *child) error {
	told, ok := r.drain(c.reports, reportRoom)
	if ok {
		var err error
		if r.report, err = r.plan.parseReport(told); err != nil {
			r.end.now(ReasonInternalError)
			r.reap(c)
			return &SetupError{Stage: StageSupervise, Operation: "report", Err: err}
		}
	}
	// The program runs now: time for what needs no waiting.
	r.result.Layers = r.receipt()
	if l := r.unproven(); l != "" {
		r.end.now(ReasonInternalError)
		r.reap(c)
		return &SetupError{Stage: StageSupervise, Layer: l, Operation: "evidence",
			Err: errors.New("the kernel does not say that this layer holds the program, which was ended")}
	}
	words, _ := r.drain(c.status, lastSize)
	if r.last, r.ended = parseLast(words); r.ended {
		r.end.over() // nothing that happens now is the cause any more
	}
	r.reap(c)
	return r.outcome()
}

// unproven is a layer that was asked for and for which the kernel's evidence is
// missing, or "". Tests that take walls down are not held to it.
func (r *run) unproven() LayerName {
	if len(r.report.evidence) == 0 || len(r.off) > 0 {
		return ""
	}
	for _, l := range r.result.Layers {
		if l.Asked && !l.Applied {
			return l.Name
		}
	}
	return ""
}

// outcome is the error of a box that was not made, or fell apart.
func (r *run) outcome() error {
	if f := r.report.failed; f != nil {
		return f.failure(r.report.result, r.plan)
	}
	cause, _ := r.end.over()
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

const reportRoom = 64 << 10

// drain reads fd to its end, at most limit bytes. It gives up on a box that was
// killed and does not die.
func (r *run) drain(fd, limit int) ([]byte, bool) {
	buf := make([]byte, 0, 4<<10)
	for r.readable(fd) {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := unix.Read(fd, buf[len(buf):cap(buf)])
		switch {
		case errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN):
			continue
		case err != nil || n == 0:
			return buf, err == nil
		}
		if buf = buf[:len(buf)+n]; len(buf) > limit {
			return buf, false
		}
	}
	return buf, false
}

// readable waits until fd has something to read or has ended. When the program
// writes something meanwhile the copying of its output begins: a program that
// writes nothing costs no goroutine.
func (r *run) readable(fd int) bool {
	for {
		fds := [4]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}, {Fd: -1}, {Fd: -1}, {Fd: int32(r.interrupt), Events: unix.POLLIN}}
		if !r.streams.pumping {
			for i, from := range r.streams.from {
				fds[i+1] = unix.PollFd{Fd: int32(from), Events: unix.POLLIN}
			}
		}
		_, err := unix.Poll(fds[:], 250)
		r.interruption(fds[3])
		if fds[1].Revents&unix.POLLIN != 0 || fds[2].Revents&unix.POLLIN != 0 {
			r.streams.pump(&r.end)
		}
		if fds[0].Revents != 0 {
			return true
		}
		if err != nil && !errors.Is(err, unix.EINTR) || r.end.overdue() {
			return false
		}
		for i := range r.streams.from {
			if !r.streams.pumping && fds[i+1].Revents == unix.POLLHUP { // ended, with nothing written
				r.streams.from[i] = -1
			}
		}
	}
}

// reap waits for PID 1. When it can be waited for the kernel has ended every
// process of its namespace (pid_namespaces(7)); the cgroup is asked as well.
func (r *run) reap(c *child) {
	r.result.TreeEmpty = false
	since := time.Now()
	for wait := 20 * time.Millisecond; !r.gone(c, wait); wait = 100 * time.Millisecond {
		if time.Since(since) > endGrace {
			return
		}
		// A box that starves itself of processor time dies too slowly, unless
		// it is helped: see cgroups.Group.Kill.
		r.end.kill()
	}
	r.rusage(reap(c.pid))
	r.result.TreeEmpty = r.group == nil
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
		_, err := unix.Poll(fds[:], int(left.Milliseconds())+1)
		r.interruption(fds[1])
		if fds[0].Revents != 0 {
			return true
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
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
