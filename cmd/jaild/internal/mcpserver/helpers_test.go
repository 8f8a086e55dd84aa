package mcpserver

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/seed-75010da9/jail/cmd/internal/companion"
	"github.com/seed-75010da9/jail/cmd/internal/request"
	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
	"github.com/seed-75010da9/jail/runner"
)

// settings are those of a server for every language, as the launcher makes them, with
// these overrides.
func settings(t *testing.T, over profiles.Overrides) companion.MCP {
	t.Helper()
	t.Setenv("TMPDIR", ownTemp(t))
	// Who writes twice the size of a workspace to its disk between two looks, as other
	// tests and builds can that of a small one, is taken for the workspace's boxes.
	with := companion.MCP{Version: "test", MaxRunning: 2, MaxQueue: 2, Page: 4 << 10, WorkspaceSize: 512 << 20}
	for _, l := range []runner.Language{runner.Node, runner.Python, runner.Sh} {
		with.Languages = append(with.Languages, box(t, string(l), over, l.Command(runner.Request{})...))
	}
	command := box(t, "base", over, "-")
	with.Command = &command
	return with
}

// ownTemp is a folder for what the server makes, in which it must leave nothing.
func ownTemp(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "jail-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if left, _ := filepath.Glob(dir + "/*"); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
		os.RemoveAll(dir)
	})
	return dir
}

func box(t *testing.T, profile string, over profiles.Overrides, args ...string) companion.Box {
	t.Helper()
	host := profiles.CurrentHost()
	p, err := profiles.Load(profile, host)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := p.Spec(args, over, host)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(request.Of(spec))
	if err != nil {
		t.Fatal(err)
	}
	return companion.Box{Name: profile, Spec: text}
}

// A session is a server and the library's own client, over two pipes.
type session struct {
	t      *testing.T
	server *Server
	client *mcp.ClientSession
	asked  io.WriteCloser // what the server reads
	served chan error
}

// connect starts a server and joins a client to it; both end with the test.
func connect(t *testing.T, with companion.MCP, options *mcp.ClientOptions) *session {
	t.Helper()
	server, err := New(with)
	if err != nil {
		t.Fatal(err)
	}
	fromClient, asked := io.Pipe()
	answers, toClient := io.Pipe()
	s := &session{t: t, server: server, asked: asked, served: make(chan error, 1)}
	go func() { s.served <- server.Serve(context.Background(), fromClient, toClient) }()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options)
	s.client, err = client.Connect(t.Context(), &mcp.IOTransport{Reader: answers, Writer: asked}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.client.Close()
		asked.Close()
		select {
		case err := <-s.served:
			if err != nil {
				t.Errorf("Serve: %v", err)
			}
		case <-time.After(time.Minute):
			t.Error("the server goes on without its client")
		}
		server.Close()
	})
	return s
}

// A reply is what came back, in both forms.
type reply struct {
	answer
	Refused *refusal `json:"refused"`
	Page    part     `json:"page"`
	record  struct {
		Untrusted, Schema string
		Error             jail.Thrown
	}
	text   string
	whole  int // bytes of the result as it was sent
	failed bool
}

// call calls a tool.
func (s *session) call(tool string, arguments any) reply {
	s.t.Helper()
	r, err := s.try(s.t.Context(), tool, arguments)
	if err != nil {
		s.t.Fatalf("%s: %v", tool, err)
	}
	return r
}

func (s *session) try(ctx context.Context, tool string, arguments any) (reply, error) {
	res, err := s.client.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return reply{}, err
	}
	return read(res)
}

func read(res *mcp.CallToolResult) (r reply, err error) {
	text, err := json.Marshal(res.StructuredContent)
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if record, ok := res.Meta["jail/record"]; ok && err == nil {
		if text, err = json.Marshal(record); err == nil {
			err = json.Unmarshal(text, &r.record)
		}
	}
	if whole, err := json.Marshal(res); err == nil {
		r.whole = len(whole)
	}
	r.failed = res.IsError
	for _, c := range res.Content {
		if c, ok := c.(*mcp.TextContent); ok {
			r.text += c.Text
		}
	}
	return r, err
}

// sh runs a line of shell by run_command.
func (s *session) sh(line string) reply {
	s.t.Helper()
	return s.call(toolCommand, map[string]any{"argv": []string{"sh", "-c", line}})
}

func code(l runner.Language, source string) map[string]any {
	return map[string]any{"language": l, "source": source}
}

// inside is what a result's text has between its marks, and what before them.
func inside(t *testing.T, text string) (before, data string) {
	t.Helper()
	_, rest, ok := strings.Cut(text, "<untrusted ")
	number, rest, ok2 := strings.Cut(rest, ">\n")
	mark := "</untrusted " + number + ">"
	data, after, ok3 := strings.Cut(rest, mark)
	if !ok || !ok2 || !ok3 || after != "" || len(number) != 32 || !strings.HasSuffix(data, "\n") && data != "" {
		t.Fatalf("the text has no pair of marks around its end: %.500q", text)
	}
	before, _, _ = strings.Cut(text, "<untrusted ")
	return before, data
}

var small = profiles.Overrides{Limits: jail.Limits{Timeout: 20 * time.Second, Memory: 256 << 20}}
