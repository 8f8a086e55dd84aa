package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-75010da9/jail/test/guest/internal/order"
)

// A bout is one boot: a class of hosts, and as whom.
type bout struct {
	class   class
	user    bool
	stage   stage
	suites  []suite
	image   image
	work    workshop
	filter  string // the tests to run, or ""
	skip    string // the tests to leave out, or ""
	verbose bool
	update  bool // keep what doctor says from now on
}

func (b bout) role() string {
	if b.user {
		return "user"
	}
	return "root"
}

func (b bout) name() string { return b.class.name + " as " + b.role() }

// bouts are one for each host, role and stage, in the order of the stages.
func (o options) bouts(hosts []pick, suites []suite, images map[string]image, work workshop) ([]bout, error) {
	var list []bout
	for _, h := range hosts {
		for _, role := range h.roles {
			stages, none := map[stage][]suite{}, true
			for _, s := range suites {
				if s.unfit(h.class, role) == "" && (o.suites != "" || s.spared(h.class) == "") {
					at := s.stage(h.class, role)
					stages[at], none = append(stages[at], s), false
				}
			}
			if none {
				return nil, fmt.Errorf("%s as %s: none of the suites %s is for it: those that make their own places are for -hosts here, programs are root's in guests, and where no box runs there are no reasons", h.name, role, o.suites)
			}
			for at, fit := range stages {
				list = append(list, bout{h.class, role == "user", at, fit, images[h.kernel.name], work, o.filter, o.skip, o.verbose, o.update})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b bout) int { return cmp.Compare(a.stage, b.stage) })
	return list, nil
}

// runAll runs bouts side by side, and answers in their order. It hands each on as
// soon as it has ended, one at a time: all of them take hours.
func runAll(ctx context.Context, bouts []bout, parallel int, done func(result) error) ([]result, error) {
	results, errs := make([]result, len(bouts)), make([]error, len(bouts))
	var one sync.Mutex
	slots := make(chan struct{}, max(parallel, 1))
	var wg sync.WaitGroup
	for i, b := range bouts {
		if b.class.kernel.kind == here {
			wg.Wait()
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			began := time.Now()
			results[i] = b.run(ctx)
			results[i].TookMS, results[i].Ended = time.Since(began).Milliseconds(), time.Now().UTC().Truncate(time.Second)
			one.Lock()
			defer one.Unlock()
			fmt.Println(results[i].line())
			errs[i] = done(results[i])
		})
		if b.class.kernel.kind == here {
			wg.Wait() // alone: some of its tests measure time
		}
	}
	wg.Wait()
	return results, errors.Join(errs...)
}

// bootTries is how often a guest may fail to come up. Software emulation does
// once in a hundred boots or so; what fails once the guest is up is a failure.
const bootTries = 3

func (b bout) run(ctx context.Context) result {
	r := b.begin()
	switch {
	case ctx.Err() != nil:
		r.Fault = ctx.Err().Error()
	case b.class.kernel.kind == here:
		r = b.onThisMachine(ctx)
	default:
		r = b.inGuest(ctx)
	}
	if why := cutShort(ctx); why != "" {
		r = b.cut(r, why)
	}
	return r
}

func (b bout) inGuest(ctx context.Context) result {
	for try := 1; ; try++ {
		r, err := b.once(ctx)
		if err == nil {
			return r
		}
		if !errors.Is(err, errNotReady) || try == bootTries || ctx.Err() != nil {
			r.Fault = err.Error()
			return r
		}
		fmt.Fprintf(os.Stderr, "guest: %s: tries again: %v\n", b.name(), err)
	}
}

// finish makes sense of a job that has ended.
func (b bout) finish(job order.Job, end order.End, output []byte) (ended, error) {
	j, err := read(b.work.test2json(), job, end, output)
	if err == nil && strings.HasPrefix(j.Name, systemdName) {
		j.Wrong, err = b.compareRows(j)
	}
	if err != nil || j.JSON == nil {
		return j, err
	}
	if strings.HasPrefix(j.Name, programsName+"/") {
		j.Wrong = judgeProgram(j.JSON)
		return j, nil
	}
	j.Wrong = judge(j.JSON, b.refuses(j.Name))
	if j.Wrong == "" && strings.HasPrefix(j.Name, "doctor") && b.class.kernel.kind != here { // there are many machines
		j.Wrong, err = b.compare(b.placeOf(j.Name), j.JSON)
	}
	return j, err
}

// begin is the result of a bout of which nothing is known yet.
func (b bout) begin() result {
	return result{Host: b.class.name, Role: b.role(), Commit: b.work.commit, At: time.Now().UTC().Truncate(time.Second)}
}

// once boots the guest and collects what it says.
func (b bout) once(ctx context.Context) (result, error) {
	r := b.begin()
	o := order.Order{Layout: b.class.layout, User: b.user, Work: b.work.dir, Given: b.class.given}
	const comingUp = 2 * time.Minute
	limit := comingUp
	lists := map[string]bool{}
	for _, s := range b.suites {
		lists[s.name] = s.listed()
		for _, job := range s.jobs(b) {
			o.Jobs = append(o.Jobs, job)
			limit += job.Limit
		}
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	began := time.Now()
	outputs := make([]bytes.Buffer, len(o.Jobs))
	var bad error
	g := guest{image: b.image, arguments: b.class.arguments, order: o, pid1: b.work.pid1(), on: func(e order.Event) {
		switch {
		case e.Ready != nil:
			r.Kernel, r.Controllers, r.BootMS = e.Ready.Kernel, e.Ready.Groups, time.Since(began).Milliseconds()
		case e.End != nil:
			j, err := b.finish(o.Jobs[e.Job], *e.End, outputs[e.Job].Bytes())
			bad = errors.Join(bad, err)
			if !lists[j.Name] {
				j.Passes = nil // they are many
			}
			r.Jobs = append(r.Jobs, j)
		default:
			outputs[e.Job].Write(e.Output)
			if b.verbose {
				fmt.Printf("%s: %s", b.name(), e.Output)
			}
		}
	}}
	err := g.boot(ctx)
	if n := len(r.Jobs); err != nil && n < len(o.Jobs) {
		err = fmt.Errorf("%w\n%s printed:\n%s", err, o.Jobs[n].Name, outputs[n].Bytes())
	}
	return r, errors.Join(err, bad)
}
