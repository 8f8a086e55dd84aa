package cgroups

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
)

// maker makes a leaf, says where, and lives until it is killed or orphaned.
func maker([]string) {
	p, err := Find(given())
	if err != nil {
		panic(err)
	}
	g, err := p.Create("orphan", small)
	if err != nil {
		panic(err)
	}
	fmt.Println(strings.Join(paths(g), " "))
	untilOrphaned()
}

func TestSweepTakesOnlyTheLeavesOfTheDead(t *testing.T) {
	p := testParent(t)
	alive := testGroup(t, p, small)
	cmd := self("role:maker")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	startHeld(t, cmd)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	orphan := strings.Fields(line)
	if !slices.Contains(p.leaves(), filepath.Base(orphan[0])) {
		t.Fatalf("leaves() does not list %s", orphan[0])
	}

	p.Sweep(1000)
	if got := left(orphan); len(got) != len(orphan) {
		t.Fatalf("while its maker lives, Sweep left %v of %v", got, orphan)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if got := left(orphan); len(got) != len(orphan) {
		t.Fatalf("control: without Sweep there is %v of %v", got, orphan)
	}
	if n := p.Sweep(0); n != 0 || len(left(orphan)) != len(orphan) {
		t.Errorf("Sweep(0) = %d, and left %v", n, left(orphan))
	}
	if n := p.Sweep(1000); n < 1 {
		t.Errorf("Sweep() = %d, want at least 1", n)
	}
	if got := left(orphan); len(got) > 0 {
		t.Errorf("after Sweep there is %v", got)
	}
	if got := left(paths(alive)); len(got) != len(p.dirs) {
		t.Errorf("Sweep took a live leaf: left %v", got)
	}
}

const leftLoops = 50

// leaver makes a leaf with loops in it that are starved of processor time, and
// lives as maker does.
func leaver([]string) {
	p, err := Find(given())
	if err != nil {
		panic(err)
	}
	g, err := p.Create("leaver", Limits{Memory: 32 << 20, CPUs: 2, Pids: 2 * leftLoops})
	if err != nil {
		panic(err)
	}
	script := fmt.Sprintf("i=0; while [ $i -lt %d ]; do (while :; do :; done) & i=$((i+1)); done; echo up; wait", leftLoops)
	cmd := enter(g, exec.Command("/bin/sh", "-c", script))
	out, err := cmd.StdoutPipe()
	if err != nil {
		panic(err)
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		panic(err)
	}
	if err := starve(g); err != nil {
		panic(err)
	}
	fmt.Println(strings.Join(paths(g), " "))
	untilOrphaned()
}

// What outlives its supervisor has nobody but a later run to end it.
func TestSweepKillsWhatStillRuns(t *testing.T) {
	p := testParent(t)
	cmd := self("role:leaver")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	startHeld(t, cmd)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	where := strings.Fields(line)
	text, err := os.ReadFile(where[0] + "/cgroup.procs")
	if err != nil {
		t.Fatal(err)
	}
	pids := strings.Fields(string(text))
	cmd.Process.Kill()
	cmd.Wait()
	text, err = os.ReadFile(where[0] + "/cgroup.procs")
	if err != nil || len(pids) <= leftLoops || !slices.Equal(strings.Fields(string(text)), pids) {
		t.Fatalf("control: of %v in the leaf there is %q, %v after their supervisor", pids, text, err)
	}
	eventually(t, "Sweep removes the leaf", func() bool { p.Sweep(1000); return len(left(where)) == 0 })
	for _, pid := range pids {
		eventually(t, "process "+pid+" has ended", func() bool { return over(pid) })
	}
}

// over says whether a process has ended. A group of version 2 counts as empty a
// moment before: when its processes have begun to exit.
func over(pid string) bool {
	state, err := os.ReadFile("/proc/" + pid + "/stat")
	return err != nil || strings.Contains(string(state), ") Z ")
}

// Sweepers run without a pause while leaves are made: whoever wins the moment
// between mkdir and lock, each Create ends with a whole leaf.
func TestCreateAgainstSweepers(t *testing.T) {
	p := testParent(t)
	var stop atomic.Bool
	var swept atomic.Int64
	var sweepers, makers sync.WaitGroup
	for range 2 {
		sweepers.Go(func() {
			for !stop.Load() {
				swept.Add(int64(p.Sweep(1000)))
			}
		})
	}
	for range 4 {
		makers.Go(func() {
			for range 40 {
				g, err := p.Create("race", small)
				if err != nil {
					t.Error(err)
					return
				}
				if got := left(paths(g)); len(got) != len(p.dirs) {
					t.Errorf("Create returned a leaf of which there is only %v", got)
				}
				if _, err := g.InForce(); err != nil {
					t.Error(err)
				}
				discard(t, g)
			}
		})
	}
	makers.Wait()
	stop.Store(true)
	sweepers.Wait()
	t.Logf("sweepers won %d times", swept.Load())
	for _, name := range p.leaves() {
		if strings.HasPrefix(name, prefix+"race-") {
			t.Errorf("left behind: %s", name)
		}
	}
}

// What a sweeper may find half done: a leaf in the first hierarchy only.
func TestSweepTakesHalfALeaf(t *testing.T) {
	p := testParent(t)
	name := leafName("half")
	if err := p.dirs[0].mkdir(name); err != nil {
		t.Fatal(err)
	}
	if n := p.Sweep(1000); n < 1 {
		t.Errorf("Sweep() = %d, want at least 1", n)
	}
	if got := left([]string{filepath.Join(p.Path(), name)}); len(got) > 0 {
		p.dirs[0].rmdir(name)
		t.Errorf("left behind: %v", got)
	}
}

// A maker's group may differ from the sweeper's in some hierarchies only.
func TestSweepFindsFoldersElsewhere(t *testing.T) {
	p := testParent(t)
	if p.Version() == V2 {
		t.Skip("not for version 2: a leaf has one folder")
	}
	name := "jailtest-elsewhere-" + strconv.Itoa(os.Getpid())
	memory := p.index["memory"]
	if err := p.dirs[memory].mkdir(name); err != nil {
		t.Fatal(err)
	}
	defer p.dirs[memory].rmdir(name)
	elsewhere, err := p.dirs[memory].open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer elsewhere.close()
	other := *p
	other.dirs = slices.Clone(p.dirs)
	other.dirs[memory] = elsewhere
	g, err := other.Create("elsewhere", small)
	if err != nil {
		t.Fatal(err)
	}
	where := paths(g)
	defer discard(t, g)
	if p.Sweep(1000); len(left(where)) != len(where) {
		t.Errorf("while its maker lives, Sweep left %v of %v", left(where), where)
	}
	unix.Flock(g.dirs[0].fd, unix.LOCK_UN) // as its maker's death would
	if p.Sweep(1000); len(left(where)) > 0 {
		t.Errorf("after Sweep there is %v", left(where))
	}
}

// A leaf with a folder in a hierarchy that is not mounted here is for others to sweep:
// without its first folder nobody would find the rest. One whose group is gone in a
// hierarchy that is mounted has no folder left there.
func TestSweepWithoutAHierarchy(t *testing.T) {
	p := testParent(t)
	if p.Version() == V2 {
		return // where a leaf has one folder
	}
	g := testGroup(t, p, small)
	memory := p.dirs[p.index["memory"]].path
	at := func(home string) {
		homes := []string{p.dirs[p.index["cpu"]].path, p.dirs[p.index["cpuacct"]].path, memory}
		if home != "" {
			homes[2] = home
		}
		if err := unix.Fsetxattr(g.dirs[0].fd, homesAttr, []byte(strings.Join(homes, "\n")), 0); err != nil {
			t.Fatal(err)
		}
	}
	where := paths(g)
	unix.Flock(g.dirs[0].fd, unix.LOCK_UN) // as its maker's death would
	at(t.TempDir() + "/memory/of/another/mount")
	if p.Sweep(1000); !slices.Contains(left(where), where[0]) {
		t.Errorf("with a hierarchy that is not mounted, Sweep left %v", left(where))
	}
	at(memory + "/gone/with-all-below")
	if p.Sweep(1000); slices.Contains(left(where), where[0]) {
		t.Errorf("with a group that is gone, Sweep left %v", left(where))
	}
	g.parent.dirs[g.parent.index["memory"]].rmdir(g.name) // which that group's end would have taken
}

// A folder that only looks like a leaf is somebody else's.
func TestSweepLeavesOthersAlone(t *testing.T) {
	p := testParent(t)
	for _, name := range []string{prefix + "tests", "jailtest" + suffix} {
		if err := p.dirs[0].mkdir(name); err != nil {
			t.Fatal(err)
		}
		p.Sweep(1000)
		if err := p.dirs[0].rmdir(name); err != nil {
			t.Errorf("after Sweep: %v", err)
		}
	}
}
