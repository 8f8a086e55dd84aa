// Package mcpserver is `jail mcp`: a tool server for chat clients and agents, by the
// Model Context Protocol over stdin and stdout. Its tools run code and commands in
// boxes; what a box is, whoever started the server has said by flags, and no call can
// change it.
//
// What comes out of a box is data that nobody vouches for. The text of a result has
// it between two marks, of which the second can't occur in it, with everything that
// does not show made visible; see mark.go. Structured results have the same in JSON
// strings, which nothing breaks out of.
//
// One server is one session. Its boxes share one workspace, a folder that goes with
// the server; see workspace.go.
package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/seed-75010da9/jail/cmd/internal/companion"
	"github.com/seed-75010da9/jail/cmd/internal/nobox"
	"github.com/seed-75010da9/jail/cmd/internal/request"
	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
	"github.com/seed-75010da9/jail/runner"
)

// mostOutput bounds what one run may write and have kept, in memory.
const mostOutput = 64 << 20

// A Server is one session.
type Server struct {
	settings  companion.MCP
	languages []runner.Language
	codes     map[runner.Language]jail.Spec
	command   *jail.Spec // nil: there is no run_command
	workspace *workspace // nil: there is none of the session's own
	turns     *turns
	results   *results
	mcp       *mcp.Server

	ending context.Context // its end cancels every call
	cancel context.CancelFunc
}

// New makes the session's workspace, and finds what is wrong with its boxes before
// there is anybody to tell about it.
func New(settings companion.MCP) (*Server, error) {
	s := &Server{
		settings: settings, codes: map[runner.Language]jail.Spec{},
		turns: newTurns(settings.MaxRunning, settings.MaxQueue), results: newResults(mostKept),
	}
	s.ending, s.cancel = context.WithCancel(context.Background())
	var err error
	if settings.WorkspaceSize > 0 {
		if s.workspace, err = newWorkspace(settings.WorkspaceSize); err != nil {
			return nil, fmt.Errorf("workspace: %w", err)
		}
	}
	if err := s.boxes(); err != nil {
		s.Close()
		return nil, err
	}
	options := &mcp.ServerOptions{
		Instructions: s.instructions(),
		Logger:       slog.New(slog.DiscardHandler),
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "jail", Title: "Code in a box", Version: settings.Version}, options)
	s.mcp.AddReceivingMiddleware(notOffered)
	s.addTools()
	return s, nil
}

// boxes reads what the boxes of the tools are.
func (s *Server) boxes() error {
	for _, b := range s.settings.Languages {
		spec, err := s.box(b)
		if err != nil {
			return fmt.Errorf("boxes of %s: %w", b.Name, err)
		}
		s.languages = append(s.languages, runner.Language(b.Name))
		s.codes[runner.Language(b.Name)] = spec
	}
	if s.settings.Command == nil {
		return nil
	}
	spec, err := s.box(*s.settings.Command)
	if err != nil {
		return fmt.Errorf("boxes of run_command: %w", err)
	}
	s.command = &spec
	return nil
}

// box is one kind of box, with the workspace in it.
func (s *Server) box(b companion.Box) (jail.Spec, error) {
	r, faults := request.Decode(b.Spec)
	spec, more := r.Spec(profiles.CurrentHost())
	if w := s.workspace; w != nil {
		at := w.target(spec.Tier)
		spec.View = append(spec.View, jail.Mount{Kind: jail.MountRW, Source: w.files, Target: at})
		if spec.Dir == "" {
			spec.Dir = at
		}
		spec.Limits.FileSize = min(spec.Limits.WithDefaults().FileSize, w.size)
	}
	if n := spec.Limits.WithDefaults().Output; n > mostOutput || n == jail.Unlimited {
		faults = append(faults, jail.Fault{Field: "--output", Value: fmt.Sprint(n), Want: fmt.Sprintf("must be at most %d: results are kept in memory", mostOutput)})
	}
	faults = request.Check(spec, append(faults, more...))
	if len(faults) == 0 {
		var found jail.Faults
		errors.As(jail.Check(spec), &found)
		faults = found
	}
	if len(faults) > 0 {
		return spec, request.OfSpec(faults)
	}
	return spec, nil
}

// Foretold is why calls are going to be refused, as far as one trial tells, or nil.
func (s *Server) Foretold(ctx context.Context) error {
	if s.command != nil {
		return nobox.Foretold(ctx, *s.command)
	}
	for _, spec := range s.codes {
		return nobox.Foretold(ctx, spec)
	}
	return nil
}

// Serve answers one client, until it goes away or ctx ends. All its boxes have ended
// then.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.WriteCloser) error {
	stop := context.AfterFunc(ctx, s.cancel)
	defer stop()
	err := s.mcp.Run(ctx, &stdio{in: in, out: out})
	s.cancel()
	s.turns.wait()
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// closing is how long the removal of the workspace may take. What is left then, the
// next server removes.
const closing = 10 * time.Second

// Close ends what still runs and removes the workspace.
func (s *Server) Close() {
	s.cancel()
	if s.workspace != nil {
		s.workspace.remove(time.Now().Add(closing))
	}
}

// until is ctx, ended besides when the server ends.
func (s *Server) until(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.ending, cancel)
	return ctx, func() { stop(); cancel() }
}
