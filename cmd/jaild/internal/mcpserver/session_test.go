package mcpserver

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// eventually waits for something that others do.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// begun waits until a box of the session has written this file of its workspace.
func (s *session) begun(name string) {
	s.t.Helper()
	eventually(s.t, name+" is there", func() bool {
		_, err := os.Stat(filepath.Join(s.server.workspace.files, name))
		return err == nil
	})
}

func (s *session) idle() bool {
	s.server.turns.mu.Lock()
	defer s.server.turns.mu.Unlock()
	return s.server.turns.calls == 0
}

// TestCancel: a call that is canceled ends its box.
func TestCancel(t *testing.T) {
	s := connect(t, settings(t, small), nil)
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error)
	go func() {
		_, err := s.try(ctx, toolCommand, map[string]any{"argv": []string{"sh", "-c", "touch begun; while sleep 0.1; do date >alive; done"}})
		gone <- err
	}()
	s.begun("begun")
	cancel()
	if err := <-gone; err == nil {
		t.Error("a canceled call was answered")
	}
	eventually(t, "the box ends", s.idle)
	os.Remove(filepath.Join(s.server.workspace.files, "alive"))
	time.Sleep(400 * time.Millisecond)
	if _, err := os.Stat(filepath.Join(s.server.workspace.files, "alive")); err == nil {
		t.Error("the box goes on")
	}
	if r := s.sh("echo still here"); !r.OK {
		t.Errorf("%s", r.text)
	}
}

// TestClientGone: a client that goes away ends everything.
func TestClientGone(t *testing.T) {
	long := small
	long.Limits.Timeout = 10 * time.Minute
	s := connect(t, settings(t, long), nil)
	go s.try(context.Background(), toolCommand, map[string]any{"argv": []string{"sh", "-c", "touch begun; sleep 599"}})
	s.begun("begun")
	s.asked.Close()
	select {
	case err := <-s.served:
		s.served <- err
	case <-time.After(30 * time.Second):
		t.Fatal("the server goes on")
	}
}

// TestProgress: who asks for it is told how long a run has lasted.
func TestProgress(t *testing.T) {
	var mu sync.Mutex
	var told []*mcp.ProgressNotificationParams
	enough := make(chan struct{})
	const wanted = 4 // that it waits, that it runs, and two of how long it has
	s := connect(t, settings(t, small), &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		mu.Lock()
		defer mu.Unlock()
		if told = append(told, r.Params); len(told) == wanted {
			close(enough)
		}
	}})
	go func() { // ends with the test, if not before
		select {
		case <-enough:
			os.WriteFile(filepath.Join(s.server.workspace.files, "go"), nil, 0o600)
		case <-t.Context().Done():
		}
	}()
	params := &mcp.CallToolParams{Name: toolCommand, Arguments: map[string]any{"argv": []string{"sh", "-c", "while [ ! -e go ]; do sleep 0.05; done"}}, Meta: mcp.Meta{}}
	params.SetProgressToken("token")
	if _, err := s.client.CallTool(t.Context(), params); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	last := -1.0
	for _, p := range told {
		if p.ProgressToken != "token" || p.Progress <= last || p.Total != 20 || p.Message == "" {
			t.Errorf("%+v after %v", p, last)
		}
		last = p.Progress
	}
	if len(told) < wanted {
		t.Errorf("told %d times", len(told))
	}
}

// TestConcurrency: so many calls run at once, so many wait, and one more is refused.
func TestConcurrency(t *testing.T) {
	s := connect(t, settings(t, small), nil) // two run, two wait
	hold := "touch %d; while [ ! -e go ]; do sleep 0.05; done; rm %[1]d"
	var calls sync.WaitGroup
	for i := range 4 {
		calls.Go(func() {
			if r, err := s.try(t.Context(), toolCommand, map[string]any{"argv": []string{"sh", "-c", fmt.Sprintf(hold, i)}}); err != nil || !r.OK {
				t.Errorf("call %d: %v %s", i, err, r.text)
			}
		})
	}
	files := func() int {
		names, _ := filepath.Glob(s.server.workspace.files + "/[0-9]")
		return len(names)
	}
	eventually(t, "all calls are there", func() bool {
		s.server.turns.mu.Lock()
		defer s.server.turns.mu.Unlock()
		return s.server.turns.calls == 4 && files() == 2
	})
	if r := s.sh("true"); r.Refused == nil || r.Refused.Code != "busy" {
		t.Errorf("a fifth call: %s", r.text)
	}
	time.Sleep(200 * time.Millisecond)
	if n := files(); n != 2 {
		t.Errorf("%d boxes run at once", n)
	}
	if err := os.WriteFile(filepath.Join(s.server.workspace.files, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	calls.Wait()
}

// TestCanceledWhileWaiting: a call that never got its turn runs nothing.
func TestCanceledWhileWaiting(t *testing.T) {
	with := settings(t, small)
	with.MaxRunning = 1
	s := connect(t, with, nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := s.try(ctx, toolCommand, map[string]any{"argv": []string{"sh", "-c", "touch a; sleep 19"}})
		done <- err
	}()
	s.begun("a")
	waiting, never := context.WithCancel(t.Context())
	go func() {
		_, err := s.try(waiting, toolCommand, map[string]any{"argv": []string{"touch", "b"}})
		done <- err
	}()
	time.Sleep(200 * time.Millisecond)
	never()
	<-done
	cancel()
	<-done
	eventually(t, "no call is left", s.idle)
	if _, err := os.Stat(filepath.Join(s.server.workspace.files, "b")); err == nil {
		t.Error("a canceled call ran")
	}
}
