package counts

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/test/shipped"
)

// The list of the host's mounts, of which there may be thousands, is read where a run
// depends on it, and once then.
func TestReadsMountsOnce(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		shipped.LeaveOut(t, err.Error())
	}
	dir, err := os.MkdirTemp("/var/tmp", "jail-counts-") // for everybody to pass, for root's boxes of tier 2
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	open, record := filepath.Join(dir, "open"), filepath.Join(dir, "record")
	ws, shut := filepath.Join(dir, "ws"), filepath.Join(dir, "ws", "shut")
	if err := errors.Join(os.MkdirAll(shut, 0o777), os.Mkdir(open, 0o777)); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{dir, ws, shut, open} {
		if err := os.Chmod(p, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	usual := mountReads(t) // to find groups in unusual places
	for _, flags := range [][]string{
		{"--ro", ws},
		{"--rw", ws, "--record", record},
		{"--rw", ws, "--ro", shut, "--record", record},
		{"--rw", ws, "--tmpfs", shut, "--record", record},
		{"--tier", "2", "--rw", ws, "--ro", open, "--record", record},
	} {
		if n := mountReads(t, flags...) - usual; n != 1 {
			t.Errorf("run %q reads the list of mounts %d times, want once", flags, n)
		}
	}
}

// mountReads is how often a run with flags reads the list of mounts.
func mountReads(t *testing.T, flags ...string) int {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trace")
	args := append([]string{"-f", "-qq", "-e", "trace=openat", "-o", file, jail, "run", "-q", "--optional", "cgroup"}, flags...)
	if out, err := exec.Command("strace", append(args, "--", "/bin/true")...).CombinedOutput(); err != nil {
		t.Fatalf("run %q: %v: %s", flags, err, out)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), `/mountinfo"`)
}
