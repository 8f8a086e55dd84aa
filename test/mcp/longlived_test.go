package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// boxed starts somebody else's server in a box and joins a client to it: the flags are
// those that docs/agents.md names for it. Its record will lie in the file returned.
func boxed(t *testing.T, flags []string, script string, args ...string) (*mcp.ClientSession, string) {
	t.Helper()
	record := filepath.Join(t.TempDir(), "record.json")
	line := append([]string{"run", "--profile", "node", "--stdin", "-", "--output", "unlimited", "--timeout", "24h", "--record", record, "-q"}, flags...)
	command := exec.Command("jail", append(append(line, script), args...)...)
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client, record
}

func text(t *testing.T, client *mcp.ClientSession, tool string, arguments map[string]any) (string, bool) {
	t.Helper()
	res, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	var b strings.Builder
	for _, c := range res.Content {
		if c, ok := c.(*mcp.TextContent); ok {
			b.WriteString(c.Text)
		}
	}
	return b.String(), res.IsError
}

// recordOf is the record of a box that has ended, or soon will.
func recordOf(t *testing.T, file string) (r struct {
	Reason, Message string
	TreeEmpty       bool `json:"tree_empty"`
}) {
	t.Helper()
	var written []byte
	eventually(t, "there is a record", func() bool {
		written, _ = os.ReadFile(file)
		return len(written) > 0 && written[len(written)-1] == '\n'
	})
	if err := json.Unmarshal(written, &r); err != nil {
		t.Fatalf("%v: %s", err, written)
	}
	return r
}

// TestServerInBox: a server with many parts runs boxed, and sees nothing of here.
func TestServerInBox(t *testing.T) {
	dir := npm(t)
	t.Setenv("SECRET", "of the caller")
	client, record := boxed(t, []string{"--idle-timeout", "5m", "--ro", dir}, dir+"/node_modules/@modelcontextprotocol/server-everything/dist/index.js")
	if tools, err := client.ListTools(t.Context(), nil); err != nil || len(tools.Tools) < 5 {
		t.Fatalf("%v %v", tools, err)
	}
	if got, failed := text(t, client, "echo", map[string]any{"message": "hello"}); failed || !strings.Contains(got, "hello") {
		t.Errorf("echo: %s", got)
	}
	if got, _ := text(t, client, "get-env", map[string]any{}); strings.Contains(got, "of the caller") || !strings.Contains(got, "PATH") {
		t.Errorf("get-env: %s", got)
	}
	if got, failed := text(t, client, "trigger-long-running-operation", map[string]any{"duration": 2, "steps": 4}); failed {
		t.Errorf("%s", got)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	if r := recordOf(t, record); r.Reason != "ok" || !r.TreeEmpty {
		t.Errorf("%+v", r)
	}
}

// TestFilesInBox: a server that is there to read and write files has those of the
// workspace, whatever it is told that it may.
func TestFilesInBox(t *testing.T) {
	dir := npm(t)
	work := t.TempDir()
	if err := os.Chmod(work, 0o777); err != nil {
		t.Fatal(err)
	}
	script := dir + "/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"
	client, _ := boxed(t, []string{"--idle-timeout", "5m", "--ro", dir, "--workspace", work}, script, work, "/etc", "/")
	if got, failed := text(t, client, "write_file", map[string]any{"path": work + "/a.txt", "content": "written"}); failed {
		t.Fatalf("write_file: %s", got)
	}
	if written, err := os.ReadFile(work + "/a.txt"); err != nil || string(written) != "written" {
		t.Errorf("%q %v", written, err)
	}
	for _, path := range []string{"/etc/shadow", "/root", os.Getenv("HOME") + "/.ssh", dir[:strings.LastIndex(dir, "/")] + "/jail"} {
		if got, failed := text(t, client, "read_text_file", map[string]any{"path": path}); !failed {
			t.Errorf("%s: %.100s", path, got)
		}
	}
	if got, failed := text(t, client, "write_file", map[string]any{"path": dir + "/x", "content": "x"}); !failed {
		t.Errorf("wrote where it may read: %s", got)
	}
}

// TestIdleServer: a server that nobody talks to for too long is ended.
func TestIdleServer(t *testing.T) {
	dir := npm(t)
	client, record := boxed(t, []string{"--idle-timeout", "10s", "--ro", dir}, dir+"/node_modules/@modelcontextprotocol/server-everything/dist/index.js")
	for range 3 { // longer than the limit, in all
		time.Sleep(4 * time.Second)
		if got, failed := text(t, client, "echo", map[string]any{"message": "still"}); failed {
			t.Fatalf("%s", got)
		}
	}
	if r := recordOf(t, record); r.Reason != "timeout" || !strings.Contains(r.Message, "idle") || !r.TreeEmpty {
		t.Errorf("%+v", r)
	}
}

// TestFlatMemory: what passes through is not kept, however much it is.
func TestFlatMemory(t *testing.T) {
	const sent = 2 << 30
	for name, into := range map[string]func(*exec.Cmd) (func() int64, error){
		"to a pipe": func(c *exec.Cmd) (func() int64, error) {
			out, err := c.StdoutPipe()
			return func() int64 { n, _ := io.Copy(io.Discard, out); return n }, err
		},
		"to a file": func(c *exec.Cmd) (func() int64, error) {
			null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
			c.Stdout = null
			return func() int64 { return sent }, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			command := exec.Command("jail", "run", "--output", "unlimited", "--idle-timeout", "20s", "--timeout", "5m", "--", "head", "-c", fmt.Sprint(sent), "/dev/zero")
			got, err := into(command)
			if err == nil {
				err = command.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			if n := got(); n != sent {
				t.Errorf("%d bytes came", n)
			}
			if err := command.Wait(); err != nil {
				t.Fatal(err)
			}
			peak := command.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
			t.Logf("%d KiB at most", peak)
			if peak > 48<<10 {
				t.Errorf("jail took %d KiB to pass on %d MiB", peak, sent>>20)
			}
		})
	}
}
