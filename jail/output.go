package jail

import (
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// streams are the program's stdin, stdout and stderr, and what copies them.
type streams struct {
	fds       fdSet  // all of the below; the copying closes them when it ends
	childEnds [3]int // -1: none
	sinks     [2]*sink
	from      [2]int // read ends, -1 when ended
	stop      [2]int // a pipe that ends the copying
	limit     int64
	mode      OutputMode
	feed      *feeder
	pumping   bool // by the run's own goroutine
	tty       *terminal
	slave     string      // the terminal's device on the host
	held      fdSet       // of a terminal: what keeps it open until the box is gone
	handing   atomic.Bool // something to the caller at this moment
	idles     bool        // somebody asks when something went in or out
	base      time.Time
	movedAt   atomic.Int64 // when something last went in or out, in nanoseconds from base on; 0: they are joined to nobody yet

	mu   sync.Mutex // of what follows and of the sinks: finish reads them should the copying hang
	left int64
	why  error // the caller did not take the output
	over bool  // more than the cap was written
	gone bool  // the copying has ended and its descriptors are closed
	done chan struct{}
}

// connect makes the pipes of a run. The program never gets the caller's own
// descriptors: it could reopen what is behind them.
func (r *run) connect(io IO) (*streams, error) {
	s := &streams{
		childEnds: [3]int{-1, -1, -1}, from: [2]int{-1, -1},
		limit: r.spec.Limits.Output, mode: r.spec.OutputMode, idles: r.spec.Limits.IdleTimeout > 0, base: time.Now(), done: make(chan struct{}),
	}
	if s.limit == Unlimited {
		s.limit = math.MaxInt64
	}
	s.left = s.limit
	connect := s.connectPipes
	if io.TTY != nil {
		connect = s.connectTTY
	}
	err := connect(io)
	if err == nil {
		s.stop[0], s.stop[1], err = s.fds.pipe()
	}
	if err == nil && io.Value != nil {
		r.value, err = newValue(io.Value, s.limit)
	}
	if err != nil {
		s.abandon()
		return nil, err
	}
	return s, nil
}

func (s *streams) connectPipes(io IO) (err error) {
	for i := range s.from {
		if s.from[i], s.childEnds[i+1], err = s.fds.pipe(); err != nil {
			return err
		}
	}
	if io.Stdin == nil {
		null, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return &SetupError{Stage: StageSession, Operation: "open", Operand: "/dev/null", Err: err}
		}
		s.fds.add(null)
		s.childEnds[0] = null
		return nil
	}
	rd, wr, err := s.fds.pipe()
	if err != nil {
		return err
	}
	s.childEnds[0] = rd
	s.fds.release(wr)
	s.feed = newFeeder(wr, "stdin")
	return nil
}

// abandon gives up streams that no box was started with.
func (s *streams) abandon() {
	if s.tty != nil {
		s.tty.release()
		s.tty.restore()
	}
	if s.feed != nil {
		s.feed.to.Close()
	}
	s.held.closeAll()
	s.fds.closeAll()
}

// bind says where the program's output goes, and begins to feed it.
func (s *streams) bind(io IO) {
	s.sinks = [2]*sink{newSink(io.Stdout), newSink(io.Stderr)}
	s.touch()
	if s.feed != nil {
		s.feed.from = io.Stdin
		if s.idles {
			s.feed.moved = s.touch
		}
		alongside(s.feed.run)
	}
}

// touch notes that something went in or out.
func (s *streams) touch() {
	if s.idles {
		s.movedAt.Store(int64(time.Since(s.base)))
	}
}

// moved is when something last went in or out, if they are joined to anybody.
func (s *streams) moved() (time.Time, bool) {
	at := s.movedAt.Load()
	return s.base.Add(time.Duration(at)), at != 0
}

// started gives up the ends that now are the child's.
func (s *streams) started() {
	for _, fd := range s.childEnds {
		s.fds.close(fd)
	}
}

// pump starts the copying, which ends when nobody holds the other ends, and
// closes ours.
func (s *streams) pump(e *end) {
	s.pumping = true
	alongside(func() {
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
		s.handing.Store(true)
		_, err := sk.w.Write(keep)
		s.handing.Store(false)
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
	s.handing.Store(true)
	defer s.handing.Store(false)
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
