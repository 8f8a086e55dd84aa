package jail

import (
	"os"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	stat := "7 (a) b ) 1 2 (x) S 1 7 7 0 -1 4194304 5 0 0 0 100 20 3 4 20 0 1 0 99 0 0"
	want := statTimes{own: cpuTimes{100, 20}, children: cpuTimes{3, 4}, start: 99}
	if got, ok := parseStat([]byte(stat)); !ok || got != want {
		t.Errorf("parseStat = %v, %v, want %v", got, ok, want)
	}
	if got, ok := parseStat([]byte("7 (cut")); ok {
		t.Errorf("of half a line: %v", got)
	}
}

// Nothing is counted twice and nothing is forgotten, and what is kept does not
// grow with the processes that have been.
func TestSpent(t *testing.T) {
	self := process{pid: os.Getpid()}
	stat, err := readSmall("/proc/self/stat")
	if err != nil {
		t.Fatal(err)
	}
	now, _ := parseStat(stat)
	self.start = now.start
	var s spent
	look := func(what string, use treeUse, want time.Duration) {
		t.Helper()
		s.add(use)
		if got := s.time(); got != want {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	own := func(p process, user ticks) map[process]cpuTimes { return map[process]cpuTimes{p: {user: user}} }
	look("one of 1 s", treeUse{own: own(self, 100)}, time.Second)
	look("it is missed by a look", treeUse{}, time.Second)
	look("it is seen again", treeUse{own: own(self, 110)}, 1100*time.Millisecond)
	for i := range 50 { // each ends before the next: the pid is ours, the start is not
		look("one that has ended", treeUse{own: own(process{self.pid, ticks(-i - 1)}, 10)}, time.Duration(12+i)*100*time.Millisecond)
	}
	look("more that was waited for", treeUse{cpu: cpuTimes{user: 900, system: 100}}, 10*time.Second)
	look("of which the parent is gone", treeUse{}, 10*time.Second)
	if len(s.live) != 1 {
		t.Errorf("%d processes are kept, want 1", len(s.live))
	}
}

// A parent that ignores SIGCHLD lets its children's time go uncounted by the
// kernel.
func TestBackstopsSeeUnwaitedChildren(t *testing.T) {
	for _, c := range []struct {
		limit time.Duration
		want  Reason
		least int64 // ms; how much of it is seen depends on the machine, but none without a look
		env   string
	}{{patience(time.Minute), ReasonOK, 100, onAndOn + "="}, {500 * time.Millisecond, ReasonCPUTime, 500, onAndOn + "=1"}} {
		s := noGroupInside(t, "burn in children that nobody waits for", Limits{CPUTime: c.limit})
		s.Env = append(s.Env, c.env)
		res := runBox(t, s, IO{})
		want(t, res, c.want)
		if used := *res.Usage.CPUUserMS + *res.Usage.CPUSystemMS; used < c.least {
			t.Errorf("limit %v: the record has %d ms of processor time, want at least %d", c.limit, used, c.least)
		}
	}
}
