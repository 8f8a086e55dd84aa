package jail

import (
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

// outputGrace bounds how long a run waits, after its last process is gone, for
// output that somebody outside the box still holds the other end of, or that
// the caller does not take.
const outputGrace = 500 * time.Millisecond

// outputRounds is how many times that is waited for one who writes and writes.
const outputRounds = 20

// await waits for the copying. Told to stop, it ends once there is nothing to read,
// but for two reasons: the caller does not take what it is handed, or somebody writes
// who is not of the box. That there was no processor time for it is none.
func (s *streams) await() {
	for round := range outputRounds {
		select {
		case <-s.done:
			return
		case <-time.After(outputGrace):
		}
		s.mu.Lock()
		if round == 0 && !s.gone {
			unix.Write(s.stop[1], []byte{0})
		}
		s.mu.Unlock()
		if round > 0 && s.handing.Load() {
			return
		}
	}
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
func (s *streams) finish(e *end) (stdout, stderr Output) {
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
	s.await()
	if s.feed != nil {
		s.feed.release()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sinks[0].output(), s.sinks[1].output()
}
