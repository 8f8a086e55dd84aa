package attacks

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A forked child carries out its attack although the runtime wanted all goroutines to
// stop in the middle of the fork.
func TestForkWhileAskedToStop(t *testing.T) {
	over := make(chan struct{})
	defer close(over)
	for range 2 {
		go func() {
			for {
				select {
				case <-over:
					return
				default:
					runtime.GC()
				}
			}
		}()
	}
	for round := range 300 {
		ended := make(chan error, 1)
		go func() {
			ended <- inChildProcess(func() error { return ask(8) }, 0)(nil)
		}()
		select {
		case err := <-ended:
			if err != unix.EXDEV {
				t.Fatalf("round %d: the child says %v, want %v", round, err, unix.EXDEV)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("round %d: the child does not end", round)
		}
	}
}

// ask calls itself: each call is one at which a goroutine can be stopped.
//
//go:noinline
func ask(depth int) error {
	if depth == 0 {
		return unix.EXDEV
	}
	return ask(depth - 1)
}
