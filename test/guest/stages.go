package main

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
)

// A stage is when in a run something is run: what says most for its time comes first,
// so that a run that is out of time has lost the least. Each is a boot of its own.
type stage int

const (
	places      stage = iota // this machine, but for the long suites
	basics                   // every short suite on every host
	attacks                  // as an ordinary user, on kernels with every wall; and this machine's
	rootAttacks              // the same, as root
	walls                    // as an ordinary user: a suite of half an hour
	rootWalls                // the same, as root
	lesser                   // both, on kernels that lack a wall
	programs                 // hours
)

// stage is that of a suite on a host for a role.
func (s suite) stage(h class, role string) stage {
	switch {
	case s.commands != "":
		return programs
	case !s.long && h.kernel.kind == here:
		return places
	case !s.long:
		return basics
	case h.refuses != "":
		return lesser
	case h.kernel.kind == here, role == "user" && s.name == "escape":
		return attacks
	case s.name == "escape":
		return rootAttacks
	case role == "user":
		return walls
	}
	return rootWalls
}

// unfit is why a suite is not for a host and a role, or "": it is.
func (s suite) unfit(h class, role string) string {
	switch {
	case s.here && h.kernel.kind != here:
		return "it makes its places on the host here"
	case len(s.only) > 0 && !slices.Contains(s.only, h.name):
		return "it is for " + strings.Join(s.only, " and ")
	case len(s.only) > 0 && role != "root":
		return "it is root's"
	case s.boxes && h.kernel.below:
		return "no box runs on this kernel"
	case s.commands != "" && (h.kernel.kind == here || h.kernel.below || role != "root" || h.refuses != ""):
		return "it is root's, in guests that have every wall"
	}
	return ""
}

// spared is why a suite is left out on a host unless it is asked for by name, or "".
func (s suite) spared(h class) string {
	if s.long && h.brief {
		return "on " + h.kernel.name + " alone"
	}
	return ""
}

const notAskedFor = "not asked for"

// notRun is why a host has no result of a suite.
func (r *result) notRun(s suite, h class) string {
	if e := r.job(s.name); e != nil && e.NotRun != "" {
		return e.NotRun
	}
	return cmp.Or(s.unfit(h, r.Role), s.spared(h), notAskedFor)
}

// errOutOfTime: the time of -within is over.
var errOutOfTime = errors.New("out of time")

// deadline is a context that ends then, if there is a limit.
func (o options) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.within == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, o.within, errOutOfTime)
}

// outOfTime says that a context has ended for that, and not by a signal.
func outOfTime(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errOutOfTime) }

// cutShort is why a run ended before its end, by its time or by a signal, or "".
func cutShort(ctx context.Context) string {
	switch {
	case outOfTime(ctx):
		return errOutOfTime.Error()
	case ctx.Err() != nil:
		return "interrupted"
	}
	return ""
}

// cut records which jobs were not run for that: a guest that was ended meanwhile is no
// fault of its own.
func (b bout) cut(r result, why string) result {
	for _, s := range b.suites {
		for _, job := range s.jobs(b) {
			if !slices.ContainsFunc(r.Jobs, func(e ended) bool { return e.Name == job.Name }) {
				r.Jobs, r.Fault = append(r.Jobs, ended{Name: job.Name, NotRun: why}), ""
			}
		}
	}
	return r
}
