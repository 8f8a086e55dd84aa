package server

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// write opens a connection and writes to it what a caller may send of a request.
func write(t *testing.T, s *Server, text string) net.Conn {
	t.Helper()
	c, err := net.Dial("unix", s.settings.Socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return c
}

func post(body string, length int) string {
	return fmt.Sprintf("POST /v1/run HTTP/1.1\r\nHost: jail\r\nContent-Length: %d\r\n\r\n%s", length, body)
}

// TestCallerGone: the end of the connection is the end of the box, whatever the caller
// has sent behind its request, and while it waits for its turn as well.
func TestCallerGone(t *testing.T) {
	with := settings(t)
	with.MaxRunning = 1
	s := serve(t, with)
	body := shell("sleep 60")
	for _, behind := range []string{"", "P", "POST /v1/run HTTP/1.1\r\n", strings.Repeat("x", 100_000)} {
		for _, half := range []bool{false, true} {
			first := write(t, s, post(body, len(body))+behind)
			eventually(t, "it runs", busy(s, 1, 0))
			second := write(t, s, post(body, len(body))+behind)
			eventually(t, "the other waits", busy(s, 1, 1))
			for _, c := range []net.Conn{second, first} {
				if half {
					c.(*net.UnixConn).CloseWrite()
				} else {
					c.Close()
				}
			}
			began := time.Now()
			eventually(t, "both are gone", busy(s, 0, 0))
			if took := time.Since(began); took > 20*time.Second { // and not the half minute that the box may take
				t.Errorf("%d bytes behind, half %v: gone after %v", len(behind), half, took)
			}
			first.Close()
			second.Close()
		}
	}
	// A caller that stays has its answer, whatever it sends meanwhile.
	body = shell("sleep 0.5; echo mine")
	c := write(t, s, post(body, len(body))+"POST /v1/run")
	c.SetReadDeadline(time.Now().Add(time.Minute))
	text := make([]byte, 16<<10)
	if n, err := io.ReadAtLeast(c, text, 500); err != nil || !strings.Contains(string(text[:n]), `"text":"mine\n"`) {
		t.Errorf("%v: %s", err, text[:n])
	}
}

// TestDrainSlowBodies: a server that ends does not wait for requests that arrive slowly.
func TestDrainSlowBodies(t *testing.T) {
	with := settings(t)
	with.MaxQueue = 10
	s := serve(t, with)
	var callers []net.Conn
	for range 3 {
		callers = append(callers, write(t, s, post(`{"args":`, 1000)))
	}
	for range mostLarge + 2 { // the last of them wait to be read at all
		callers = append(callers, write(t, s, post(`{"args":`, smallRequest+1)))
	}
	places := func() bool {
		s.admission.mu.Lock()
		defer s.admission.mu.Unlock()
		return s.admission.places == len(callers)
	}
	eventually(t, "they are arriving", places)
	began := time.Now()
	if n := s.Drain(nil); n != 0 {
		t.Errorf("Drain() = %d, want 0", n)
	}
	if took := time.Since(began); took > bodyTime/2 {
		t.Errorf("it took %v with nothing running", took)
	}
	for i, c := range callers {
		c.SetReadDeadline(time.Now().Add(time.Minute))
		text := make([]byte, 4<<10)
		if n, err := c.Read(text); err != nil || !strings.Contains(string(text[:n]), fmt.Sprint(http.StatusServiceUnavailable)) {
			t.Errorf("caller %d: %v: %.200s", i, err, text[:n])
		}
	}
}
