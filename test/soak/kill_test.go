package soak

import (
	"math/rand/v2"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// tree is a program that forks all the time, has daemons that left its session
// and its parent, and writes. Its $0 is the label.
const tree = `: > /tmp/$0
setsid sh -c 'while :; do echo daemon; sleep 0.02; done' $0 &
(setsid sleep 1000 &)
(trap '' HUP TERM INT; sleep 1000) &
while :; do (echo child; sleep 0.05) & sleep 0.01; done`

// moment is a random point of a run's first 60 ms, every other time within the
// first 8 ms, which is when the box is being made.
func moment(r *rand.Rand, i int) time.Duration {
	most := 60 * time.Millisecond
	if i%2 == 0 {
		most = 8 * time.Millisecond
	}
	return time.Duration(r.Int64N(int64(most)))
}

// killGrace is how long a box may outlive its supervisor. The kernel tells PID
// 1 at once; the rest is what a busy machine takes.
const killGrace = 20 * time.Second

// TestKilledSupervisors: when the supervisor is SIGKILLed, at whatever moment,
// nothing of its box survives, and what it could no longer take away, its
// cgroups, later runs collect.
func TestKilledSupervisors(t *testing.T) {
	for _, who := range identities() {
		t.Run(who.name, func(t *testing.T) { killAll(t, who) })
	}
}

func killAll(t *testing.T, who identity) {
	label := label("kill")
	before := look(t)
	random := chance(t)
	var slowest time.Duration
	for i := range wanted().kills {
		after := moment(random, i)
		s, err := begin(who, label, []string{"--timeout", "5m", "--output", "1G"}, append(shell(tree), label))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(after)
		s.cmd.Process.Kill()
		r, status, err := s.end()
		killed := time.Now()
		if err != nil || r != nil || !status.Signaled() || status.Signal() != syscall.SIGKILL {
			t.Errorf("kill %d after %v: record %v, wait status %#x, error %v", i, after, r, uint32(status), err)
		}
		if alive := survivors(label, killGrace); len(alive) > 0 {
			t.Errorf("kill %d after %v: alive %v later: %v", i, after, killGrace, alive)
		}
		slowest = max(slowest, time.Since(killed))
	}
	t.Logf("nothing alive after at most %v; %d cgroups left", slowest.Round(time.Millisecond), len(leaves(t, label)))
	collect(t, label)
	before.sameAs(t, label)
}

// collect runs boxes until the leftovers are gone.
func collect(t *testing.T, label string) {
	t.Helper()
	most := 20 + len(leaves(t, label))
	for i := range most {
		if len(leaves(t, label)) == 0 {
			t.Logf("collected by %d later runs", i)
			return
		}
		if out, err := exec.Command(path("jail"), "run", "--", "/bin/true").CombinedOutput(); err != nil {
			t.Fatalf("a later run: %v: %s", err, out)
		}
	}
	t.Errorf("%d later runs did not collect %v", most, leaves(t, label))
}
