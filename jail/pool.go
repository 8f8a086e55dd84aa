package jail

import (
	"context"
	"reflect"
	"strconv"
	"sync"
	"time"

	"github.com/seed-75010da9/jail/internal/interrupt"
	"golang.org/x/sys/unix"
)

// A Command is what may differ between the runs of one [Pool].
type Command struct {
	Name string   // as Spec.Name
	Args []string // as Spec.Args
	Env  []string // as Spec.Env
}

// A Pool keeps boxes ready: set up from one Spec with every wall and limit in
// place, each waits for one command, runs it and is thrown away. What such a run
// is spared is the setting up, which costs more than most short programs do. It is
// the same box, and the same record but for its field warm.
//
// A box that waits holds its processes, its group and its mounts, and some 300 KiB
// of memory; what it has of the host's files is what was there when it was made.
type Pool struct {
	ctx      context.Context
	template Spec
	ready    chan *waiting
	closing  chan struct{}
	close    sync.Once
	boxes    sync.WaitGroup
}

// A waiting box has everything but its program.
type waiting struct {
	r       *run
	c       *child
	through chan struct{} // closed when nothing but the clearing away is left
}

// refillPause is how long a place in a pool stays empty after a box could not be
// made.
const refillPause = time.Second

// refillDelay is how long making the next box waits for one that runs.
const refillDelay = 20 * time.Millisecond

// NewPool makes size boxes from template, whose Name, Args and Env mean nothing,
// and keeps as many ready from then on. The first one is made before NewPool
// returns: the error is what [Run] would return. Boxes of tier 2 can't be made
// ahead. The end of ctx closes the Pool.
func NewPool(ctx context.Context, template Spec, size int) (*Pool, error) {
	template.Name, template.Args, template.Env = "", []string{"/"}, nil
	template.Limits = template.Limits.WithDefaults()
	var faults Faults
	if size < 1 || size > maxPool {
		faults = append(faults, Fault{"size", strconv.Itoa(size), "must be 1 to " + strconv.Itoa(maxPool)})
	}
	if template.inPlace() {
		faults = append(faults, Fault{"tier", strconv.Itoa(int(template.Tier)), "must be 1: a box of tier 2 can't be made ahead of need"})
	}
	if len(faults) > 0 {
		return nil, faults
	}
	p := &Pool{ctx: ctx, template: template, ready: make(chan *waiting), closing: make(chan struct{})}
	first := make(chan error)
	p.boxes.Go(func() { p.keep(first) })
	if err := <-first; err != nil {
		return nil, err
	}
	for range size - 1 {
		p.boxes.Go(func() { p.keep(nil) })
	}
	context.AfterFunc(ctx, func() { p.close.Do(func() { close(p.closing) }) })
	return p, nil
}

// maxPool bounds the boxes of one pool. Each takes a thread of the supervisor, of
// which the Go runtime allows ten thousand.
const maxPool = 1000

// Close ends the boxes that wait, waits for those that run and for everything of
// the pool to be cleared away. Runs that begin later are made cold.
func (p *Pool) Close() error {
	p.close.Do(func() { close(p.closing) })
	p.boxes.Wait()
	return nil
}

// Accepts says whether spec is the Pool's but for what a [Command] says.
func (p *Pool) Accepts(spec Spec) bool {
	spec.Limits = spec.Limits.WithDefaults()
	spec.Name, spec.Args, spec.Env = p.template.Name, p.template.Args, p.template.Env
	return reflect.DeepEqual(spec, p.template)
}

// Run is [RunIO] in a box that is ready or, where none is, in one that is made
// now. So is a command that a waiting box can't take: one of more than 128 KiB, one
// that is looked for in more than eight folders, one with a terminal.
func (p *Pool) Run(ctx context.Context, c Command, io IO) (Result, error) {
	spec := p.template
	spec.Name, spec.Args, spec.Env = c.Name, c.Args, c.Env
	if io.TTY != nil || ctx.Err() != nil || spec.Validate() != nil {
		return RunIO(ctx, spec, io)
	}
	block, ok := lateBlock(spec)
	if !ok {
		return RunIO(ctx, spec, io)
	}
	for {
		select {
		case w := <-p.ready:
			if res, err, ok := w.run(ctx, spec, block, io); ok {
				return res, err
			}
		default:
			return RunIO(ctx, spec, io)
		}
	}
}

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
		if first != nil {
			first <- err
		}
		if err == nil {
			p.offer(w)
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
	w := &waiting{r: r, through: make(chan struct{})}
	err := w.makeBox()
	if err == nil {
		err = r.hear(w.c, unix.POLLIN, evidenceSize)
	}
	if err == nil && len(r.report.evidence) == 0 {
		r.end.now(ReasonTimeout)
		r.reap(w.c)
		if err = r.outcome(); err == nil {
			err = &SetupError{Stage: StageSupervise, Operation: "wait", Operand: "PID 1", Err: unix.ETIMEDOUT}
		}
	}
	if err != nil {
		w.clearAway()
		return nil, err
	}
	return w, nil
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
	return nil
}

// noInput stands for an input that is not known yet.
type noInput struct{}

func (noInput) Read([]byte) (int, error) { return 0, nil }

// offer waits for somebody to take the box. Another one is made in its place once
// that has run, or has turned out to take its time: making one is work that would
// slow a short run down.
func (p *Pool) offer(w *waiting) {
	defer w.clearAway()
	select {
	case p.ready <- w:
	case <-p.closing:
		return
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
	defer close(w.through)
	r, now := w.r, time.Now()
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
