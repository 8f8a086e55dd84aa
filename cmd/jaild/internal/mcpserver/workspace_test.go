package mcpserver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
	"golang.org/x/sys/unix"
)

// TestWorkspace: the boxes of a session share it, those of another do not.
func TestWorkspace(t *testing.T) {
	with := settings(t, small)
	one, two := connect(t, with, nil), connect(t, with, nil)
	if r := one.call(toolCode, code("python", "import os; open('a', 'w').write('mine'); return os.getcwd()")); string(r.Value) != `"/workspace"` {
		t.Errorf("%s", r.text)
	}
	if r := one.sh("cat a"); r.Stdout.Text != "mine" {
		t.Errorf("%s", r.text)
	}
	if r := one.call(toolCode, code("node", "return require('fs').readFileSync('/workspace/a', 'utf8')")); string(r.Value) != `"mine"` {
		t.Errorf("%s", r.text)
	}
	if r := two.sh("ls -A; ls -d " + one.server.workspace.files); r.OK || r.Stdout.Text != "" {
		t.Errorf("another session sees %s", r.text)
	}
	if r := one.sh("echo x >/tmp/x"); !r.OK {
		t.Errorf("%s", r.text)
	}
	if r := one.sh("cat /tmp/x"); r.OK {
		t.Error("/tmp is shared")
	}
}

// TestWorkspaceFull: who makes it too large is ended; it can be made smaller; who goes
// on has it emptied.
func TestWorkspaceFull(t *testing.T) {
	with := settings(t, profiles.Overrides{Limits: jail.Limits{Timeout: 2 * time.Minute, FileSize: 1 << 30}})
	with.WorkspaceSize = 16 << 20 // of which it takes seconds to write too much
	// Nobody else writes to a file system of its own; see settings.
	if temp := os.Getenv("TMPDIR"); os.Geteuid() == 0 {
		if err := unix.Mount("jail-test", temp, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "size=512m,mode=711"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if left, _ := filepath.Glob(temp + "/*"); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			unix.Unmount(temp, unix.MNT_DETACH)
		})
	}
	s := connect(t, with, nil)
	fill := "i=0; while [ $i -lt 3000 ]; do head -c 100000 /dev/zero >f$i; i=$((i+1)); sleep 0.02; done"
	r := s.sh("touch kept; " + fill)
	if r.Reason != jail.ReasonDiskFull || r.Hint == "" || !r.failed {
		t.Fatalf("%s", r.text)
	}
	if r := s.sh("ls kept && rm f*"); !r.OK {
		t.Fatalf("it can't be made smaller: %s", r.text)
	}
	if r := s.sh("head -c 1000000 /dev/zero >g; ls kept"); !r.OK {
		t.Errorf("%s", r.text)
	}
	if r := s.sh(fill); r.Reason != jail.ReasonDiskFull {
		t.Fatalf("%s", r.text)
	}
	if r := s.sh("i=0; while :; do head -c 100000 /dev/zero >h$i; i=$((i+1)); sleep 0.02; done"); r.Reason != jail.ReasonDiskFull {
		t.Fatalf("%s", r.text)
	}
	if r := s.sh("ls -A"); !r.OK || r.Stdout.Text != "" {
		t.Errorf("it is not empty: %s", r.text)
	}
	// A single file is held by the kernel.
	if r := s.sh("head -c 30000000 /dev/zero >f"); r.OK {
		t.Errorf("a file larger than the workspace: %s", r.text)
	}
}

// TestWorkspaceHostile: what a box leaves there goes, and the next call runs.
func TestWorkspaceHostile(t *testing.T) {
	s := connect(t, settings(t, small), nil)
	for _, line := range []string{
		"mkdir -p a/b && touch a/b/c && chmod 0 a/b a . || true",
		"i=0; while [ $i -lt 300 ]; do mkdir d && cd d && i=$((i+1)) || break; done; sleep 1",
		"mkfifo p; ln -s / l; ln -s . self",
	} {
		s.sh(line)
		if r := s.sh("true"); !r.OK {
			t.Errorf("after %s: %s", line, r.text)
		}
	}
}

// TestSweep: what a killed server left goes with the next start; nothing else does.
func TestSweep(t *testing.T) {
	with := settings(t, small)
	base := os.Getenv("TMPDIR")
	held, err := newWorkspace(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	left, err := newWorkspace(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	left.lock.Close()
	if err := os.WriteFile(filepath.Join(left.files, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	others := []string{"jail-mcp-notes", "jail-mcp-0123456789abcdef", "jail-mcp-new-0123456789abcdef"}
	for _, name := range others {
		if err := os.Mkdir(filepath.Join(base, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s, err := New(with)
	if err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until); { // a sweep has some seconds
		if _, err := os.Stat(left.path); err != nil {
			break
		}
		s.Close()
		if s, err = New(with); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(left.path); err == nil {
		t.Error("what a killed server left is there")
	}
	for _, path := range append([]string{held.path}, others...) {
		if !strings.HasPrefix(path, "/") {
			path = filepath.Join(base, path)
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s was swept", path)
		}
	}
	s.Close()
	held.remove(time.Now().Add(20 * time.Second))
	for _, name := range others {
		os.Remove(filepath.Join(base, name))
	}
}

// TestOwnFolder: without a workspace of the session's own the starter's is shared.
func TestOwnFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	over := small
	over.Workspace = dir
	with := settings(t, over)
	with.WorkspaceSize = 0
	s := connect(t, with, nil)
	if r := s.sh("touch made; pwd"); r.Stdout.Text != dir+"\n" {
		t.Errorf("%s", r.text)
	}
	if _, err := os.Stat(dir + "/made"); err != nil {
		t.Error(err)
	}
}

// TestNoSuchBoxes: what is wrong with a box is told before there is a client.
func TestNoSuchBoxes(t *testing.T) {
	with := settings(t, small)
	gone := settings(t, profiles.Overrides{Limits: jail.Limits{Output: 1 << 30}})
	with.Command = gone.Command
	s, err := New(with)
	if err == nil {
		s.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "--output") {
		t.Errorf("New = %v", err)
	}
}
