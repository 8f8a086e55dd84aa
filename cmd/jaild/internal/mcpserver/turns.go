package mcpserver

import (
	"context"
	"errors"
	"sync"
)

// turns bounds how many boxes there are at once, and how many calls wait for one.
type turns struct {
	running chan struct{}
	most    int // that wait or run

	mu    sync.Mutex
	calls int
	idle  sync.WaitGroup
}

var errFull = errors.New("too many calls are running and waiting already; call again when one of them has been answered")

func newTurns(running, waiting int) *turns {
	return &turns{running: make(chan struct{}, running), most: running + waiting}
}

// take waits for a turn. Whoever gets one calls leave.
func (t *turns) take(ctx context.Context) (leave func(), err error) {
	t.mu.Lock()
	if t.calls == t.most {
		t.mu.Unlock()
		return nil, errFull
	}
	t.calls++
	t.idle.Add(1)
	t.mu.Unlock()
	gone := func() {
		t.mu.Lock()
		t.calls--
		t.mu.Unlock()
		t.idle.Done()
	}
	select {
	case t.running <- struct{}{}:
		return func() { <-t.running; gone() }, nil
	case <-ctx.Done():
		gone()
		return nil, ctx.Err()
	}
}

// wait returns when no call is left.
func (t *turns) wait() { t.idle.Wait() }
