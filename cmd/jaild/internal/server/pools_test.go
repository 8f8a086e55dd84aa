package server

import (
	"os"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/cmd/internal/nobox"
	"github.com/seed-75010da9/jail/jail"
)

// A server that no run will find a box in does not start, and what it says has what to do
// about it; its socket is gone again. One that can have boxes starts.
func TestNoBoxNoServer(t *testing.T) {
	const strict = `{"profile":"sh","args":["-c","true"],"cgroup_parent":"nonexistent/group","optional":["landlock","seccomp"]}`
	for _, name := range []string{"refused", "weakened", "ready"} {
		with := settings(t)
		switch name {
		case "refused":
			with.Trial = []byte(strict)
		case "weakened":
			with.Trial = []byte(shell("true", `"cgroup_parent":"nonexistent/group"`))
		case "ready":
			with.Pools = append(with.Pools, poolOf(t, strict))
		}
		s, err := New(with)
		if name == "weakened" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else {
				s.Close()
			}
			continue
		}
		if err == nil {
			s.Close()
			t.Errorf("%s: it starts", name)
			continue
		}
		if said := nobox.Words(err); !strings.Contains(said, "--optional cgroup") || strings.Contains(said, "cgroups: ") || strings.Contains(said, "jail: ") {
			t.Errorf("%s: %s", name, said)
		}
		if _, err := os.Stat(with.Socket); err == nil || !os.IsNotExist(err) {
			t.Errorf("%s: its socket is there: %v", name, err)
		}
	}
}

// Errors of other kinds stay as they are.
func TestWordsOfOtherErrors(t *testing.T) {
	for _, err := range []error{os.ErrClosed, jail.Faults{{Field: "--x", Want: "w"}}} {
		if got := nobox.Words(err); got != err.Error() {
			t.Errorf("Words(%v) = %q", err, got)
		}
	}
}
