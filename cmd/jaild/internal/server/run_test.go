package server

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/cmd/internal/request"
	"github.com/seed-75010da9/jail/jail"
)

func TestRun(t *testing.T) {
	s := serve(t, settings(t))
	r := mustAsk(t, s, "/v1/run", shell(`cat; echo err >&2; exit 7`, `"stdin":"in\n"`, `"name":"x"`))
	if r.status != http.StatusOK || r.result.Reason != jail.ReasonExecutionFailed || *r.result.ExitCode != 7 ||
		r.result.Stdout.Text != "in\n" || r.result.Stderr.Text != "err\n" || r.result.Name != "x" {
		t.Errorf("%d %s", r.status, r.body)
	}
	// What is no text comes and goes as bytes.
	r = mustAsk(t, s, "/v1/run", shell(`cat`, `"stdin":{"base64":"/wD+"}`))
	if r.result.Stdout.Encoding != "base64" || r.result.Stdout.Text != "/wD+" {
		t.Errorf("bytes came back as %s", r.body)
	}
	r = mustAsk(t, s, "/v1/run", shell(`sleep 20`, `"limits":{"timeout_ms":200}`))
	if r.status != http.StatusOK || r.result.Reason != jail.ReasonTimeout {
		t.Errorf("a run past its timeout: %d %s", r.status, r.body)
	}
	r = mustAsk(t, s, "/v1/run", shell(`env`, `"env":["A=b"]`))
	if !strings.Contains(r.result.Stdout.Text, "A=b\n") || strings.Contains(r.result.Stdout.Text, "TMPDIR=") {
		t.Errorf("environment: %s", r.result.Stdout.Text)
	}
}

func TestBadRequests(t *testing.T) {
	with := settings(t)
	s := serve(t, with)
	long := strings.Repeat("x", 1<<20)
	for _, tt := range []struct {
		method, path, body string
		status             int
		code, want         string
	}{
		{"GET", "/v1/run", "", 405, "method", "POST"},
		{"POST", "/v1/status", "{}", 405, "method", "GET"},
		{"POST", "/", "{}", 404, "not_found", "/v1/run"},
		{"POST", "/v1/stream", "{}", 426, "upgrade", "Upgrade"},
		{"POST", "/v1/run", "", 400, "invalid_request", "JSON object"},
		{"POST", "/v1/run", "[1]", 400, "invalid_request", "object"},
		{"POST", "/v1/run", "{}", 400, "invalid_request", "args"},
		{"POST", "/v1/run", `{"args":["true"],"frob":1}`, 400, "invalid_request", "frob"},
		{"POST", "/v1/run", `{"args":["true"],"limits":{"memory_bytes":1,"timeout_ms":"1s"},"net":"host"}`, 400, "invalid_request", "memory_bytes"},
		{"POST", "/v1/run", shell("true", `"client":"a b"`), 400, "invalid_request", "client"},
		{"POST", "/v1/run", shell("true", `"stdin_frames":true`), 400, "invalid_request", "stdin_frames"},
		{"POST", "/v1/run", shell("true", `"capture":true`), 400, "invalid_request", "capture"},
		{"POST", "/v1/run", shell("true", `"limits":{"output_bytes":2097153}`), 400, "invalid_request", "--max-capture"},
		{"POST", "/v1/run", shell("true", `"limits":{"output_bytes":-1}`), 400, "invalid_request", "--max-capture"},
		{"POST", "/v1/run", shell("true", `"view":[{"kind":"ro","source":"/nowhere/at/all","target":"/x"}]`), 400, "invalid_request", "view"},
		{"POST", "/v1/run", shell("true", `"workspace":"`+filepath.Dir(with.Socket)+`"`), 400, "invalid_request", "own socket"},
		{"POST", "/v1/run", shell("true", `"view":[{"kind":"rw","source":"`+filepath.Dir(filepath.Dir(with.Socket))+`","target":"/x"}]`), 400, "invalid_request", "own socket"},
		{"POST", "/v1/run", shell("true", `"view":[{"kind":"ro","source":"`+with.Socket+`","target":"/x"}]`), 400, "invalid_request", "own socket"},
		{"POST", "/v1/run", `{"args":["` + strings.Repeat(long, 9) + `"]}`, 413, "too_large", "frames"},
		{"POST", "/v1/run", `{"args":["true"]` + strings.Repeat(`,"x":0`, 100_000) + `}`, 400, "invalid_request", "no field"},
		{"POST", "/v1/run", `{"args":["true"],"env":["` + long + `"]}`, 400, "invalid_request", "env[0]"},
	} {
		r, err := ask(t.Context(), s, tt.method, tt.path, tt.body)
		if err != nil {
			t.Errorf("%s %s %.100s: %v", tt.method, tt.path, tt.body, err)
			continue
		}
		if r.status != tt.status || r.answer.Code != tt.code || !strings.Contains(r.answer.Message, tt.want) {
			t.Errorf("%s %s %.100s: %d %.300s, want %d, %s and %q", tt.method, tt.path, tt.body, r.status, r.body, tt.status, tt.code, tt.want)
		}
		if len(r.body) > 256<<10 {
			t.Errorf("%s %s %.100s: an answer of %d bytes", tt.method, tt.path, tt.body, len(r.body))
		}
	}
	if n, _, _ := s.admission.counts(); n != 0 || s.admission.places != 0 {
		t.Errorf("refused requests kept %d places", s.admission.places)
	}
}

