package jail

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/hostns"
)

// PID 1 that has failed is gone when it is sent the rest: what it said is the
// error, not that it is gone.
func TestFailureIsNotABrokenPipe(t *testing.T) {
	r := newRun(context.Background(), shell("exit 0"))
	defer r.close()
	if err := r.prepare(IO{}); err != nil {
		t.Fatal(err)
	}
	streams, err := r.connect(IO{})
	if err != nil {
		t.Fatal(err)
	}
	defer streams.abandon()
	if err := r.compile(); err != nil {
		t.Fatal(err)
	}
	if err := r.sealPlan(); err != nil {
		t.Fatal(err)
	}
	step := r.plan.lists[listBox][2]
	r.plan.lists[listBox][2].wants(12345)
	r.handed.closeAll()
	fd, err := sealed("jail-plan", r.plan.encode(), mfdNoExecSeal)
	if err != nil {
		t.Fatal(err)
	}
	r.handed = fdSet{fd}
	c, err := r.start()
	if err == nil {
		err = c.born()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer c.discard()
	r.own(c)
	if err := r.letBegin(c); err != nil {
		t.Fatal(err)
	}
	if err := r.letGo(c, streams); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(patience(20 * time.Second)); time.Now().Before(until); { // until it is gone
		if _, err = unix.Write(c.channel, []byte{1}); err != nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if !errors.Is(err, unix.EPIPE) && !errors.Is(err, unix.ECONNRESET) {
		t.Fatalf("writing to PID 1 that has failed: %v", err)
	}
	var setup *SetupError
	if err := r.saidBefore(c, err); !errors.As(err, &setup) || setup.Operation != step.Operation || !strings.Contains(err.Error(), "it answered") {
		t.Errorf("saidBefore: %v, want the failure of %s", err, step.Operation)
	}
	other := errors.New("something else")
	if err := r.saidBefore(c, other); err != other {
		t.Errorf("saidBefore(%v) = %v", other, err)
	}
}

// Boxes of one pid namespace never share a uid, and those of neighbouring ones
// start far from one another.
func TestUIDsOfPIDNamespaces(t *testing.T) {
	seen := map[int]bool{}
	for pid := range maxThreads {
		seen[host{uidBase: ownUIDBase, uidShift: 0xfffffff0}.uidOf(pid)] = true
	}
	if len(seen) != maxThreads || !seen[ownUIDBase] || !seen[ownUIDBase+maxThreads-1] {
		t.Errorf("%d uids for %d numbers", len(seen), maxThreads)
	}
	a, b := host{}, host{}
	a.uidShift, b.uidShift = shiftOf(4026532201), shiftOf(4026532202)
	if d := a.uidOf(1) - b.uidOf(1); d > -1000 && d < 1000 {
		t.Errorf("neighbours are %d apart", d)
	}
	if shiftOf(hostns.PIDs) != 0 {
		t.Error("the initial namespace's numbers are shifted")
	}
}
