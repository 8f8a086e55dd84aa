package server

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/cmd/internal/companion"
	"golang.org/x/sys/unix"
)

func poolOf(t *testing.T, body string) companion.Pool {
	t.Helper()
	return companion.Pool{Name: "sh", Size: 1, Spec: json.RawMessage(body)}
}

func TestClaim(t *testing.T) {
	dir := t.TempDir()
	folder := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	own := folder("own", 0o700)
	if err := os.WriteFile(filepath.Join(own, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("sock", filepath.Join(own, "link")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(folder("open", 0o755), "sock"):    "only uid",
		filepath.Join(folder("shared", 0o770), "sock"):  "only uid",
		filepath.Join(folder("sticky", 0o1777), "sock"): "only uid",
		filepath.Join(own, "file"):                      "no socket",
		filepath.Join(own, "link"):                      "no socket",
		filepath.Join(own, "file", "sock"):              "folder",
		filepath.Join(dir, "no", "such", "sock"):        "folder",
	} {
		if s, err := claim(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("claim(%s) = %v, %v, want an error with %q", path, s, err, want)
		}
	}
	long := filepath.Join(folder(strings.Repeat("long", 40), 0o700), strings.Repeat("s", 80))
	for _, path := range []string{filepath.Join(own, "sock"), filepath.Join(dir, "new", "sock"), long} {
		s, err := claim(path)
		if err != nil {
			t.Errorf("claim(%s): %v", path, err)
			continue
		}
		var st unix.Stat_t
		if err := unix.Lstat(path, &st); err != nil || st.Mode != unix.S_IFSOCK|0o600 {
			t.Errorf("%s has the mode %o (%v), want a socket with 600", path, st.Mode, err)
		}
		if _, err := claim(path); err == nil || !strings.Contains(err.Error(), "another server") {
			t.Errorf("a second claim of %s: %v", path, err)
		}
		s.Close() // as a server that is killed leaves it
		again, err := claim(path)
		if err != nil {
			t.Errorf("claim(%s) of a stale socket: %v", path, err)
			continue
		}
		s.remove() // it is not the first one's any more
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("%s: one server removed another's socket", path)
		}
		again.Close()
		again.remove()
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", path, err)
		}
	}
}

// TestLongNames: the name alone counts, however long the path to it is.
func TestLongNames(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{80, 120, 255} {
		s, err := claim(filepath.Join(dir, strings.Repeat("x", n)))
		if fits := n == 80; fits != (err == nil) || err != nil && !strings.Contains(err.Error(), "an address has 107") {
			t.Errorf("a name of %d bytes: %v", n, err)
		}
		if err == nil {
			s.Close()
			s.remove()
		}
	}
}

// TestPeers: who may not ask learns nothing but that.
func TestPeers(t *testing.T) {
	with := settings(t)
	s, err := New(with)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for p, want := range map[peer]bool{{uid: uint32(os.Geteuid())}: true, {uid: 0}: true, {uid: 1234}: false} {
		if got := s.listener.allowed(p); got != want {
			t.Errorf("allowed(%+v) = %v, want %v", p, got, want)
		}
	}
	var seen peer
	s.listener.allowed = func(p peer) bool { seen = p; return false }
	go s.Serve()
	r, err := ask(t.Context(), s, http.MethodPost, "/v1/run", shell("true"))
	if err != nil || r.status != http.StatusForbidden || r.answer.Code != "forbidden" {
		t.Errorf("%v %d %s, want 403", err, r.status, r.body)
	}
	if strings.Contains(r.body, filepath.Dir(with.Socket)) {
		t.Errorf("the answer names the socket's folder: %s", r.body)
	}
	if int(seen.uid) != os.Geteuid() || int(seen.pid) != os.Getpid() {
		t.Errorf("peer = %+v, want this process", seen)
	}
}

// TestSilentCallers: who says nothing, or only half, is not waited for, and a
// connection that is over gives its place back.
func TestSilentCallers(t *testing.T) {
	s := serve(t, settings(t))
	for range mostConnections/8 + 1 {
		c, err := net.Dial("unix", s.settings.Socket)
		if err != nil {
			t.Fatal(err)
		}
		c.Write([]byte("POST /v1/run HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{"))
		c.Close()
	}
	eventually(t, "all places are free", func() bool { return len(s.listener.places) == 1 }) // Accept's own
	if r := mustAsk(t, s, "/v1/run", shell("true")); !r.result.OK {
		t.Errorf("after them: %s", r.body)
	}
	head := "GET /v1/status HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 2*mostHeader) + "\r\n\r\n"
	c, err := net.Dial("unix", s.settings.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.Write([]byte(head))
	buf := make([]byte, 64)
	if n, _ := c.Read(buf); !strings.HasPrefix(string(buf[:n]), "HTTP/1.1 431 ") {
		t.Errorf("a head of %d bytes: %q", len(head), buf[:n])
	}
}
