package jail

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// inits are our children that are PID 1 of a box.
func inits(t *testing.T) (pids []int) {
	t.Helper()
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range lists {
		for _, pid := range childrenIn(list) {
			if name, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline"); string(name) == "jail-init\x00" {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// theInit is the one PID 1 that waits, once that of the box before it is gone.
func theInit(t *testing.T) int {
	t.Helper()
	for until := time.Now().Add(patience(20 * time.Second)); ; time.Sleep(time.Millisecond) {
		pids := inits(t)
		if len(pids) == 1 {
			return pids[0]
		}
		if time.Now().After(until) {
			t.Fatalf("there are the PIDs 1 %v, want one", pids)
		}
	}
}

func childrenIn(list string) (pids []int) {
	b, _ := os.ReadFile(list)
	for _, f := range strings.Fields(string(b)) {
		if pid, err := strconv.Atoi(f); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func kill(t *testing.T, pids ...int) {
	t.Helper()
	if len(pids) == 0 {
		t.Error("there is nobody to kill")
	}
	for _, pid := range pids {
		if err := unix.Kill(pid, unix.SIGKILL); err != nil {
			t.Errorf("kill: %v", err)
		}
	}
}

// When Run returns nobody of the box is left, whatever the program has set going,
// and whoever ended it; and nobody that holds the pipes delays that.
func TestPoolWholeTreeEnds(t *testing.T) {
	for name, script := range endings {
		if script == "SUBREAPER" {
			script = "/test " + insidePrefix + "subreaper MARK | while read x; do echo up; done"
		}
		t.Run(name, func(t *testing.T) {
			mark := uniqueSleep()
			s := insideBox(t, "subreaper") // for its view
			s.Args = shell(detach + strings.ReplaceAll(script, "MARK", mark)).Args
			s.Limits.Pids = 80
			byItself := s
			tree := strings.NewReplacer("echo up", "echo up; echo >/tmp/up", "$$", "$!").Replace(s.Args[2]) // $$ is the program itself
			// It waits without forks, which the bomb would be in the way of.
			byItself.Args = []string{"/bin/sh", "-c", "mkfifo /tmp/up; (" + tree + ") & read up </tmp/up; exit 3"}
			p := newPool(t, t.Context(), s, 1)
			t.Run("program", func(t *testing.T) { treeEnds(t, p, commandOf(byItself), mark, false) })
			awaitReady(t, p, 1)
			t.Run("caller", func(t *testing.T) { treeEnds(t, p, commandOf(s), mark, true) })
		})
	}
}

func treeEnds(t *testing.T, p *Pool, c Command, mark string, cancels bool) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var up time.Time
	res, err := p.Run(ctx, c, IO{Stdout: onWrite(func() {
		if up.IsZero() {
			up = time.Now()
			if cancels {
				time.AfterFunc(50*time.Millisecond, cancel)
			}
		}
	})})
	if left := sleepers(t, mark); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if err != nil || !res.TreeEmpty || !res.Warm || up.IsZero() {
		t.Errorf("%v: %s", err, text(res))
	}
	if !cancels && (res.ExitCode == nil || *res.ExitCode != 3) {
		t.Errorf("want exit code 3: %s", text(res))
	}
	if took := time.Since(up); took > patience(15*time.Second) {
		t.Errorf("it took %v: %s", took, text(res))
	}
}

// groupLists are the lists of those who are in the same group of a box as pid, which
// stay to be read when that is gone.
func groupLists(pid int) (lists []string) {
	b, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cgroup")
	for line := range strings.Lines(string(b)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) == 3 && strings.Contains(f[2], "/jail-") {
			lists = append(lists, filepath.Join("/sys/fs/cgroup", f[1], f[2], "cgroup.procs"))
		}
	}
	return lists
}

// A program that goes on forking while it is killed, in processes that are nobody's
// child for long. When PID 1 says that it is alone it is: a look at the group is faster
// than the kernel ends so many. Nobody of them holds the pipes, which are waited for.
func TestPoolForksWhileKilled(t *testing.T) {
	mark := uniqueSleep()
	s := shell("f() { (f & f &) ; sleep " + mark + " & }; f >/dev/null 2>&1 & sleep 0.03; exit 0")
	s.Limits.Pids, s.Limits.Timeout = 60, patience(time.Minute)
	p := newPool(t, t.Context(), s, 1)
	for range 20 {
		awaitReady(t, p, 1)
		lists := groupLists(theInit(t))
		if (len(lists) == 0) != (groupError() != nil) {
			t.Fatalf("its group is %q", lists)
		}
		res, err := p.Run(t.Context(), commandOf(s), IO{})
		for _, list := range lists {
			if b, _ := os.ReadFile(list); len(strings.Fields(string(b))) > 1 {
				t.Errorf("besides PID 1 there are in %s: %q", list, b)
			}
		}
		if left := sleepers(t, mark); len(left) > 0 || err != nil || !res.TreeEmpty {
			t.Fatalf("%v, left: %v: %s", err, left, text(res))
		}
	}
}

// The box's processor quota is PID 1's as well; one that is used up delays the end
// no further than that of a cold run.
func TestPoolStarvedBoxEnds(t *testing.T) {
	needGroup(t)
	s := shell("for i in 1 2 3 4 5 6 7 8 9 10; do (while :; do :; done) & done; echo up; exit 3")
	s.Limits.CPUs, s.Limits.CPUTime, s.Limits.Timeout = 0.05, time.Minute, patience(2*time.Minute)
	p := newPool(t, t.Context(), s, 1)
	var up time.Time
	res := runWarm(t, p, commandOf(s), IO{Stdout: onWrite(func() { up = time.Now() })})
	if took := time.Since(up); took > patience(20*time.Second) {
		t.Errorf("it took %v: %s", took, text(res))
	}
	want(t, res, ReasonExecutionFailed)
}

// The deadline is the run's: a box may have waited for longer, and may have taken
// longer to make.
func TestPoolTimeoutIsTheRuns(t *testing.T) {
	s := shell("echo up; exec sleep 20")
	s.Limits.Timeout, s.Limits.CPUTime = unhurried(3*time.Second, 200*time.Millisecond), time.Second
	p := newPool(t, t.Context(), s, 1)
	time.Sleep(s.Limits.Timeout + 100*time.Millisecond)
	began := time.Now()
	res := runWarm(t, p, commandOf(s), IO{})
	if took := time.Since(began); res.Reason != ReasonTimeout || res.Stdout.Bytes == 0 || took < s.Limits.Timeout || res.Usage.WallMS < s.Limits.Timeout.Milliseconds() || res.Usage.WallMS > took.Milliseconds() {
		t.Errorf("it took %v: %s", took, text(res))
	}
	s.Limits.Timeout = time.Millisecond
	want(t, runWarm(t, newPool(t, t.Context(), s, 1), commandOf(s), IO{}), ReasonTimeout)
}

// However early a warm run is canceled there is a record of it, and nothing is left.
func TestPoolCanceledAtAnyTime(t *testing.T) {
	mark := uniqueSleep()
	p := newPool(t, t.Context(), shell(""), 2)
	for i := range 40 {
		awaitReady(t, p, 1)
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i)*50*time.Microsecond)
		res, err := p.Run(ctx, commandOf(shell("exec sleep "+mark)), IO{})
		cancel()
		if left := sleepers(t, mark); len(left) > 0 || res.Reason != ReasonCanceled || err != nil || !res.TreeEmpty {
			t.Errorf("canceled after %d µs: %v, left %v, %s", i*50, err, left, text(res))
		}
	}
}
