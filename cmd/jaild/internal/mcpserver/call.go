package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/seed-75010da9/jail/jail"
)

// call runs a box when it is its turn. The end of ctx is a cancellation by the client,
// or the end of the session, and ends the box.
func (s *Server) call(ctx context.Context, call *mcp.CallToolRequest, spec jail.Spec, run func(context.Context) (jail.Result, error)) *mcp.CallToolResult {
	ctx, cancel := s.until(ctx)
	defer cancel()
	told := s.tell(ctx, call, spec.Limits.WithDefaults().Timeout)
	defer told.end()
	leave, err := s.turns.take(ctx)
	if errors.Is(err, errFull) {
		return refused("busy", err.Error(), nil)
	}
	if err != nil {
		return refused("canceled", "it was canceled before it ran", nil)
	}
	defer leave()
	told.begin()
	inside, leaveWorkspace := ctx, func() *tooLarge { return nil }
	if s.workspace != nil {
		if inside, leaveWorkspace, err = s.workspace.enter(ctx); err != nil {
			return refused("workspace", err.Error(), nil)
		}
	}
	res, err := run(inside)
	if full := leaveWorkspace(); full != nil && res.Reason == jail.ReasonCanceled {
		res.Reason = jail.ReasonDiskFull
		res.Message = fmt.Sprintf("ended because the workspace became larger than the %d bytes it may be, or its file system has hardly any room left", s.workspace.size)
		res.Hint = "remove files from the workspace; if it grows once more, it is emptied"
		if full.beside > 0 {
			res.Message += fmt.Sprintf("; by this call or by another: %d more ran at that time and were ended as well", full.beside)
			res.Hint += "; a call that wrote little there can be made again"
		}
	}
	if s.workspace != nil && spec.Limits.FileSize == s.workspace.size && hasFailed(res.Reason) && s.workspace.hasFileOf(s.workspace.size) {
		res.Message += fmt.Sprintf("; a file in the workspace has reached the %d bytes that all of it may have", s.workspace.size)
		res.Reason = jail.ReasonDiskFull
		res.Hint = "write less into the workspace, and remove that file"
	}
	if faults := faultsOf(err); len(faults) > 0 && res.Schema == "" {
		return badArguments(faults)
	}
	if res.Schema == "" {
		return refused("failed", "jail failed: "+err.Error(), nil)
	}
	return s.answer(res)
}

// hasFailed says whether a program ended by itself, without success.
func hasFailed(reason jail.Reason) bool {
	return reason == jail.ReasonExecutionFailed || reason == jail.ReasonSignaled
}

func faultsOf(err error) jail.Faults {
	var faults jail.Faults
	errors.As(err, &faults)
	return faults
}

// A teller sends the progress notifications of one call, to a client that asked for
// them: how many of the seconds that the run may take it has taken.
type teller struct {
	started chan time.Time
	done    chan struct{}
	over    chan struct{}
}

// tellEvery is how often a client is told.
const tellEvery = time.Second

// leastProgress is what each notification has more than the one before: the protocol
// wants it to increase, also while a call only waits.
const leastProgress = 1e-6

func (s *Server) tell(ctx context.Context, call *mcp.CallToolRequest, limit time.Duration) *teller {
	t := &teller{started: make(chan time.Time, 1), done: make(chan struct{}), over: make(chan struct{})}
	token := call.Params.GetProgressToken()
	if token == nil {
		close(t.over)
		return t
	}
	go func() {
		defer close(t.over)
		ticks := time.NewTicker(tellEvery)
		defer ticks.Stop()
		progress := 0.0
		send := func(message string) {
			call.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: progress, Total: limit.Seconds(), Message: message})
		}
		send("waiting for its turn")
		came, began := time.Now(), time.Time{}
		for {
			select {
			case began = <-t.started:
				progress += leastProgress
				send("running")
			case <-ticks.C:
				progress += leastProgress
				if began.IsZero() {
					send(fmt.Sprintf("waiting for its turn for %.0f s", time.Since(came).Seconds()))
					continue
				}
				progress = max(progress, time.Since(began).Seconds())
				send(fmt.Sprintf("running for %.0f s of at most %v", time.Since(began).Seconds(), limit))
			case <-t.done:
				return
			}
		}
	}()
	return t
}

// begin says that the run begins.
func (t *teller) begin() { t.started <- time.Now() }

// end says that it is over. No notification follows.
func (t *teller) end() {
	close(t.done)
	<-t.over
}
