package jail

import (
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/pid1"
)

// The number at which a program finds the descriptor for its value, if the caller
// takes one, and the one at which it waits until the channel, which has that
// number, is not needed any more. The process that becomes the program has no use
// for the lifeline.
const (
	fdValue     = fdChannel
	fdValueKept = fdLifeline
)

// Thrown is what a source of package runner threw. The program in the box says so:
// it may say anything.
type Thrown struct {
	// Name is the error's class, or for what is no error the kind of it.
	Name    string `json:"name"`
	Message string `json:"message"`
	// Trace is the language's own text, as far as it is about the source.
	Trace string `json:"trace"`
}

// A value is what a program writes to a socket of its own beside its output.
//
// It is not a pipe: whoever may look into the program's /proc/PID/fd, as its children
// may, opens a pipe anew through it, for reading as well, and could write in its place
// or take away what it has written. Opening a socket there fails (ENXIO, open(2)).
type value struct {
	w    io.Writer
	from *os.File
	to   int // -1 once the box has it
	done chan struct{}

	mu   sync.Mutex
	left int64
	over bool  // more than the cap was written
	why  error // the caller did not take it
}

func newValue(w io.Writer, limit int64) (*value, error) {
	p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, pipeError("socketpair", err)
	}
	if err := unix.Shutdown(p[1], unix.SHUT_RD); err != nil { // it goes one way
		unix.Close(p[0])
		unix.Close(p[1])
		return nil, pipeError("shutdown", err)
	}
	unix.SetNonblock(p[0], true) // our end alone; it can be given a deadline then
	return &value{w: w, from: os.NewFile(uintptr(p[0]), "value"), to: p[1], left: limit, done: make(chan struct{})}, nil
}

// lend is a descriptor of the box's end to send it.
func (v *value) lend() (int, error) { return unix.FcntlInt(uintptr(v.to), unix.F_DUPFD_CLOEXEC, 0) }

// start begins to read, until nobody in the box holds the other end any more.
func (v *value) start(e *end) {
	if v == nil {
		return
	}
	v.closeBoxEnd()
	pid1.Alongside(func() {
		defer close(v.done)
		defer v.from.Close()
		buf := make([]byte, smallRead)
		for {
			n, err := v.from.Read(buf)
			v.take(buf[:n], e)
			if err != nil {
				return
			}
		}
	})
}

// take passes on what was read. Past the cap, and past an error of the caller's,
// it is thrown away: the box is being ended.
func (v *value) take(b []byte, e *end) {
	v.mu.Lock()
	ended := v.over || v.why != nil
	v.over = v.over || int64(len(b)) > v.left
	over := v.over
	v.left -= int64(len(b))
	v.mu.Unlock()
	switch {
	case ended || len(b) == 0:
	case over:
		e.now(ReasonOutputTooLarge)
	default:
		if _, err := v.w.Write(b); err != nil {
			v.mu.Lock()
			v.why = err
			v.mu.Unlock()
			e.now(ReasonCanceled)
		}
	}
}

// finish waits for the end of the value, which is that of the box. Somebody who
// holds the socket outside of it, and a caller who does not take what was written,
// are not waited for longer than with the output.
func (v *value) finish(p taking) {
	if v == nil {
		return
	}
	began := time.Now()
	for wait := outputGrace; ; wait = outputLook {
		select {
		case <-v.done:
			return
		case <-time.After(wait):
			v.from.SetReadDeadline(time.Now())
		}
		if p.over(began) {
			v.mu.Lock()
			defer v.mu.Unlock()
			if v.why == nil && !p.until.IsZero() {
				v.why = errUntaken
			}
			return
		}
	}
}

// cause is what the value had to end the box for, or "".
func (v *value) cause() Reason {
	if v == nil {
		return ""
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.over:
		return ReasonOutputTooLarge
	case v.why != nil:
		return ReasonCanceled
	}
	return ""
}

// lostFor is why the caller did not take the value, or nil.
func (v *value) lostFor() error {
	if v == nil {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.why
}

func (v *value) closeBoxEnd() {
	if v.to >= 0 {
		unix.Close(v.to)
		v.to = -1
	}
}

// abandon gives up what no box was started with.
func (v *value) abandon() {
	if v != nil && v.to >= 0 {
		v.closeBoxEnd()
		v.from.Close()
	}
}

// keepValue puts the descriptor where what closes the others leaves it.
func (b *builder) keepValue() {
	if b.shape.value {
		b.call(unix.SYS_DUP3, "dup3", "value", b.inherit(inherit{kind: inheritValue}, "value").arg(), num(fdValueKept), num(unix.O_CLOEXEC, "O_CLOEXEC")).wants(fdValueKept)
	}
}

// giveValue puts it where the program finds it, and has it stay open.
func (b *builder) giveValue() {
	if b.shape.value {
		b.call(unix.SYS_DUP3, "dup3", "value", num(fdValueKept), num(fdValue), num(0)).wants(fdValue)
	}
}
