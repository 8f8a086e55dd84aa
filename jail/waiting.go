package jail

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/seed-75010da9/jail/internal/interrupt"
	"golang.org/x/sys/unix"
)

// A waiting box has everything but its program.
type waiting struct {
	r       *run
	c       *child
	begun   chan struct{} // closed when a run has taken it
	through chan struct{} // closed when nothing but the clearing away is left
	taken   atomic.Bool   // by a run, or by the end of the Pool
}

// readyWithin is what making a box may take. Limits.Timeout is the program's, and
// may be shorter.
const readyWithin = 30 * time.Second

// refillPause is how long a place in a pool stays empty after a box could not be
// made.
const refillPause = time.Second

// refillDelay is how long making the next box waits for one that runs.
const refillDelay = 20 * time.Millisecond

// keep makes one box, offers it, and clears away what is left of it. It stays on
// one thread, with whose end the kernel would end the box.
func (p *Pool) keep(first chan<- error) {
	for {
		select {
		case <-p.closing:
			return
		default:
		}
		w, err := p.prepare()
		if err == nil {
			p.ready <- w
		}
		if first != nil {
			first <- err
		}
		if err == nil {
			p.wait(w)
			return
		}
		if first != nil {
			return
		}
		select {
		case <-p.closing:
			return
		case <-time.After(refillPause):
		}
	}
}

// prepare makes a box up to the point where it waits for its command.
func (p *Pool) prepare() (*waiting, error) {
	r := newRun(p.ctx, p.template)
	r.lockThread()
	w := &waiting{r: r, begun: make(chan struct{}), through: make(chan struct{})}
	err := w.makeBox()
	if err == nil {
		err = r.hear(w.c, unix.POLLIN, evidenceSize)
	}
	if err == nil && len(r.report.evidence) == 0 {
		err = r.unready(w.c)
	}
	if err != nil {
		w.clearAway()
		return nil, err
	}
	return w, nil
}

// unready is why a box does not wait for its command, which ends it.
func (r *run) unready(c *child) error {
	cause, _ := r.end.over()
	unix.PidfdSendSignal(c.pidfd, unix.SIGKILL, nil, 0)
	r.reap(c)
	if err := r.outcome(); err != nil {
		return err
	}
	e := &SetupError{Stage: StageSupervise, Operation: "wait", Operand: "PID 1", Err: unix.ENOMEM, Remedy: "raise --memory"}
	if cause == ReasonTimeout {
		e.Err, e.Remedy = unix.ETIMEDOUT, ""
	}
	return e
}

func (w *waiting) makeBox() error {
	r := w.r
	io := IO{Stdin: noInput{}}
	if err := r.prepare(io); err != nil {
		return err
	}
	r.shape.late = true
	streams, err := r.connect(io)
	if err != nil {
		return err
	}
	if w.c, err = r.launch(streams); err != nil {
		streams.abandon()
		return err
	}
	r.began(w.c, streams)
	unix.SetsockoptInt(w.c.channel, unix.SOL_SOCKET, unix.SO_SNDBUF, lateRoom) // the host's default may be less
	r.watch.deadline = r.started.Add(readyWithin)
	return nil
}

// noInput stands for an input that is not known yet.
type noInput struct{}

func (noInput) Read([]byte) (int, error) { return 0, nil }

// wait waits until a box that was offered has run its command. Another one is made
// in its place then, or when it turns out to take its time: making one is work that
// would slow a short run down.
func (p *Pool) wait(w *waiting) {
	defer w.clearAway()
	select {
	case <-w.begun:
	case <-p.closing:
		if w.taken.CompareAndSwap(false, true) {
			return
		}
	}
	select {
	case <-w.through:
	case <-time.After(refillDelay):
	}
	p.boxes.Go(func() { p.keep(nil) })
	<-w.through
}

// run has the box run its command; not ok says that there is no such box any
// more, and nothing has happened.
func (w *waiting) run(ctx context.Context, spec Spec, block []byte, io IO) (res Result, err error, ok bool) {
	close(w.begun)
	defer close(w.through)
	r, now := w.r, time.Now()
	r.stopwatch.restart() // before the box knows: its next stage may begin before this goes on
	if unix.Sendmsg(w.c.channel, block, nil, nil, unix.MSG_NOSIGNAL) != nil {
		return Result{}, nil, false
	}
	r.named(spec)
	r.started, r.interrupt = now, interrupt.Of(ctx)
	r.result.ID, r.result.Name, r.result.StartedAt, r.result.Warm = newID(now), spec.Name, now.UTC(), true
	r.watch.begin(r, w.c.pid)
	r.streams.bind(io)
	res, err = r.finish(r.seeThrough(ctx, w.c))
	return res, err, true
}

// clearAway ends a box that was not used, and gives back all that the box held.
func (w *waiting) clearAway() {
	r, c := w.r, w.c
	if c != nil {
		if r.streams != nil && r.streams.sinks[0] == nil {
			r.streams.abandon()
		}
		unix.PidfdSendSignal(c.pidfd, unix.SIGKILL, nil, 0) // on its way out, if it has run something
		if !r.reaped {
			r.reap(c)
		}
		c.fds.closeAll()
	}
	r.close()
}
