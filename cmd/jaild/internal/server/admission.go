package server

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// limits of what the server takes on.
type limits struct {
	running, queue, perCaller int
	queueTime                 time.Duration
}

// An admission decides who runs, who waits and who is sent away. Turns come in
// the order of asking.
type admission struct {
	limits limits

	mu       sync.Mutex
	places   int // tickets that are out
	running  int
	queue    []*ticket
	callers  map[string]int // tickets of each
	draining bool
	idle     chan struct{} // closed when draining and nobody has a ticket
}

// A ticket is one request's place, from its first byte to its answer.
type ticket struct {
	a      *admission
	caller string
	turn   chan struct{} // closed when it may run, or never will
	state  state
}

type state int

const (
	arriving state = iota
	queued
	running
	sentAway
)

func newAdmission(l limits) *admission {
	return &admission{limits: l, callers: map[string]int{}, idle: make(chan struct{})}
}

// arrive takes a place for a request that is still to be read: those, too, take
// memory. The answer says why there is none.
func (a *admission) arrive() (*ticket, *answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.draining {
		return nil, ptr(draining())
	}
	if a.places >= a.limits.running+a.limits.queue {
		return nil, ptr(full(fmt.Sprintf("the server is full: %d runs at once and %d waiting are its most", a.limits.running, a.limits.queue)))
	}
	a.places++
	return &ticket{a: a, turn: make(chan struct{})}, nil
}

// enter queues t for caller, or lets it run at once.
func (t *ticket) enter(caller string) *answer {
	a := t.a
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.draining {
		return ptr(draining())
	}
	if a.callers[caller] >= a.limits.perCaller {
		return ptr(full(fmt.Sprintf("%s has %d runs here, running and waiting, which is the most for one caller", caller, a.limits.perCaller)))
	}
	a.callers[caller]++
	t.caller, t.state = caller, queued
	a.queue = append(a.queue, t)
	a.next()
	return nil
}

// wait waits for t's turn. The end of ctx is the run's to tell of: it then may
// begin, and is canceled at once.
func (t *ticket) wait(ctx context.Context) *answer {
	timer := time.NewTimer(t.a.limits.queueTime)
	defer timer.Stop()
	select {
	case <-t.turn:
	case <-ctx.Done():
		return nil
	case <-timer.C:
	}
	t.a.mu.Lock()
	defer t.a.mu.Unlock()
	switch {
	case t.state == running:
		return nil
	case t.a.draining:
		return ptr(draining())
	}
	return ptr(full(fmt.Sprintf("no turn came within %v", t.a.limits.queueTime)))
}

// leave gives t's place to others.
func (t *ticket) leave() {
	a := t.a
	a.mu.Lock()
	defer a.mu.Unlock()
	switch t.state {
	case running:
		a.running--
	case queued:
		a.queue = slices.DeleteFunc(a.queue, func(o *ticket) bool { return o == t })
	}
	if t.caller != "" {
		if a.callers[t.caller]--; a.callers[t.caller] == 0 {
			delete(a.callers, t.caller)
		}
	}
	t.state = sentAway
	a.places--
	a.next()
	a.checkIdle()
}

// next lets those run whose turn it is.
func (a *admission) next() {
	for a.running < a.limits.running && len(a.queue) > 0 {
		t := a.queue[0]
		a.queue = a.queue[1:]
		t.state = running
		a.running++
		close(t.turn)
	}
}

// drain takes no new work, and sends away who waits. The channel is closed when
// nobody is left.
func (a *admission) drain() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.draining {
		a.draining = true
		for _, t := range a.queue {
			t.state = sentAway
			close(t.turn)
		}
		a.queue = nil
		a.checkIdle()
	}
	return a.idle
}

func (a *admission) checkIdle() {
	if a.draining && a.places == 0 {
		select {
		case <-a.idle:
		default:
			close(a.idle)
		}
	}
}

// counts are what the server is doing now.
func (a *admission) counts() (running, waiting int, draining bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.running, len(a.queue), a.draining
}

func ptr[T any](v T) *T { return &v }
