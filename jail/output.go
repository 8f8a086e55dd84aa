package jail

import (
	"errors"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/pid1"
)

// pump starts the copying, which ends when nobody holds the other ends, and
// closes ours.
func (s *streams) pump(e *end) {
	s.pumping = true
	pid1.Alongside(func() {
		s.copy(e)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.gone = true
		s.fds.closeAll()
		close(s.done)
	})
}

const (
	smallRead = 16 << 10
	largeRead = 256 << 10
	largePipe = 1 << 20
)

func (s *streams) copy(e *end) {
	buf := make([]byte, smallRead)
	for s.from[0] >= 0 || s.from[1] >= 0 {
		fds := []unix.PollFd{{Fd: int32(s.from[0]), Events: unix.POLLIN}, {Fd: int32(s.from[1]), Events: unix.POLLIN}, {Fd: int32(s.stop[0]), Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, -1); err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
		progress := false
		for i := range s.from {
			if s.from[i] < 0 || fds[i].Revents == 0 {
				continue
			}
			progress = true
			n, err := s.move(i, buf, e)
			if n == 0 && !errors.Is(err, unix.EINTR) {
				s.from[i] = -1
			}
			if n == len(buf) && n == smallRead {
				// A lot is coming: fewer, larger pieces. Where the user's
				// share of pipe memory is used up the pipe stays as it is.
				buf = make([]byte, largeRead)
				unix.FcntlInt(uintptr(s.from[i]), unix.F_SETPIPE_SZ, largePipe)
			}
		}
		if !progress && fds[2].Revents != 0 {
			return
		}
	}
}

// move takes what is there on stream i, at most once round, and returns how
// much that was.
func (s *streams) move(i int, buf []byte, e *end) (int, error) {
	sk := s.sinks[i]
	if n, done := s.splice(i, sk, len(buf)); done {
		return n, nil
	}
	n, err := unix.Read(s.from[i], buf)
	if n <= 0 {
		return 0, err
	}
	s.touch()
	s.mu.Lock()
	if s.over { // what a box says while it is being ended for its output is no part of it
		s.mu.Unlock()
		return n, nil
	}
	sk.bytes += int64(n)
	take := min(int64(n), s.left)
	s.left -= take
	over := take < int64(n)
	s.over = s.over || over && s.mode != OutputTruncate
	keep := buf[:take]
	if sk.w == nil {
		if s.mode == OutputTruncate {
			keep = buf[:n]
		}
		sk.capture(keep, int(s.limit), s.mode == OutputTruncate)
	}
	sk.cut = sk.cut || over && (sk.w != nil || s.mode != OutputTruncate)
	s.mu.Unlock()
	if over && s.mode != OutputTruncate {
		e.now(ReasonOutputTooLarge)
	}
	if sk.w != nil && len(keep) > 0 {
		if i == streamStderr {
			s.mu.Lock()
			sk.remember(keep)
			s.mu.Unlock()
		}
		s.handing.Store(int32(i) + 1)
		_, err := sk.w.Write(keep)
		s.handing.Store(0)
		if err != nil {
			s.lost(i, err, e)
		}
	}
	return n, nil
}

// splice moves pages from the pipe to the caller's file without a copy in our
// memory, where the kernel can (splice(2)).
func (s *streams) splice(i int, sk *sink, most int) (int, bool) {
	if sk.file == nil || most == smallRead {
		return 0, false
	}
	s.mu.Lock()
	left := s.left
	s.mu.Unlock()
	room := s.spliceable(i)
	if left == 0 || room <= 0 {
		return 0, false
	}
	s.handing.Store(int32(i) + 1)
	defer s.handing.Store(0)
	n, err := unix.Splice(s.from[i], nil, int(sk.file.Fd()), nil, int(min(left, int64(room))), unix.SPLICE_F_MOVE)
	if err != nil {
		sk.file = nil // the caller's end is none that can be spliced to
		return 0, false
	}
	if n > 0 {
		s.touch()
	}
	s.mu.Lock()
	sk.bytes += int64(n)
	s.left -= int64(n)
	sk.last = sk.last[:0]
	s.mu.Unlock()
	return int(n), true
}
