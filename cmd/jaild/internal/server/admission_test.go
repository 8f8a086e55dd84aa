package server

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// enter is arrive and enter.
func enter(a *admission, caller string) (*ticket, *answer) {
	t, no := a.arrive()
	if no == nil {
		if no = t.enter(caller); no != nil {
			t.leave()
		}
	}
	return t, no
}

func TestAdmission(t *testing.T) {
	a := newAdmission(limits{running: 1, queue: 3, perCaller: 2, queueTime: time.Minute})
	first, no := enter(a, "x")
	if no != nil || first.wait(t.Context()) != nil {
		t.Fatal("the first one has to wait")
	}
	second, _ := enter(a, "x")
	if _, no := enter(a, "x"); no == nil || no.Code != "full" || !strings.Contains(no.Message, "x has 2 runs") {
		t.Errorf("a caller's third: %v", no)
	}
	third, _ := enter(a, "y")
	fourth, _ := enter(a, "z")
	if _, no := enter(a, "w"); no == nil || no.status != http.StatusTooManyRequests || no.RetryAfterMS == 0 {
		t.Errorf("one more than there is room for: %v", no)
	}
	third.leave() // its caller went away
	first.leave()
	if no := second.wait(t.Context()); no != nil || second.state != running {
		t.Errorf("the second's turn: %v", no)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if no := fourth.wait(canceled); no != nil || fourth.state != queued {
		t.Errorf("one whose caller went away: %v", no)
	}
	idle := a.drain()
	if no := fourth.wait(t.Context()); no == nil || no.Code != "draining" {
		t.Errorf("one that waits when the server ends: %v", no)
	}
	if _, no := enter(a, "w"); no == nil || no.status != http.StatusServiceUnavailable {
		t.Errorf("new work for a server that ends: %v", no)
	}
	fourth.leave()
	select {
	case <-idle:
		t.Error("idle while one still runs")
	default:
	}
	second.leave()
	<-idle
	if a.places != 0 || a.running != 0 || len(a.callers) != 0 || len(a.queue) != 0 {
		t.Errorf("left: %+v", a)
	}
}

func TestQueueTimeout(t *testing.T) {
	a := newAdmission(limits{running: 1, queue: 1, perCaller: 9, queueTime: 10 * time.Millisecond})
	enter(a, "x")
	waiting, _ := enter(a, "x")
	if no := waiting.wait(t.Context()); no == nil || no.Code != "full" || !strings.Contains(no.Message, "10ms") {
		t.Errorf("wait = %v", no)
	}
}

// TestFull: what callers see of it.
func TestFull(t *testing.T) {
	with := settings(t)
	with.MaxRunning, with.MaxQueue, with.MaxPerCaller = 1, 1, 1
	s := serve(t, with)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var others sync.WaitGroup
	for i, name := range []string{"a", "b"} {
		others.Go(func() { ask(ctx, s, http.MethodPost, "/v1/run", shell("sleep 60", `"client":"`+name+`"`)) })
		eventually(t, name+" is in", busy(s, 1, i))
	}
	r := mustAsk(t, s, "/v1/run", shell("true", `"client":"c"`))
	if r.status != http.StatusTooManyRequests || r.answer.Code != "full" || r.header.Get("Retry-After") != "1" {
		t.Errorf("a third run: %d %v %s, want 429 and Retry-After", r.status, r.header, r.body)
	}
	cancel()
	others.Wait()
	eventually(t, "all have left", busy(s, 0, 0))
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	s.admission.limits.queue = 9
	others.Go(func() { ask(ctx, s, http.MethodPost, "/v1/run", shell("sleep 60")) })
	eventually(t, "one runs", busy(s, 1, 0))
	r = mustAsk(t, s, "/v1/run", shell("true"))
	if r.status != http.StatusTooManyRequests || !strings.Contains(r.answer.Message, "process ") {
		t.Errorf("a second run of one process: %d %s", r.status, r.body)
	}
	cancel()
	others.Wait()
}

// TestDrain: who runs may end, who waits is sent away, and at last the box is
// canceled, with a record.
func TestDrain(t *testing.T) {
	with := settings(t)
	with.MaxRunning, with.DrainTimeout = 1, 500*time.Millisecond
	s := serve(t, with)
	answers := make([]response, 2)
	var others sync.WaitGroup
	for i := range answers {
		others.Go(func() { answers[i], _ = ask(t.Context(), s, http.MethodPost, "/v1/run", shell("sleep 60")) })
		eventually(t, "it is in", busy(s, 1, i))
	}
	if n := s.Drain(nil); n != 1 {
		t.Errorf("Drain() = %d, want 1", n)
	}
	others.Wait()
	if r := answers[0].result; r.Reason != "canceled" || !r.TreeEmpty || !strings.Contains(r.Message, "the server is ending") {
		t.Errorf("who ran: %s", answers[0].body)
	}
	if answers[1].status != http.StatusServiceUnavailable || answers[1].answer.Code != "draining" {
		t.Errorf("who waited: %d %s", answers[1].status, answers[1].body)
	}
	if r := mustAsk(t, s, "/v1/run", shell("true")); r.status != http.StatusServiceUnavailable {
		t.Errorf("who comes later: %d %s", r.status, r.body)
	}
}
