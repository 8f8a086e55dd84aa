package mcpserver

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

// TestWorkspaceOfNames: names, which take long to look at, count as what they cost.
// With 200,000 of them a look takes so long that GiBs can be written until the next.
func TestWorkspaceOfNames(t *testing.T) {
	with := settings(t, profiles.Overrides{Limits: jail.Limits{Timeout: 10 * time.Minute, Memory: 512 << 20}})
	with.WorkspaceSize = 64 << 20
	s := connect(t, with, nil)
	for name, each := range map[string]string{
		"links":    "os.link('a', n)",
		"files":    "os.close(os.open(n, os.O_CREAT | os.O_WRONLY))",
		"symlinks": "os.symlink('a', n)",
		"folders":  "os.mkdir(n)",
	} {
		source := "import os, time\nos.mkdir('n')\nos.close(os.open('n/a', os.O_CREAT))\nos.chdir('n')\nfor i in range(20000):\n  n = str(i)\n  " + each + "\ntime.sleep(500)"
		if r := s.call(toolCode, code("python", source)); r.Reason != jail.ReasonDiskFull {
			t.Errorf("%s: %s: %.300s", name, r.Reason, r.text)
		}
		if r := s.sh("rm -rf n"); !r.OK {
			t.Errorf("%s: rm: %s", name, r.text)
		}
	}
}

// TestWorkspaceBound: however long a look takes, no more than as much again as the
// workspace may have is written, but for what others write to the same disk, and what is
// written while nobody has a processor to look: then it is tried again.
func TestWorkspaceBound(t *testing.T) {
	const size = 64 << 20
	most := int64(0)
	for range 5 {
		if most = writtenTo(t, size); most <= 2*size+64<<20 {
			return
		}
		t.Logf("%d MiB were written", most>>20)
	}
	t.Errorf("%d MiB were written into a workspace of %d", most>>20, size>>20)
}

// writtenTo is how much is written to a workspace, as fast as can be, until it is too
// large.
func writtenTo(t *testing.T, size int64) int64 {
	t.Helper()
	with := settings(t, profiles.Overrides{Limits: jail.Limits{Timeout: 10 * time.Minute, Memory: 1 << 30}})
	with.WorkspaceSize = size
	s := connect(t, with, nil)
	fill := fmt.Sprintf("import os, threading, time\nfor i in range(%d):\n  os.close(os.open('n%%d' %% i, os.O_CREAT | os.O_WRONLY))\ntime.sleep(0.5)\n", 11_000) +
		"b = b'x' * (1 << 20)\ndef f(k):\n  for j in range(40):\n    with open('big%d-%d' % (k, j), 'wb', 0) as o:\n      for i in range(30): o.write(b)\n" +
		"for k in range(2): threading.Thread(target=f, args=(k,)).start()\ntime.sleep(500)"
	w := s.server.workspace
	before := w.free()
	most := int64(0)
	returned, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			if most = max(most, before-w.free()); w.ended() {
				return
			}
			select {
			case <-returned:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	r := s.call(toolCode, code("python", fill))
	close(returned)
	<-done
	if r.Reason != jail.ReasonDiskFull {
		t.Errorf("%s: %.300s", r.Reason, r.text)
	}
	return most
}

// ended says whether the boxes are being ended.
func (w *workspace) ended() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.full || w.limit > w.size
}

// TestRest: how long it is waited for the next look, by what has gone.
func TestRest(t *testing.T) {
	w := &workspace{size: 100}
	for _, c := range []struct {
		taken, room int64
		early       bool
		want        bool
	}{
		{0, 50, false, true},
		{25, 50, false, true},
		{26, 50, true, true},
		{150, 50, true, true},
		{151, 50, true, false},
		{-1000, 50, false, true},
		{101, 0, true, false},
	} {
		long := 100 * time.Millisecond
		if c.early {
			long = time.Minute
		}
		began := time.Now()
		got := w.rest(long, func() int64 { return c.taken }, c.room)
		if took := time.Since(began); got != c.want || c.early == (took >= long) {
			t.Errorf("rest(%d of %d taken) = %v after %v of %v, want %v, early: %v", c.taken, c.room, got, took, long, c.want, c.early)
		}
	}
}

// TestLargeFile: a program that fails at a file as large as the workspace may be is told
// that it was the workspace; one that fails otherwise is not.
func TestLargeFile(t *testing.T) {
	with := settings(t, small)
	with.WorkspaceSize = 2 << 20
	s := connect(t, with, nil)
	for _, line := range []string{"head -c 2500000 /dev/zero >big", "exec head -c 2500000 /dev/zero >big"} {
		if r := s.sh(line); r.Reason != jail.ReasonDiskFull || r.OK || !strings.Contains(r.Hint, "workspace") {
			t.Errorf("%s: %s: %s", line, r.Reason, r.text)
		}
		s.sh("rm big")
	}
	if r := s.call(toolCode, code("python", "open('big', 'wb').write(b'x' * 2500000)")); r.Reason != jail.ReasonDiskFull || r.Error == nil {
		t.Errorf("python: %s: %s", r.Reason, r.text)
	}
	s.sh("rm big")
	if r := s.sh("exit 153"); r.Reason != jail.ReasonExecutionFailed {
		t.Errorf("another failure: %s", r.text)
	}
}
