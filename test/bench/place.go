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
	go p.serve(setup, ready) // it ends at close
	return p, <-ready
}

// serve is the thread. It is never the main one, which a Go program can't end,
// and which is what /proc/self shows.
func (p *place) serve(setup func() error, ready chan<- error) {
	// Never unlocked: the thread is to end here and not to go on elsewhere.
	runtime.LockOSThread()
	if unix.Gettid() == unix.Getpid() {
		elsewhere := make(chan error)
		go p.serve(setup, elsewhere) // on another thread, while this one is held
		ready <- <-elsewhere
		runtime.UnlockOSThread()
		return
	}
	defer close(p.ended)
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
