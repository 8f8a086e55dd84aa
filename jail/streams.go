package jail

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/pid1"
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
	slave     string       // the terminal's device on the host
	held      fdSet        // of a terminal: what keeps it open until the box is gone
	handing   atomic.Int32 // 1 + the stream of which the caller is handed something at this moment, or 0
	idles     bool         // somebody asks when something went in or out
	base      time.Time
	movedAt   atomic.Int64 // when something last went in or out, in nanoseconds from base on; 0: they are joined to nobody yet

	mu   sync.Mutex // of what follows and of the sinks: finish reads them should the copying hang
	left int64
	why  error // the caller did not take the output
	over bool  // more than the cap was written
	rest bool  // the caller did not take all that he was handed
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
		pid1.Alongside(s.feed.run)
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
