package cgroups

import (
	"errors"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Each limit really acts, and the same program outside of the group does what
// the limit forbids.

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
const crowd = `i=0; pids=; while [ $i -lt 30 ]; do sleep 60 >/dev/null 2>&1 & i=$((i+1)) pids="$pids $!"; done
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
	if took := time.Since(began); took > 20*time.Second { // and not the minute that they sleep
		t.Errorf("Remove() with sleepers took %v, want about %v", took, removeWait)
	}
	killAll(g)
	eventually(t, "the group is empty", func() bool { empty, err := g.Empty(); return empty && err == nil })
}

func TestCPULimit(t *testing.T) {
	const work, share = "300ms", 0.2
	run := func(cmd *exec.Cmd) time.Duration {
		began := time.Now()
		if out, err := cmd.Output(); err != nil || string(out) != "burnt\n" {
			t.Fatalf("burn: %q, %v", out, err)
		}
		return time.Since(began)
	}
	free := run(self("role:burn", work))
	l := small
	l.CPUs = share
	g := testGroup(t, testParent(t), l)
	var capped time.Duration
	var s Stats
	for range 5 { // once is enough where there is a processor to be had
		capped += run(enter(g, self("role:burn", work)))
		var err error
		if s, err = g.Stats(); err != nil {
			t.Fatal(err)
		}
		if s.Throttled > 0 {
			break
		}
	}
	used, err := g.CPUUsage()
	// Wide bounds: burn counts its own time in ticks where the kernel does so.
	if err != nil || used < 50*time.Millisecond || used > capped {
		t.Errorf("CPUUsage() = %v, %v, want 300ms and a little for each run", used, err)
	}
	// What of a period is had at once, and what a processor keeps of one.
	most := time.Duration(share*float64(capped)) + 100*time.Millisecond
	if used > most {
		t.Errorf("burn in the group had %v of processor time in %v (it took %v outside), want %v at most", used, capped, free, most)
	}
	// Where others leave it much less than its share nobody has to hold it up.
	if s.Throttled <= 0 && used > time.Duration(share/2*float64(capped)) {
		t.Errorf("Stats().Throttled = %v after %v of processor time in %v, want more than 0", s.Throttled, used, capped)
	}
	// These two are ticks on version 1, of which short turns miss most.
	if sum := s.CPUUser + s.CPUSystem; sum <= 0 || sum > capped+100*time.Millisecond {
		t.Errorf("Stats() = %v user + %v system, want 300ms and a little for each run", s.CPUUser, s.CPUSystem)
	}
}
