package jail

import (
	"errors"
	"io"
	"time"

	"golang.org/x/sys/unix"
)

// lost is what happens when the caller no longer takes the output.
func (s *streams) lost(i int, err error, e *end) {
	s.sinks[i].w = io.Discard
	s.sinks[i].file = nil
	s.mu.Lock()
	if s.why == nil {
		s.why = err
	}
	s.mu.Unlock()
	e.now(ReasonCanceled)
}

// cause is what the streams had to end the box for, or "".
func (s *streams) cause() Reason {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.over:
		return ReasonOutputTooLarge
	case s.why != nil:
		return ReasonCanceled
	}
	return ""
}

// lostFor is why the caller did not take the output, or nil.
func (s *streams) lostFor() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why
}

const (
	// outputGrace bounds how long a run waits, after its last process is gone, for
	// output that somebody outside the box still holds the other end of.
	outputGrace = 500 * time.Millisecond
	// outsideGrace is how long that is waited for one who writes and writes.
	outsideGrace = 20 * outputGrace
	// takerGrace bounds the same for output that the caller does not take, where the
	// time of the run is over.
	takerGrace = 2 * outputGrace
	outputLook = 50 * time.Millisecond
)

// A taking is how long the caller may take for what is left of the output of a program
// that has ended by itself: until the time of the run is over, or he ends that. What was
// ended has none.
type taking struct {
	until time.Time
	ended func() bool
}

// over says whether a wait that began at some time has been long enough.
func (p taking) over(began time.Time) bool {
	return time.Since(began) >= takerGrace && (!time.Now().Before(p.until) || p.ended())
}

// errUntaken is why output is lost that the caller does not take.
var errUntaken = errors.New("nobody took the rest of it before the time of the run was over (--timeout)")

// errNotAwaited is why it is lost when the caller does not wait for that.
var errNotAwaited = errors.New("nobody had taken the rest of it")

// await waits for the copying. Told to stop, it ends once there is nothing to read,
// but for two reasons: the caller does not take what it is handed, or somebody writes
// who is not of the box. That there was no processor time for it is none.
func (s *streams) await(p taking) {
	select {
	case <-s.done:
		return
	case <-time.After(outputGrace):
	}
	s.mu.Lock()
	if !s.gone {
		unix.Write(s.stop[1], []byte{0})
	}
	s.mu.Unlock()
	for began := time.Now().Add(-outputGrace); ; {
		select {
		case <-s.done:
			return
		case <-time.After(outputLook):
		}
		i := s.handing.Load() - 1
		if i >= 0 && p.over(began) {
			s.untaken(i, p)
			return
		}
		if i < 0 && time.Since(began) >= outsideGrace && p.over(began) {
			return
		}
	}
}

// untaken gives up on a caller who does not take a stream.
func (s *streams) untaken(i int32, p taking) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sinks[i].cut, s.rest = true, true
	switch {
	case s.why != nil || p.until.IsZero():
	case p.ended():
		s.why = errNotAwaited
	default:
		s.why = errUntaken
	}
}

// untakenRest says whether the caller did not take all that he was handed.
func (s *streams) untakenRest() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rest
}

// ended gives up the pipes that have ended, by what poll said of them. Not ok: in one
// of these something is left.
func (s *streams) ended(seen [2]int16) bool {
	for i, fd := range s.from {
		switch {
		case fd < 0 || seen[i] != unix.POLLHUP:
		case drained(fd):
			s.from[i] = -1
		default:
			return false
		}
	}
	return true
}

// drained says whether a pipe that has ended has nothing in it. That poll tells of
// the end alone does not say so: the kernel looks for data first and for writers
// after, so what is written and closed in between is in neither (fs/pipe.c,
// pipe_poll). Of a pipe that can't be asked the copying finds out.
func drained(fd int) bool {
	n, err := unix.IoctlGetInt(fd, unix.TIOCINQ) // which is FIONREAD
	return err == nil && n == 0
}

// finish returns what was written.
func (s *streams) finish(e *end, p taking) (stdout, stderr Output) {
	if s.tty != nil {
		s.tty.release()
		defer s.tty.restore()
	}
	s.held.closeAll()
	if !s.pumping { // they may have ended together with what was waited for
		fds := [2]unix.PollFd{{Fd: int32(s.from[0]), Events: unix.POLLIN}, {Fd: int32(s.from[1]), Events: unix.POLLIN}}
		poll(fds[:], 0)
		s.ended([2]int16{fds[0].Revents, fds[1].Revents})
	}
	if !s.pumping && s.from[0] < 0 && s.from[1] < 0 { // nothing was written, and both have ended
		s.gone = true
		s.fds.closeAll()
		return s.sinks[0].output(), s.sinks[1].output()
	}
	if !s.pumping {
		s.pump(e)
	}
	s.await(p)
	if s.feed != nil {
		s.feed.release()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sinks[0].output(), s.sinks[1].output()
}
