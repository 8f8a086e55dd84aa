package cgroups

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// starve cuts g to a hundredth of a processor, after its processes were started
// at more.
func starve(g *Group) error {
	file, quota := "cpu.cfs_quota_us", "1000"
	if g.Version() == V2 {
		file, quota = "cpu.max", "1000 100000"
	}
	err := g.dir("cpu").write(file, quota)
	// It counts from the next period on, and what runs goes into debt first.
	time.Sleep(300 * time.Millisecond)
	return err
}

// startCrowd starts so many of a shell's line in g, and a process above them.
func startCrowd(t *testing.T, g *Group, n int, line string) {
	t.Helper()
	script := fmt.Sprintf(`i=0; while [ $i -lt %d ]; do %s & i=$((i+1)); done; echo up; wait`, n, line)
	cmd := enter(g, exec.Command("/bin/sh", "-c", script))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	start(t, cmd)
	if up, err := bufio.NewReader(out).ReadString('\n'); up != "up\n" {
		t.Fatalf("the crowd says %q, %v", up, err)
	}
}

func processes(t *testing.T, g *Group) int {
	t.Helper()
	pids, err := g.dirs[0].procs()
	if err != nil {
		t.Fatal(err)
	}
	return len(pids)
}

// ending is how long the end of what was killed may take on a machine with much else
// to do. What does not end by being killed does not end in that time either.
const ending = 30 * time.Second

func emptyWithin(t *testing.T, g *Group, most time.Duration) bool {
	t.Helper()
	for deadline := time.Now().Add(most); processes(t, g) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

// A hundred loops that are starved of processor time do not even die of SIGKILL;
// that is the control.
func TestKillOfTheStarved(t *testing.T) {
	crowded := Limits{Memory: 64 << 20, CPUs: 2, Pids: 300}
	const loops, line = 100, `(while :; do :; done)`
	p := testParent(t)
	t.Run("SIGKILL alone", func(t *testing.T) {
		g := testGroup(t, p, crowded)
		t.Cleanup(func() { g.Kill(); emptyWithin(t, g, ending) }) // before it is discarded
		startCrowd(t, g, loops, line)
		if err := starve(g); err != nil {
			t.Fatal(err)
		}
		killAll(g)
		if emptyWithin(t, g, time.Second) {
			t.Skip("not for this kernel: what is killed dies in spite of its quota")
		}
	})
	t.Run("Kill", func(t *testing.T) {
		g := testGroup(t, p, crowded)
		startCrowd(t, g, loops, line)
		if err := starve(g); err != nil {
			t.Fatal(err)
		}
		if n := processes(t, g); n <= loops {
			t.Fatalf("control: %d processes, want more than %d", n, loops)
		}
		if err := g.Kill(); err != nil {
			t.Errorf("Kill() = %v", err)
		}
		if !emptyWithin(t, g, unhurried(ending)) {
			t.Errorf("%v after Kill there are %d processes", unhurried(ending), processes(t, g))
		}
	})
}

// A fork bomb that is at its limit all the time. It is none of a shell's: that ends
// at the first process it is refused.
const bomb = `perl -e 'fork while 1'`

func TestKillOfAForkBomb(t *testing.T) {
	g := testGroup(t, testParent(t), Limits{Memory: 256 << 20, CPUs: 0.5, Pids: 150})
	// One: with several, the first may leave the crowd's shell no process for the rest.
	startCrowd(t, g, 1, bomb)
	for deadline := time.Now().Add(unhurried(ending)); processes(t, g) < 100; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("control: the bomb has %d processes, want at least 100", processes(t, g))
		}
	}
	var wg sync.WaitGroup
	for range 4 { // whoever ends a box need not know who else does
		wg.Go(func() {
			if err := g.Kill(); err != nil {
				t.Errorf("Kill() = %v", err)
			}
		})
	}
	wg.Wait()
	if !emptyWithin(t, g, unhurried(ending)) {
		t.Errorf("%v after Kill there are %d processes", unhurried(ending), processes(t, g))
	}
	if err := g.Kill(); err != nil {
		t.Errorf("Kill() of an empty group = %v", err)
	}
}

// With no descriptors but two to spare, each process is a batch of its own.
func TestKillWithFewDescriptors(t *testing.T) {
	g := testGroup(t, testParent(t), small)
	startCrowd(t, g, 5, "sleep 60")
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	next, err := unix.Dup(0)
	if err != nil {
		t.Fatal(err)
	}
	unix.Close(next)
	tight := unix.Rlimit{Cur: uint64(next) + 2, Max: old.Max}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &tight); err != nil {
		t.Fatal(err)
	}
	err = g.Kill()
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Errorf("Kill() = %v", err)
	}
	if !emptyWithin(t, g, ending) {
		t.Errorf("%v after Kill there are %d processes", ending, processes(t, g))
	}
}

// A pid that was in the group when it was read, and is somebody else's now.
func TestKillSparesWhoIsNotInTheGroup(t *testing.T) {
	outsider := exec.Command("/bin/sleep", "60")
	start(t, outsider)
	pid := outsider.Process.Pid
	held, err := dir{fd: unix.AT_FDCWD}.hold([]int{pid}, make(map[int]bool))
	if err != nil || len(held) != 1 {
		t.Fatalf("hold(%d) = %v, %v, want one descriptor", pid, held, err)
	}
	defer unix.Close(held[pid])
	if err := signal(held, []int{pid + 1}); err != nil {
		t.Errorf("signal() = %v", err)
	}
	if state := stateOf(t, pid); state != "S" && state != "R" {
		t.Errorf("the outsider is in state %s", state)
	}
	if err := signal(held, []int{pid}); err != nil {
		t.Errorf("signal() = %v", err)
	}
	ended(t, outsider, syscall.SIGKILL)
}

func stateOf(t *testing.T, pid int) string {
	t.Helper()
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return rest[:1]
}

// Version 2 without cgroup.kill, which is older than kernel 5.14, goes by the
// list as well. Those that cannot be seen from here are listed as 0.
func TestV2KillWithoutTheFile(t *testing.T) {
	cmd := exec.Command("/bin/sleep", "60")
	start(t, cmd)
	procs := fmt.Sprintf("0\n%d\n", cmd.Process.Pid)
	d := fake(t, map[string]string{"cgroup.procs": procs, "cpu.max": "", "pids.max": ""})
	if err := fakeGroup(d, small).Kill(); err != nil {
		t.Errorf("Kill() = %v", err)
	}
	ended(t, cmd, syscall.SIGKILL)
	for name, want := range map[string]string{"cpu.max": "max", "pids.max": "0"} {
		if got, err := d.read(name); got != want || err != nil {
			t.Errorf("%s holds %q, %v, want %q", name, got, err, want)
		}
	}
	if _, err := os.Stat(d.path + "/cgroup.kill"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Kill made a file: %v", err)
	}
}

func TestKillSaysWhatFailed(t *testing.T) {
	d := fake(t, map[string]string{"cpu.max": "", "pids.max": "", "cgroup.procs": "1 x\n"})
	err := fakeGroup(d, small).Kill()
	if err == nil || !strings.Contains(err.Error(), "cgroup.procs") {
		t.Errorf("Kill() with junk in cgroup.procs = %v, want an error that names it", err)
	}
}
