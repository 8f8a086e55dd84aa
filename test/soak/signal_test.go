package soak

import (
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/jail"
)

func endings() []syscall.Signal {
	return []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP}
}

// signalGrace is how long a supervisor may take from the signal to its end.
const signalGrace = 20 * time.Second

// TestSignaledSupervisors: a supervisor that is told to end takes its box with
// it and says so in the record. In the first moments, before it listens, there
// is nothing yet to take along, and the signal simply ends it.
func TestSignaledSupervisors(t *testing.T) {
	for _, who := range identities() {
		for _, sig := range endings() {
			t.Run(who.name+"/"+sig.String(), func(t *testing.T) { signalAll(t, who, sig) })
		}
	}
}

func signalAll(t *testing.T, who identity, sig syscall.Signal) {
	if signal.Ignored(sig) {
		t.Skipf("%v is ignored here, as under nohup, and so it is in jail", sig)
	}
	label := label("signal")
	before := look(t)
	random := chance(t)
	for i := range wanted().signals {
		after := moment(random, i)
		if i == 0 {
			after = -1
		}
		signalAt(t, who, label, sig, after)
	}
	before.sameAs(t, label)
}

// signalAt signals one supervisor, so long after its start, or when its program
// is up.
func signalAt(t *testing.T, who identity, label string, sig syscall.Signal, after time.Duration) {
	t.Helper()
	s, err := begin(who, label, []string{"--timeout", "5m", "--output", "1G"}, append(shell(tree), label))
	if err != nil {
		t.Fatal(err)
	}
	if after < 0 {
		select {
		case <-s.up.first:
		case <-time.After(hung):
		}
	}
	time.Sleep(after)
	sent := time.Now()
	s.cmd.Process.Signal(sig)
	r, status, err := s.end()
	took := time.Since(sent)
	switch {
	case err != nil:
		t.Errorf("%v after %v: %v", sig, after, err)
	case r == nil && after >= 0 && status.Signaled() && status.Signal() == sig:
		// It did not listen yet.
	case r == nil:
		t.Errorf("%v after %v: no record, wait status %#x", sig, after, uint32(status))
	case r.Reason != jail.ReasonCanceled || !r.TreeEmpty:
		t.Errorf("%v after %v: reason %s, tree_empty %v, want %s and true: %s", sig, after, r.Reason, r.TreeEmpty, jail.ReasonCanceled, r.Message)
	case status.ExitStatus() != 128+int(sig):
		t.Errorf("%v after %v: wait status %#x, want exit status %d", sig, after, uint32(status), 128+int(sig))
	}
	if took > signalGrace {
		t.Errorf("%v after %v: ended %v later, want %v at most", sig, after, took, signalGrace)
	}
	if alive := survivors(label, killGrace); len(alive) > 0 {
		t.Errorf("%v after %v: alive: %v", sig, after, alive)
	}
}
