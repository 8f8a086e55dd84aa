package jail

import (
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/seed-75010da9/jail/internal/pid1"
	"github.com/seed-75010da9/jail/jail/internal/notify"
	"github.com/seed-75010da9/jail/jail/internal/spell"
	"github.com/seed-75010da9/jail/seccomp"
	"golang.org/x/sys/unix"
)

// An observer hears of the calls that the box's filter refuses, refuses them, and
// keeps count. It has a goroutine from the first such call on: nothing that the
// supervisor does otherwise delays an answer, and nothing that an answer takes,
// such as reading the caller's memory, delays the end of the box.
type observer struct {
	listener int // closed by the goroutine if there is one, else by close
	program  seccomp.Program
	tracer   *tracer // nil: the paths of what is allowed are nobody's business
	killable bool    // no signal but SIGKILL interrupts a call that has been heard
	idle     bool    // nobody is held by the filter any more
	over     bool    // end has been called
	stop     int     // the write end of a pipe that ends the goroutine, whose end is done
	done     chan struct{}

	mu   sync.Mutex // of what follows
	seen []refused
	rest int64         // calls beyond those
	late time.Duration // in which calls waited for what the box has of burst and share
}

const (
	// Answers are work of the supervisor's, which no cgroup of the box's caps: a box
	// has burst of its processor time at once and then a share of it, and whoever
	// calls more waits. It is time and not a number of calls, so that as many are
	// answered at once as can be: each that waits is a program that may be late.
	burst = 3 * time.Second
	share = 0.1
	// batch is how much is saved up where there is none left, so that the supervisor
	// is not woken for each call.
	batch = 2 * time.Millisecond
	// mostHeld is how many calls are heard ahead of their answers. A box has no more
	// threads that wait, unless it also kills them all the time.
	mostHeld = 1024
)

// awaits is what to poll for the first refused call, or -1.
func (o *observer) awaits() int32 {
	if o == nil || o.done != nil || o.idle || o.over {
		return -1
	}
	return int32(o.listener)
}

// heard takes in what polling that has seen.
func (o *observer) heard(e *end, events int16) {
	switch {
	case events&unix.POLLIN != 0:
		if o.begin() != nil { // unanswered, the box would hang
			e.now(ReasonInternalError)
			o.idle = true
		}
	case events != 0:
		o.idle = true
	}
}

// begin starts the goroutine.
func (o *observer) begin() error {
	l, err := notify.New(o.listener)
	if err != nil {
		return err
	}
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return err
	}
	o.stop, o.done = p[1], make(chan struct{})
	pid1.Alongside(func() {
		defer close(o.done)
		runtime.LockOSThread() // its processor time is counted
		if o.tracer != nil {
			o.tracer.become() // for good
		} else {
			defer runtime.UnlockOSThread()
		}
		o.answerAll(l, p[0])
		unix.Close(p[0])
		unix.Close(o.listener)
	})
	return nil
}

// end ends the observing of a box that is gone. A goroutine that the kernel does
// not let go, because of the memory that it reads, is left behind with its
// descriptors.
func (o *observer) end() {
	if o == nil || o.over {
		return
	}
	o.over = true
	if o.done == nil {
		unix.Close(o.listener)
		return
	}
	unix.Close(o.stop)
	select {
	case <-o.done:
		o.tracer.end()
	case <-time.After(endGrace):
	}
}

// answerAll answers until nobody is held by the filter any more, or stop ends. A
// call that is heard beyond what is allowed is taken in at once, after which no
// signal interrupts it, and answered later. An older kernel, where one would, has it
// wait to be heard.
func (o *observer) answerAll(l *notify.Listener, stop int) {
	allowed := allowance{left: burst, spent: threadTime(), at: time.Now()}
	var held []heldCall
	for {
		wait := allowed.wait(time.Now(), threadTime())
		for ; wait == 0 && len(held) > 0; wait = allowed.wait(time.Now(), threadTime()) {
			o.answer(l, held[0])
			held = held[1:]
		}
		fds := [2]unix.PollFd{{Fd: int32(stop), Events: unix.POLLIN}, {Fd: int32(o.listener), Events: unix.POLLIN}}
		if wait > 0 && (!o.killable || len(held) >= mostHeld) {
			fds[1].Fd = -1
		}
		pause := wait
		if pause == 0 {
			pause = o.tracer.every()
		}
		var timeout *unix.Timespec
		if pause > 0 {
			ts := unix.NsecToTimespec(int64(pause))
			timeout = &ts
		}
		began := time.Now()
		_, err := unix.Ppoll(fds[:], timeout, nil)
		if wait > 0 && (len(held) > 0 || !o.killable) {
			o.delay(time.Since(began))
		}
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return
		}
		o.tracer.measure()
		switch {
		case fds[0].Revents != 0:
			return
		case fds[1].Revents&unix.POLLIN != 0:
			if c, ok := o.receive(l); ok && c.errno != 0 {
				held = append(held, c)
			}
		case fds[1].Revents != 0:
			return
		}
	}
}

// A heldCall waits for its answer.
type heldCall struct {
	notify.Call
	refused
}

// receive takes in the next call.
func (o *observer) receive(l *notify.Listener) (heldCall, bool) {
	c, ok := l.Receive()
	if !ok {
		return heldCall{}, false
	}
	if o.tracer != nil && o.program.GoesOn(c.NR, c.Arch, c.Args) {
		o.tracer.see(l, c, seccomp.Name(int(c.NR)))
		l.GoOn(c)
		return heldCall{}, true
	}
	call := refused{name: seccomp.Name(int(c.NR)), nr: c.NR, arch: c.Arch, args: c.Args, errno: o.program.Refusal(c.NR, c.Arch, c.Args)}
	call.what = o.spelled(l, c, call.name)
	return heldCall{c, call}, true
}

// answer refuses a call, and counts it if somebody still waited for that.
func (o *observer) answer(l *notify.Listener, c heldCall) {
	if l.Refuse(c.Call, c.errno) {
		o.note(c.refused)
	}
}

// spelled is the call in words, with the strings that it points to if these are
// the caller's beyond doubt.
func (o *observer) spelled(l *notify.Listener, c notify.Call, name string) string {
	read := false
	what := spell.Call(name, c.NR, c.Args, func(address uint64, b []byte) int {
		read = true
		if c.PID == 0 {
			return 0
		}
		return notify.Read(c.PID, address, b)
	})
	if read && !l.Waits(c) {
		return spell.Call(name, c.NR, c.Args, nil)
	}
	return what
}
