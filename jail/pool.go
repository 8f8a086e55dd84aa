package jail

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"github.com/seed-75010da9/jail/internal/interrupt"
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
	ready    chan *waiting // never more than its room
	closing  chan struct{}
	stop     func() bool // ctx need not tell of its end any more
	close    sync.Once
	boxes    sync.WaitGroup
}

// NewPool makes size boxes from template, whose Name, Args and Env mean nothing,
// and keeps as many ready from then on. The first one is made before NewPool
// returns: the error is what [Run] would return. Boxes of tier 2 can't be made
// ahead. The end of ctx closes the Pool.
func NewPool(ctx context.Context, template Spec, size int) (*Pool, error) {
	template = template.own()
	template.Name, template.Args, template.Env = "", []string{"/"}, nil
	template.Limits = template.Limits.WithDefaults()
	var faults Faults
	if size < 1 || size > maxPool {
		faults = append(faults, Fault{"size", strconv.Itoa(size), "must be 1 to " + strconv.Itoa(maxPool)})
	}
	if template.inPlace() {
		faults = append(faults, Fault{"tier", strconv.Itoa(int(template.Tier)), "must be 1: a box of tier 2 can't be made ahead of need"})
	}
	if template.Trace {
		faults = append(faults, Fault{"trace", "true", "must be false: a box that is made ahead of need is not traced"})
	}
	var more Faults
	if errors.As(template.Validate(), &more) {
		faults = append(faults, more...)
	}
	if len(faults) > 0 {
		return nil, faults
	}
	p := &Pool{ctx: ctx, template: template, ready: make(chan *waiting, size), closing: make(chan struct{})}
	first := make(chan error)
	p.boxes.Go(func() { p.keep(first) })
	if err := <-first; err != nil {
		return nil, err
	}
	for range size - 1 {
		p.boxes.Go(func() { p.keep(nil) })
	}
	p.stop = context.AfterFunc(ctx, p.begone)
	return p, nil
}

// own is s with nothing in it that somebody else can change.
func (s Spec) own() Spec {
	s.View, s.Optional, s.Require = slices.Clone(s.View), slices.Clone(s.Optional), slices.Clone(s.Require)
	s.Seccomp.Allow, s.Seccomp.Deny = slices.Clone(s.Seccomp.Allow), slices.Clone(s.Seccomp.Deny)
	if s.Profile != nil {
		profile := *s.Profile
		profile.Files = slices.Clone(profile.Files)
		s.Profile = &profile
	}
	return s
}

// maxPool bounds the boxes of one pool. Each takes a thread of the supervisor, of
// which the Go runtime allows ten thousand.
const maxPool = 1000

// Close ends the boxes that wait, waits for those that run and for everything of
// the pool to be cleared away. Runs that begin later are made cold.
func (p *Pool) Close() error {
	p.stop()
	p.begone()
	p.boxes.Wait()
	return nil
}

func (p *Pool) begone() { p.close.Do(func() { close(p.closing) }) }

// Ready is how many boxes wait to be taken, from 0 to the Pool's size. It is the count
// of a moment: runs take boxes, and new ones are made, at any time.
func (p *Pool) Ready() int { return len(p.ready) }

// Accepts says whether spec is the Pool's but for what a [Command] says.
func (p *Pool) Accepts(spec Spec) bool {
	spec.Limits = spec.Limits.WithDefaults()
	spec.Name, spec.Args, spec.Env = p.template.Name, p.template.Args, p.template.Env
	if mine, its := p.template.Profile, spec.Profile; mine != nil && its != nil { // wherever somebody else has its text
		spec.Profile = &ProfileRef{Name: its.Name, Digest: its.Digest, Files: mine.Files, Grants: mine.Grants, Denies: mine.Denies}
	}
	return reflect.DeepEqual(spec, p.template)
}

// Run is [RunIO] in a box that is ready or, where none is, in one that is made
// now. So is a command that a waiting box can't take: one of more than 128 KiB, one
// that is looked for in more than eight folders, one with a terminal or a value.
func (p *Pool) Run(ctx context.Context, c Command, io IO) (Result, error) {
	spec := p.template
	spec.Name, spec.Args, spec.Env = c.Name, c.Args, c.Env
	if io.TTY != nil || io.Value != nil || ctx.Err() != nil || interrupted(interrupt.Of(ctx)) || io.holds(spec) != nil || spec.Validate() != nil {
		return RunIO(ctx, spec, io)
	}
	block, ok := lateBlock(spec)
	if !ok {
		return RunIO(ctx, spec, io)
	}
	for {
		select {
		case w := <-p.ready:
			if !w.taken.CompareAndSwap(false, true) {
				continue
			}
			if res, err, ok := w.run(ctx, spec, block, io); ok {
				return res, err
			}
		default:
			return RunIO(ctx, spec, io)
		}
	}
}
