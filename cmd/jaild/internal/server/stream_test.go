package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-75010da9/jail/cmd/internal/stream"
	"github.com/seed-75010da9/jail/jail"
)

// A caller speaks frames with a server.
type caller struct {
	conn net.Conn
	*stream.Sender
	*stream.Receiver
}

// upgraded asks for a stream.
func upgraded(t *testing.T, s *Server, body string) caller {
	t.Helper()
	c, err := net.Dial("unix", s.settings.Socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	fmt.Fprintf(c, "POST /v1/stream HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: %s\r\nContent-Length: %d\r\n\r\n%s", stream.Protocol, len(body), body)
	var head []byte
	for b := make([]byte, 1); !bytes.HasSuffix(head, []byte("\r\n\r\n")); head = append(head, b...) {
		if _, err := c.Read(b); err != nil {
			t.Fatalf("%v after %q", err, head)
		}
	}
	if !bytes.HasPrefix(head, []byte("HTTP/1.1 101 ")) {
		t.Fatalf("%q, want 101", head)
	}
	return caller{c, stream.NewSender(c), stream.NewReceiver(c, nil)}
}

// end takes frames until the last one, and gives credit for what comes.
func (c caller) end(t *testing.T, credit bool) (out string, res jail.Result) {
	t.Helper()
	var record []byte
	for {
		kind, payload, err := c.Next()
		if err != nil {
			t.Fatalf("%v before the record", err)
		}
		switch kind {
		case stream.Stdout:
			out += string(payload)
			if credit {
				c.SendNumber(stream.Credit, kind, uint32(len(payload)))
			}
		case stream.Failure:
			t.Fatalf("failure: %s", payload)
		case stream.Record:
			if record = append(record, payload...); len(payload) == 0 {
				if err := json.Unmarshal(record, &res); err != nil {
					t.Fatal(err)
				}
				return out, res
			}
		}
	}
}

func TestStream(t *testing.T) {
	s := serve(t, settings(t))
	c := upgraded(t, s, shell("cat; exit 3", `"stdin_frames":true`))
	c.Send(stream.Stdin, []byte("a\n"))
	c.Send(stream.Stdin, []byte("b\n"))
	c.Send(stream.StdinEnd, nil)
	if out, res := c.end(t, true); out != "a\nb\n" || res.ExitStatus() != 3 || res.Stdout.Bytes != 4 {
		t.Errorf("%q, %+v", out, res)
	}
	c = upgraded(t, s, shell("echo x", `"capture":true`))
	if out, res := c.end(t, true); out != "" || res.Stdout.Text != "x\n" {
		t.Errorf("captured: %q, %+v", out, res)
	}
	// A program whose output has no end; that of others has one of 1 MiB.
	for limits, want := range map[string]int{`"limits":{"output_bytes":-1}`: 3_000_000, `"limits":{}`: 1 << 20} {
		c = upgraded(t, s, shell("head -c 3000000 /dev/zero", limits))
		if out, res := c.end(t, true); len(out) != want || res.OK != (want == 3_000_000) {
			t.Errorf("%s: %d bytes, want %d: %s", limits, len(out), want, res.Message)
		}
	}
}

// TestStreamEnds: however a caller behaves, its box ends and its place is free.
func TestStreamEnds(t *testing.T) {
	s := serve(t, settings(t))
	const forever = "sleep 600"
	for name, tt := range map[string]struct {
		line string
		do   func(c caller)
		want jail.Reason // "": there is nobody to tell
	}{
		"canceled":      {forever, func(c caller) { c.Send(stream.Cancel, nil) }, jail.ReasonCanceled},
		"gone":          {forever, func(c caller) { c.conn.Close() }, ""},
		"half gone":     {forever, func(c caller) { c.conn.(*net.UnixConn).CloseWrite() }, jail.ReasonCanceled},
		"no frame":      {forever, func(c caller) { io.WriteString(c.conn, "GET / HTTP/1.1\r\n\r\n") }, jail.ReasonCanceled},
		"wrong frame":   {forever, func(c caller) { c.Send(stream.Record, nil) }, jail.ReasonCanceled},
		"no such input": {forever, func(c caller) { c.Send(stream.Stdin, []byte("x")) }, jail.ReasonCanceled},
		"free credit":   {forever, func(c caller) { c.SendNumber(stream.Credit, stream.Stdout, 1) }, jail.ReasonCanceled},
		"no such file":  {forever, func(c caller) { c.SendNumber(stream.Lost, stream.Record, 1) }, jail.ReasonCanceled},
		"lost output":   {"echo x; sleep 600", func(c caller) { c.SendNumber(stream.Lost, stream.Stdout, uint32(syscall.ENOSPC)) }, jail.ReasonCanceled},
		"nobody reads":  {"yes", func(c caller) {}, jail.ReasonTimeout},
	} {
		timeout := 60_000
		if tt.want == jail.ReasonTimeout {
			timeout = 3000
		}
		c := upgraded(t, s, shell(tt.line, fmt.Sprintf(`"limits":{"timeout_ms":%d,"output_bytes":100000000}`, timeout)))
		if kind, _, err := c.Next(); kind != stream.Started || err != nil {
			t.Errorf("%s: first frame %q, %v", name, kind, err)
		}
		tt.do(c)
		if tt.want != "" {
			out, res := c.end(t, false)
			if res.Reason != tt.want || !res.TreeEmpty || len(out) > stream.Window {
				t.Errorf("%s: %s (%s), %d bytes of output, want %s", name, res.Reason, res.Message, len(out), tt.want)
			}
			if name == "lost output" && !strings.Contains(res.Message, "write /dev/stdout: no space left on device") {
				t.Errorf("%s: %s", name, res.Message)
			}
		}
		eventually(t, name+": its place is free", busy(s, 0, 0))
	}
}
