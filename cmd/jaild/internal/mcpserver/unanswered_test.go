package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// TestCanceledIsNotAnswered: what the client canceled gets no answer, and everything else
// has its own, also under an id that was canceled.
func TestCanceledIsNotAnswered(t *testing.T) {
	server, err := New(settings(t, small))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	s := &session{t: t, server: server}
	fromClient, asked := io.Pipe()
	answers, toClient := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- server.Serve(context.Background(), fromClient, toClient) }()
	lines := bufio.NewScanner(answers)
	lines.Buffer(nil, 1<<20)
	next := func(want string) {
		t.Helper()
		var answer struct{ ID, Result, Error json.RawMessage }
		if !lines.Scan() || json.Unmarshal(lines.Bytes(), &answer) != nil || string(answer.ID) != want || answer.Result == nil {
			t.Fatalf("answered %.200s, want id %s", lines.Bytes(), want)
		}
	}
	send := func(line string) {
		if _, err := io.WriteString(asked, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	next("1")
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	canceled := func(id string) {
		send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
	}
	for _, id := range []string{`7`, `"seven"`} {
		for range 2 {
			send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"run_command","arguments":{"argv":["sleep","60"]}}}`)
			eventually(t, "the box begins", func() bool { return !s.idle() })
			canceled(id)
			send(`{"jsonrpc":"2.0","id":8,"method":"ping"}`)
			next("8")
			eventually(t, "the box ends", s.idle)
		}
		send(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)
		next(id)
		canceled(id) // which has its answer
	}
	send(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
	next("9")
	asked.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// TestCanceledTooEarly: an id that is canceled while no request has it cancels nothing.
func TestCanceledTooEarly(t *testing.T) {
	var u unanswered
	for _, line := range []string{
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[7]}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
		`{"jsonrpc":"2.0","id":7,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":"7","method":"ping"}`,
	} {
		m, err := jsonrpc.DecodeMessage([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		u.read(m)
		if request := m.(*jsonrpc.Request); request.ID.IsValid() && !u.wanted(&jsonrpc.Response{ID: request.ID}) {
			t.Errorf("%s: not answered", line)
		}
	}
	if len(u.canceled) > 0 {
		t.Errorf("kept %v", u.canceled)
	}
}
