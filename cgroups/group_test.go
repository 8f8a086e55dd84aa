package cgroups

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// paths is where g is in every hierarchy.
func paths(g *Group) []string {
	var ps []string
	for _, d := range g.parent.dirs {
		ps = append(ps, filepath.Join(d.path, g.name))
	}
	return ps
}

func left(paths []string) []string {
	var there []string
	for _, p := range paths {
		if _, err := os.Stat(p); !errors.Is(err, os.ErrNotExist) {
			there = append(there, p)
		}
	}
	return there
}

func TestCreateAndRemove(t *testing.T) {
	p := testParent(t)
	g := testGroup(t, p, small)
	where := paths(g)
	if got := left(where); len(got) != len(where) {
		t.Errorf("after Create there is %v, want %v", got, where)
	}
	if g.Version() == V1 && (g.FD() != -1 || len(g.TaskFiles()) != len(where) || g.parent.TaskFiles() != len(where)) {
		t.Errorf("FD() = %d, %d task files, want -1 and %d", g.FD(), len(g.TaskFiles()), len(where))
	}
	if g.Version() == V2 && (g.FD() < 0 || len(g.TaskFiles()) != 0 || g.parent.TaskFiles() != 0) {
		t.Errorf("FD() = %d, %d task files, want a descriptor and none", g.FD(), len(g.TaskFiles()))
	}
	if empty, err := g.Empty(); !empty || err != nil {
		t.Errorf("Empty() = %v, %v, want true", empty, err)
	}
	for range 2 { // the second time it has nothing to do
		if err := g.Remove(); err != nil {
			t.Errorf("Remove() = %v", err)
		}
	}
	if got := left(where); len(got) > 0 {
		t.Errorf("after Remove there is %v", got)
	}
}

// The umask is the caller's, and may be anything.
func TestCreateUnderAnyUmask(t *testing.T) {
	p := testParent(t)
	old := unix.Umask(0o777)
	defer unix.Umask(old)
	g := testGroup(t, p, small)
	for _, path := range paths(g) {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o755 {
			t.Errorf("%s: %v, %v, want mode 0755", path, info, err)
		}
	}
	if _, err := g.InForce(); err != nil {
		t.Error(err)
	}
}

func TestCreateRefusesAndLeavesNothing(t *testing.T) {
	p := testParent(t)
	tests := []struct {
		name, label string
		l           Limits
	}{
		{"no limits", "", Limits{}},
		{"slash", "../x", small},
		{"newline", "a\nb", small},
		{"long", strings.Repeat("a", 65), small},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if g, err := p.Create(tt.label, tt.l); err == nil {
				discard(t, g)
				t.Errorf("Create(%q, %v) succeeded", tt.label, tt.l)
			}
		})
	}
	// A step that fails in the kernel, after the folders were made.
	broken := *p
	broken.index = map[string]int{"pids": 0, "memory": 0, "cpu": 0, "cpuacct": 0}
	if p.version == V2 {
		return // with one folder there is no wrong one to limit
	}
	before := p.leaves()
	if _, err := broken.Create("broken", small); !errors.Is(err, unix.ENOENT) {
		t.Errorf("Create in the wrong hierarchy = %v, want ENOENT", err)
	}
	for _, name := range p.leaves() {
		if strings.HasPrefix(name, prefix+"broken-") {
			t.Errorf("left behind: %s (before: %v)", name, before)
		}
	}
}

func TestInForce(t *testing.T) {
	p := testParent(t)
	g := testGroup(t, p, Limits{Memory: 32<<20 + 5, CPUs: 0.333, Pids: 7})
	got, err := g.InForce()
	if err != nil {
		t.Fatal(err)
	}
	if want := (Limits{Memory: 32 << 20, CPUs: 0.333, Pids: 7}); got.Limits != want {
		t.Errorf("InForce() = %+v, want %+v", got.Limits, want)
	}
	for _, want := range []string{"pids.max=7", "=33554432", "33300"} {
		if !strings.Contains(got.Evidence, want) {
			t.Errorf("InForce().Evidence = %q, want %q in it", got.Evidence, want)
		}
	}
	if g.Version() == V1 && !strings.Contains(got.Note, socketLimit) {
		if want := socketLimit + "=33554432"; !strings.Contains(got.Evidence, want) {
			t.Errorf("InForce().Evidence = %q, want %q in it", got.Evidence, want)
		}
		mem := g.dir("memory")
		if err := mem.write(socketLimit, decimal(64<<20)); err != nil {
			t.Fatal(err)
		}
		if _, err := g.InForce(); err == nil || !strings.Contains(err.Error(), socketLimit) {
			t.Errorf("InForce() with sockets loosened = %v, want an error that names %s", err, socketLimit)
		}
		if err := mem.write(socketLimit, decimal(32<<20)); err != nil {
			t.Fatal(err)
		}
	}
	// Whoever may write the files can loosen them; that must show.
	if err := g.dir("pids").write("pids.max", "8"); err != nil {
		t.Fatal(err)
	}
	if _, err := g.InForce(); err == nil || !strings.Contains(err.Error(), "pids") {
		t.Errorf("InForce() with pids.max loosened = %v, want an error that names pids", err)
	}
}

func TestEnterIsInEveryHierarchy(t *testing.T) {
	g := testGroup(t, testParent(t), small)
	out, err := enter(g, exec.Command("/bin/cat", "/proc/self/cgroup")).Output()
	if err != nil {
		t.Fatal(err)
	}
	ms, err := parseMemberships(string(out))
	if err != nil {
		t.Fatal(err)
	}
	in := make(map[string]bool)
	for _, m := range ms {
		for _, c := range append(m.controllers, "") {
			in[c] = in[c] || strings.HasSuffix(m.path, "/"+g.Name())
		}
	}
	want := controllersV1[:]
	if g.Version() == V2 {
		want = []string{""}
	}
	for _, c := range want {
		if !in[c] {
			t.Errorf("a process that entered is in %q: not in the group for controller %q", out, c)
		}
	}
}

func TestParallelCreates(t *testing.T) {
	p := testParent(t)
	var mu sync.Mutex
	var where []string
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			g, err := p.Create("same-name", small)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			where = append(where, paths(g)...)
			mu.Unlock()
			if _, err := g.InForce(); err != nil {
				t.Error(err)
			}
			if err := g.Remove(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if want := 50 * len(p.dirs); len(where) != want {
		t.Errorf("made %d folders, want %d", len(where), want)
	}
	if got := left(where); len(got) > 0 {
		t.Errorf("left behind: %v", got)
	}
}

func TestDescriptorsAreClosed(t *testing.T) {
	p := testParent(t)
	count := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	run := func() {
		q, err := Find(given())
		if err != nil {
			t.Fatal(err)
		}
		defer q.Close()
		g := testGroup(t, q, small)
		if _, err := g.Stats(); err != nil {
			t.Error(err)
		}
		if err := g.Remove(); err != nil {
			t.Error(err)
		}
		q.Sweep(4)
		Find("/no/such/group")
	}
	run()
	before := count()
	for range 20 {
		run()
	}
	if after := count(); after != before {
		t.Errorf("%d descriptors open after 20 groups, %d before", after, before)
	}
	p.leaves()
}
