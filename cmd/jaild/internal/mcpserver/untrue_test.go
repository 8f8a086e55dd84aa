package mcpserver

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/seed-75010da9/jail/jail"
)

// TestShellValueIsNotMissing: output that is the value is told once, and nothing is said
// to be missing.
func TestShellValueIsNotMissing(t *testing.T) {
	s := connect(t, settings(t, small), nil)
	r := s.call(toolCode, map[string]any{"language": "sh", "source": "cat", "input": map[string]any{"a": 1}})
	if string(r.Value) != `{"a":1}` || strings.Contains(r.text, "stdout") || strings.Contains(r.text, "missing") || r.Stdout.Bytes != 0 || r.Stdout.Gap != nil {
		t.Errorf("value %s, stdout %+v: %s", r.Value, r.Stdout, r.text)
	}
}

// TestBystander: a call that is ended beside the one that fills the workspace is told that
// it may have been another.
func TestBystander(t *testing.T) {
	with := settings(t, small)
	with.WorkspaceSize = 8 << 20
	s := connect(t, with, nil)
	var both sync.WaitGroup
	for _, line := range []string{"touch begun; sleep 19", "while [ ! -e begun ]; do sleep 0.02; done; for i in 1 2 3 4; do head -c 4000000 /dev/zero >$i; done; sleep 19"} {
		both.Go(func() {
			r, err := s.try(t.Context(), toolCommand, map[string]any{"argv": []string{"sh", "-c", line}})
			if err != nil || r.Reason != jail.ReasonDiskFull || !strings.Contains(r.Message, "by this call or by another: 1 more ran") || !strings.Contains(r.Hint, "can be made again") {
				t.Errorf("%s: %v, %s: %s; %s", line, err, r.Reason, r.Message, r.Hint)
			}
		})
	}
	both.Wait()
	if r := s.sh("rm -f 1 2 3 4; head -c 9000000 /dev/zero >1; head -c 9000000 /dev/zero >2"); strings.Contains(r.Message, "by another") {
		t.Errorf("alone: %s", r.Message)
	}
}

// TestProgressWhileWaiting: a call that waits for its turn is told every second as well.
func TestProgressWhileWaiting(t *testing.T) {
	var mu sync.Mutex
	waited, last, ran := 0, -1.0, false
	with := settings(t, small)
	with.MaxRunning = 1
	s := connect(t, with, &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		mu.Lock()
		defer mu.Unlock()
		if r.Params.Progress <= last {
			t.Errorf("%+v after %v", r.Params, last)
		}
		last = r.Params.Progress
		if strings.HasPrefix(r.Params.Message, "waiting") {
			waited++
		} else {
			ran = true
		}
	}})
	var first sync.WaitGroup
	first.Go(func() { s.sh("touch begun; sleep 3.5") })
	s.begun("begun")
	params := &mcp.CallToolParams{Name: toolCommand, Arguments: map[string]any{"argv": []string{"sleep", "1.5"}}, Meta: mcp.Meta{}}
	params.SetProgressToken("token")
	if _, err := s.client.CallTool(t.Context(), params); err != nil {
		t.Fatal(err)
	}
	first.Wait()
	mu.Lock()
	defer mu.Unlock()
	if waited < 3 || !ran {
		t.Errorf("told %d times that it waits; that it runs: %v", waited, ran)
	}
}

type written struct{ bytes.Buffer }

func (*written) Close() error { return nil }

// TestIDs: what would be answered under another id, or not at all, is refused.
func TestIDs(t *testing.T) {
	for id, taken := range map[string]bool{
		`1`: true, `-7`: true, `"1.5"`: true, `9007199254740991`: true,
		`1.5`: false, `1e3`: false, `null`: false, `9007199254740993`: false, `[1]`: false, `true`: false,
	} {
		out := &written{}
		c := &connection{out: out}
		m := c.decode([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`))
		if (m != nil) != taken || taken != (out.Len() == 0) || !taken && !strings.Contains(out.String(), "-32600") {
			t.Errorf("%s: taken: %v, answer %s", id, m != nil, out.String())
		}
	}
	out := &written{}
	if (&connection{out: out}).decode([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)) == nil {
		t.Errorf("a notification: %s", out.String())
	}
}

// TestShownSpellsOut: what nobody sees is spelled out, whatever the reason for it.
func TestShownSpellsOut(t *testing.T) {
	for _, r := range []rune{0x1b, 0x7f, 0x9b, 0xad, 0x200b, 0x2028, 0x2065, 0x2800, 0x3164, 0xfdd0, 0xfe0f, 0xfff0, 0xfff8, 0xfffe, 0x16fe4, 0x1d159, 0x1ffff, 0xe0041} {
		if got := shown([]byte(string(r))); !strings.HasPrefix(got, `\`) {
			t.Errorf("%U is shown as it is", r)
		}
	}
}
