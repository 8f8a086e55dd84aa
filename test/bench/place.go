package main

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// A place is a mount namespace of this program's own, of which the host sees
// nothing: a thread that is in it and starts what is to run there. It ends with
// the thread, and all its mounts with it.
type place struct {
	work  chan func()
	ended chan struct{}
}

// newPlace copies the host's mount table and changes the copy by setup.
func newPlace(setup func() error) (*place, error) {
	p := &place{make(chan func()), make(chan struct{})}
	ready := make(chan error)
	// It ends at close.
	go func() {
		defer close(p.ended)
		// Never unlocked: the thread is to end here and not to go on elsewhere.
		runtime.LockOSThread()
		err := private()
		if err == nil {
			err = setup()
		}
		if ready <- err; err != nil {
			return
		}
		for f := range p.work {
			f()
		}
	}()
	return p, <-ready
}

// private takes the thread into a mount namespace that sends nothing back. The
// working directory must be the thread's own before (unshare(2), CLONE_NEWNS).
func private() error {
	if err := unix.Unshare(unix.CLONE_FS | unix.CLONE_NEWNS); err != nil {
		return err
	}
	return unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
}

// do runs f there, and waits for its end.
func (p *place) do(f func()) {
	done := make(chan struct{})
	p.work <- func() { f(); close(done) }
	<-done
}

func (p *place) close() {
	close(p.work)
	<-p.ended
}
