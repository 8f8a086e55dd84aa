package server

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/cmd/internal/companion"
	"github.com/seed-75010da9/jail/jail"
)

// settings are those of a small server in a folder of the test's own.
func settings(t *testing.T) companion.Serve {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return companion.Serve{
		Version: "test", Socket: filepath.Join(dir, "sock"), MaxRunning: 2, MaxQueue: 2, MaxPerCaller: 4,
		MaxCapture: 2 << 20, QueueTimeout: 30 * time.Second, DrainTimeout: 30 * time.Second,
	}
}

// serve starts a server, which ends with the test.
func serve(t *testing.T, with companion.Serve) *Server {
	t.Helper()
	s, err := New(with)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- s.Serve() }()
	t.Cleanup(func() {
		s.Close()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return s
}

// client speaks HTTP to s, over a connection for each request.
func client(s *Server) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			return net.Dial("unix", s.settings.Socket)
		},
	}}
}

// A response is what came back, as far as it was understood.
type response struct {
	status int
	header http.Header
	body   string
	result jail.Result
	answer answer
}

// ask sends one request; ctx's end closes the connection.
func ask(ctx context.Context, s *Server, method, path, body string) (response, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://jail"+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return response{}, err
	}
	res, err := client(s).Do(req)
	if err != nil {
		return response{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	r := response{status: res.StatusCode, header: res.Header, body: string(text)}
	if res.StatusCode == http.StatusOK {
		json.Unmarshal(text, &r.result)
		return r, err
	}
	var wrapped struct{ Error answer }
	json.Unmarshal(text, &wrapped)
	r.answer = wrapped.Error
	return r, err
}

// mustAsk is ask, which has to be answered.
func mustAsk(t *testing.T, s *Server, path, body string) response {
	t.Helper()
	r, err := ask(t.Context(), s, http.MethodPost, path, body)
	if err != nil {
		t.Fatalf("POST %s %.200s: %v", path, body, err)
	}
	return r
}

// shell is a request for a shell's command line, on whatever host.
func shell(line string, more ...string) string {
	text, _ := json.Marshal(line)
	body := `{"profile":"sh","args":["-c",` + string(text) + `],"optional":["landlock","seccomp","cgroup"]`
	for _, m := range more {
		body += "," + m
	}
	return body + "}"
}

// eventually waits for something that is to become true.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within a minute", what)
		}
	}
}

// busy says that s has n runs under way and m that wait.
func busy(s *Server, n, m int) func() bool {
	return func() bool {
		r, q, _ := s.admission.counts()
		return r == n && q == m
	}
}
