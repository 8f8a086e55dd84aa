package soak

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/cgroups"
)

// TestTheLookingSees: each way of looking for what was left behind finds it
// when it is there. Without this the other tests might pass blind.
func TestTheLookingSees(t *testing.T) {
	label := label("control")
	t.Run("orphan", func(t *testing.T) {
		// The parent ends at once: its daemon becomes ours.
		start := exec.Command("/bin/sh", "-c", "setsid sh -c 'sleep 60; :' $0 >/dev/null 2>&1 & echo $!", label)
		if _, err := start.Output(); err != nil {
			t.Fatal(err)
		}
		alive := survivors(label, 50*time.Millisecond)
		// The shell, known by the label and as our child, and its sleep.
		if len(alive) == 0 || !strings.Contains(strings.Join(alive, "\n"), label) {
			t.Errorf("survivors(%q) = %q, want the orphan among them", label, alive)
		}
		for until := time.Now().Add(settleTime); len(alive) > 0 && time.Now().Before(until); {
			for _, pid := range children(os.Getpid()) { // of which the sleep of a killed shell becomes one
				syscall.Kill(pid, syscall.SIGKILL)
			}
			alive = survivors(label, 10*time.Millisecond)
		}
		if len(alive) > 0 {
			t.Errorf("survivors(%q) = %q after all were killed, want none", label, alive)
		}
	})
	t.Run("cgroup", func(t *testing.T) {
		needGroups(t)
		parent, err := cgroups.Find("")
		if err != nil {
			t.Fatal(err)
		}
		defer parent.Close()
		g, err := parent.Create(label, cgroups.Limits{Memory: 64 * mib, CPUs: 1, Pids: 8})
		if err != nil {
			t.Fatal(err)
		}
		if left := leaves(t, label); len(left) == 0 {
			t.Errorf("leaves(%q) = %q, want the group %s", label, left, g.Name())
		}
		if err := g.Remove(); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("file", func(t *testing.T) {
		for _, dir := range []string{os.Getenv("TMPDIR"), "/tmp"} {
			name := filepath.Join(dir, label)
			if err := os.WriteFile(name, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if left := leftFiles(t, label); len(left) != 1 || left[0] != name {
				t.Errorf("leftFiles(%q) = %q, want %s", label, left, name)
			}
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
	})
	t.Run("descriptor", func(t *testing.T) {
		before := look(t)
		f, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if more := added(before.fds, look(t).fds); len(more) != 1 {
			t.Errorf("descriptors added: %q, want the one of %s", more, os.DevNull)
		}
	})
}
