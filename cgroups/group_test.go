package cgroups

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

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
	if g.Version() == V1 && (g.FD() != -1 || len(g.TaskFiles()) != len(where)) {
		t.Errorf("FD() = %d, %d task files, want -1 and %d", g.FD(), len(g.TaskFiles()), len(where))
	}
	if g.Version() == V2 && (g.FD() < 0 || len(g.TaskFiles()) != 0) {
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
		t.Skip("not for version 2: with one folder there is no wrong one to limit")
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
	// Whoever may write the files can loosen them; that must show.
	if err := g.dir("pids").write("pids.max", "8"); err != nil {
		t.Fatal(err)
	}
	if _, err := g.InForce(); err == nil || !strings.Contains(err.Error(), "pids") {
		t.Errorf("InForce() with pids.max loosened = %v, want an error that names pids", err)
	}
}

func TestMemoryLimit(t *testing.T) {
	g := testGroup(t, testParent(t), small)
	out, err := self("role:hog", "96").Output()
	if err != nil || string(out) != "touched\n" {
		t.Fatalf("control: hog outside of the group: %q, %v", out, err)
	}
	if n, err := g.OOMKills(); n != 0 || err != nil {
		t.Errorf("OOMKills() before = %d, %v, want 0", n, err)
	}
	err = enter(g, self("role:hog", "96")).Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("hog in the group: %v, want killed", err)
	}
	if n, err := g.OOMKills(); n < 1 || err != nil {
		t.Errorf("OOMKills() = %d, %v, want at least 1", n, err)
	}
	s, err := g.Stats()
	if err != nil {
		t.Fatal(err)
	}
	if s.OOMKills == nil || *s.OOMKills < 1 {
		t.Errorf("Stats().OOMKills = %v, want at least 1", s.OOMKills)
	}
	// A process that is being killed may be charged a few pages past the limit.
	if s.MemoryPeak != nil && (*s.MemoryPeak < small.Memory/2 || *s.MemoryPeak > small.Memory+1<<20) {
		t.Errorf("Stats().MemoryPeak = %d, want close to %d", *s.MemoryPeak, small.Memory)
	}
}

// crowd starts 30 processes; dash ends itself when it can't fork.
const crowd = `i=0; pids=; while [ $i -lt 30 ]; do sleep 20 >/dev/null 2>&1 & i=$((i+1)) pids="$pids $!"; done
kill $pids; wait; echo all`

func TestPidsLimit(t *testing.T) {
	out, err := exec.Command("/bin/sh", "-c", crowd).Output()
	if err != nil || string(out) != "all\n" {
		t.Fatalf("control: crowd outside of the group: %q, %v", out, err)
	}
	g := testGroup(t, testParent(t), small)
	out, err = enter(g, exec.Command("/bin/sh", "-c", crowd)).Output()
	if err == nil || len(out) > 0 {
		t.Errorf("crowd in the group: %q, %v, want it refused", out, err)
	}
	s, err := g.Stats()
	if err != nil {
		t.Fatal(err)
	}
	if s.PidsDenied == nil || *s.PidsDenied < 1 {
		t.Errorf("Stats().PidsDenied = %v, want at least 1", s.PidsDenied)
	}
	if s.PidsPeak != nil && *s.PidsPeak != small.Pids {
		t.Errorf("Stats().PidsPeak = %d, want %d", *s.PidsPeak, small.Pids)
	}
	if empty, err := g.Empty(); empty || err != nil {
		t.Errorf("Empty() with sleepers = %v, %v, want false", empty, err)
	}
	began := time.Now()
	if err := g.Remove(); !errors.Is(err, unix.EBUSY) {
		t.Errorf("Remove() with sleepers = %v, want EBUSY", err)
	}
	if took := time.Since(began); took > 10*removeWait {
		t.Errorf("Remove() with sleepers took %v, want about %v", took, removeWait)
	}
	killAll(g)
	eventually(t, "the group is empty", func() bool { empty, err := g.Empty(); return empty && err == nil })
}

func TestCPULimit(t *testing.T) {
	const work = "200ms"
	run := func(cmd *exec.Cmd) time.Duration {
		began := time.Now()
		if out, err := cmd.Output(); err != nil || string(out) != "burnt\n" {
			t.Fatalf("burn: %q, %v", out, err)
		}
		return time.Since(began)
	}
	free := run(self("role:burn", work))
	l := small
	l.CPUs = 0.2
	g := testGroup(t, testParent(t), l)
	capped := run(enter(g, self("role:burn", work)))
	// 200 ms of work at a fifth of a processor take 9 periods of 100 ms or so.
	if capped < 600*time.Millisecond {
		t.Errorf("burn in the group took %v (outside %v), want at least 600ms", capped, free)
	}
	s, err := g.Stats()
	if err != nil {
		t.Fatal(err)
	}
	if s.Throttled <= 0 {
		t.Errorf("Stats().Throttled = %v, want more than 0", s.Throttled)
	}
	used, err := g.CPUUsage()
	if err != nil || used < 180*time.Millisecond || used > capped {
		t.Errorf("CPUUsage() = %v, %v, want 200ms and a little", used, err)
	}
	if sum := s.CPUUser + s.CPUSystem; sum < 150*time.Millisecond || sum > capped {
		t.Errorf("Stats() = %v user + %v system, want 200ms and a little", s.CPUUser, s.CPUSystem)
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

func TestKillSaysUnsupportedOnV1(t *testing.T) {
	g := testGroup(t, testParent(t), small)
	if g.Version() == V2 {
		t.Skip("not for version 2: TestV2Kill is its counterpart")
	}
	if err := g.Kill(); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Kill() = %v, want ErrUnsupported", err)
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
		q, err := Find(os.Getenv("JAIL_TEST_CGROUP_PARENT"))
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