func TestSchemaAndStatus(t *testing.T) {
	s := serve(t, settings(t))
	mustAsk(t, s, "/v1/run", shell("true"))
	mustAsk(t, s, "/v1/run", "{}")
	r, err := ask(t.Context(), s, http.MethodGet, "/v1/schema", "")
	if err != nil || r.body != string(request.Schema) {
		t.Errorf("schema: %v %.100s", err, r.body)
	}
	r, err = ask(t.Context(), s, http.MethodGet, "/v1/status", "")
	var st status
	if err != nil || json.Unmarshal([]byte(r.body), &st) != nil {
		t.Fatalf("status: %v %s", err, r.body)
	}
	if st.Counts.Runs != 1 || st.Counts.Reasons[jail.ReasonOK] != 1 || st.Counts.Refused["invalid_request"] != 1 || st.PID != os.Getpid() || st.Running != 0 {
		t.Errorf("status = %+v", st)
	}
	if strings.Contains(r.body, filepath.Dir(s.settings.Socket)) {
		t.Errorf("status names the socket's folder: %s", r.body)
	}
}

// TestWarm: a box that is ready is taken by a run of its kind, once, and by no
// other.
func TestWarm(t *testing.T) {
	with := settings(t)
	with.Pools = append(with.Pools, poolOf(t, shell("true", `"limits":{"pids":50}`)))
	s := serve(t, with)
	ids := map[string]bool{}
	for i := range 6 {
		eventually(t, "the box to be ready", func() bool {
			var st status
			r, err := ask(t.Context(), s, http.MethodGet, "/v1/status", "")
			return err == nil && json.Unmarshal([]byte(r.body), &st) == nil && len(st.Pools) == 1 && st.Pools[0].Ready == 1
		})
		r := mustAsk(t, s, "/v1/run", shell(`cat /tmp/left; echo x >/tmp/left; echo $A`, `"limits":{"pids":50}`, `"env":["A=b"]`))
		if r.result.Stdout.Text != "b\n" || ids[r.result.ID] || !r.result.Warm {
			t.Errorf("run %d: %s, want a box of its own that was ready", i, r.body)
		}
		ids[r.result.ID] = true
	}
	if r := mustAsk(t, s, "/v1/run", shell("true", `"limits":{"pids":51}`)); r.result.Warm || !r.result.OK {
		t.Errorf("a run with another limit: %s", r.body)
	}
}

// TestNoObject: of a text that is no request, nothing else is said.
func TestNoObject(t *testing.T) {
	with := settings(t)
	with.MaxCapture = 1
	s := serve(t, with)
	for _, body := range []string{"", "[1]", shell("true") + " x", `{"args":["true"]`} {
		r := mustAsk(t, s, "/v1/run", body)
		if r.status != http.StatusBadRequest || strings.Contains(r.body, `"field":"args"`) || strings.Contains(r.body, "--max-capture") {
			t.Errorf("%q: %d %s, want only that it is no JSON object", body, r.status, r.body)
		}
	}
}

// TestCgroupParent: what the server was told goes for requests that do not say.
func TestCgroupParent(t *testing.T) {
	with := settings(t)
	with.CgroupParent = "jail-none-such"
	s := serve(t, with)
	for more, want := range map[string]string{`"client":"a"`: "jail-none-such", `"cgroup_parent":"jail-no-other"`: "jail-no-other"} {
		if r := mustAsk(t, s, "/v1/run", shell("true", more)); !strings.Contains(r.body, "/"+want) {
			t.Errorf("%s: %d %s, want its group in %s", more, r.status, r.body, want)
		}
	}
}

func TestNoSuchPool(t *testing.T) {
	with := settings(t)
	with.Pools = append(with.Pools, poolOf(t, shell("true", `"workspace":"`+filepath.Dir(with.Socket)+`"`)))
	if s, err := New(with); err == nil {
		s.Close()
		t.Error("boxes that show the socket are kept ready")
	}
	if _, err := os.Lstat(with.Socket); !os.IsNotExist(err) {
		t.Errorf("the socket was left behind: %v", err)
	}
}

// TestCancel: a caller that goes away takes its box with it.
func TestCancel(t *testing.T) {
	s := serve(t, settings(t))
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error)
	go func() {
		_, err := ask(ctx, s, http.MethodPost, "/v1/run", shell("sleep 60", `"limits":{"timeout_ms":60000}`))
		gone <- err
	}()
	eventually(t, "the run begins", busy(s, 1, 0))
	cancel()
	if err := <-gone; err == nil {
		t.Error("a canceled request was answered")
	}
	eventually(t, "the run ends", busy(s, 0, 0))
	s.counts.mu.Lock()
	defer s.counts.mu.Unlock()
	if s.counts.reasons[jail.ReasonCanceled] != 1 {
		t.Errorf("reasons = %v, want one canceled", s.counts.reasons)
	}
}
