package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sys/unix"
)

// base is a folder for the workspaces of the servers of a test.
func base(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "jail-test-mcp-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("TMPDIR", dir)
	return dir
}

func workspaces(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(dir + "/jail-mcp-*")
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestLibraryClient drives the binary with the library's own client.
func TestLibraryClient(t *testing.T) {
	dir := base(t)
	var stderr bytes.Buffer
	command := exec.Command("jail", "mcp", "--memory", "256M", "--language", "python", "--timeout", "1m")
	command.Stderr = &stderr
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err, stderr.String())
	}
	res, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_code", Arguments: map[string]any{"language": "python", "source": "return input", "input": []int{1, 2}}})
	if err != nil || res.IsError {
		t.Fatalf("%v %+v", err, res)
	}
	if got := fmt.Sprint(res.StructuredContent.(map[string]any)["value"]); got != "[1 2]" {
		t.Errorf("value = %s", got)
	}
	res, err = client.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_code", Arguments: map[string]any{"language": "node", "source": "1"}})
	if err != nil || !res.IsError {
		t.Errorf("a language that was not given: %v %+v", err, res)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	if left := workspaces(t, dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if stderr.Len() > 0 {
		t.Errorf("stderr: %s", stderr.String())
	}
}

// A server is `jail mcp` without any library: lines in, lines out.
type server struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *os.File
	on  *bufio.Scanner
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

func start(t *testing.T, flags ...string) *server {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, cmd: exec.Command("jail", append([]string{"mcp"}, flags...)...), out: r, on: bufio.NewScanner(r)}
	s.on.Buffer(nil, 64<<20)
	s.cmd.Stdout = w
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() { s.cmd.Process.Kill(); s.cmd.Wait(); r.Close() })
	s.send(hello)
	s.line()
	return s
}

func (s *server) send(text string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, text); err != nil {
		s.t.Fatal(err)
	}
}

// line is the next line, which must be a message.
func (s *server) line() (m struct {
	ID     any
	Method string
	Result struct {
		IsError           bool
		StructuredContent struct{ Reason string }
	}
}) {
	s.t.Helper()
	if !s.on.Scan() {
		s.t.Fatal("no line comes: ", s.on.Err())
	}
	if err := json.Unmarshal(s.on.Bytes(), &m); err != nil {
		s.t.Fatalf("%v: %.300s", err, s.on.Text())
	}
	return m
}

// call calls run_command.
func (s *server) call(id int, argv ...string) {
	s.t.Helper()
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": map[string]any{"name": "run_command", "arguments": map[string]any{"argv": argv}}})
	if err != nil {
		s.t.Fatal(err)
	}
	s.send(string(text) + "\n")
}

// hold starts a box that writes on to its workspace, and returns the file.
func (s *server) hold(dir string) string {
	s.t.Helper()
	s.call(1, "sh", "-c", "while :; do echo x >>alive; sleep 0.05; done")
	var file string
	eventually(s.t, "the box runs", func() bool {
		found, _ := filepath.Glob(dir + "/jail-mcp-*/files/alive")
		if len(found) > 0 {
			file = found[0]
		}
		return len(found) > 0
	})
	return file
}

// ended waits for the server's end.
func (s *server) ended(within time.Duration) {
	s.t.Helper()
	done := make(chan struct{})
	go func() { s.cmd.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(within):
		s.t.Fatal("the server goes on")
	}
}

// TestEnds: however it ends, no box is left, and no workspace.
func TestEnds(t *testing.T) {
	for name, end := range map[string]func(s *server){
		"its input ends": func(s *server) { s.in.Close() },
		"nobody reads":   func(s *server) { s.out.Close() },
		"SIGTERM":        func(s *server) { s.cmd.Process.Signal(unix.SIGTERM) },
		"SIGINT":         func(s *server) { s.cmd.Process.Signal(unix.SIGINT) },
		"SIGHUP":         func(s *server) { s.cmd.Process.Signal(unix.SIGHUP) },
		"its input ends, and nobody reads": func(s *server) {
			for id := range 4 {
				s.call(2+id, "seq", "1", "100000")
			}
			time.Sleep(2 * time.Second) // until the pipe is full
			s.in.Close()
		},
		"its input is no line": func(s *server) { io.WriteString(s.in, "{"); s.in.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			dir := base(t)
			s := start(t, "--page", "1M")
			s.hold(dir)
			end(s)
			s.ended(time.Minute)
			if left := workspaces(t, dir); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestKilled: no box survives a server that is killed, and the next one removes the
// workspace that it left.
func TestKilled(t *testing.T) {
	dir := base(t)
	s := start(t)
	file := s.hold(dir)
	s.cmd.Process.Kill()
	s.ended(time.Minute)
	eventually(t, "the box ends", func() bool {
		before, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(300 * time.Millisecond)
		after, err := os.Stat(file)
		return err == nil && after.Size() == before.Size()
	})
	next := start(t)
	if left := workspaces(t, dir); len(left) != 1 {
		t.Errorf("beside its own there is more: %v", left)
	}
	next.in.Close()
	next.ended(time.Minute)
	if left := workspaces(t, dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestNothingButProtocol: whatever comes in and whatever runs, stdout is messages.
func TestNothingButProtocol(t *testing.T) {
	base(t)
	s := start(t, "--timeout", "1m")
	lines := []string{"\n", "\x00\xff\n", "nonsense\n", "[]\n", `{"jsonrpc":"1.0"}` + "\n", `{"jsonrpc":"2.0","id":{},"method":"ping"}` + "\n", strings.Repeat("[", 100_000) + "\n", `{"jsonrpc":"2.0","id":91,"method":"no/such"}` + "\n"}
	for _, l := range lines {
		s.send(l)
	}
	s.call(2, "sh", "-c", "cat /proc/self/mounts; echo '{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}'; kill -9 $$")
	s.call(3, "sh", "-c", "echo x >&2; exit 1")
	s.call(4, "true")
	reasons := map[string]string{}
	for len(reasons) < 3 {
		if m := s.line(); m.Result.StructuredContent.Reason != "" {
			reasons[fmt.Sprint(m.ID)] = m.Result.StructuredContent.Reason
		}
	}
	if got := fmt.Sprint(reasons); got != "map[2:signaled 3:execution_failed 4:ok]" {
		t.Errorf("reasons = %s", got)
	}
	s.in.Close()
	for s.on.Scan() {
		if !json.Valid(s.on.Bytes()) {
			t.Errorf("%.200s", s.on.Text())
		}
	}
	s.ended(time.Minute)
}

// TestFixedByStarter: what is said by flags holds in every box.
func TestFixedByStarter(t *testing.T) {
	dir := base(t)
	data := filepath.Join(dir, "data")
	if err := os.WriteFile(data, []byte("granted\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s := start(t, "--timeout", "8s", "--ro", data, "--env", "WHO=starter")
	s.call(2, "sh", "-c", `grep -q granted `+data+` && [ "$WHO" = starter ] && [ -z "$PWD_" ] && [ ! -e /root/.ssh ]`)
	if m := s.line(); m.Result.StructuredContent.Reason != "ok" {
		t.Errorf("%s", s.on.Text())
	}
	s.call(3, "sleep", "600")
	if m := s.line(); m.Result.StructuredContent.Reason != "timeout" || !m.Result.IsError {
		t.Errorf("%s", s.on.Text())
	}
	s.in.Close()
	s.ended(time.Minute)
}
