package jail

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// hear takes in what PID 1 reports, to the end or that much of it, and what
// follows from it: a box with a wall missing is ended.
func (r *run) hear(c *child, events int16, most int) error {
	told, ok := r.drain(c.reports, events, most)
	if ok {
		report, err := r.plan.parseReport(told)
		if err != nil {
			r.end.now(ReasonInternalError)
			r.reap(c)
			return &SetupError{Stage: StageSupervise, Operation: "report", Err: err}
		}
		if events == 0 {
			r.stopwatch.begin(timedProgram)
		}
		r.stopwatch.heard(r.plan, report.timings)
		if report.evidence == nil {
			report.evidence = r.report.evidence
		}
		r.report = report
	}
	if err := r.listen(c); err != nil {
		return err
	}
	if r.result.Layers == nil {
		r.result.Layers = r.receipt() // time for it, while the program runs already
	}
	if l := r.unproven(); l != "" {
		r.end.now(ReasonInternalError)
		r.reap(c)
		return &SetupError{Stage: StageSupervise, Layer: l, Operation: "evidence",
			Err: errors.New("the kernel does not say that this layer holds the program, which was ended")}
	}
	return nil
}

// alone says whether PID 1 has ended everybody else in the box and waited for
// them, so that nothing is left of it but PID 1 itself, on its way out. Only those
// of a pool do that: what the kernel still does when PID 1 ends, which takes as
// long as a short program, is nobody's to wait for.
func (r *run) alone(c *child) bool {
	cause, _ := r.end.over()
	if !r.shape.late || !r.ended || cause != "" || r.group == nil {
		return false
	}
	until := time.Now().Add(aloneGrace)
	for left := aloneGrace; left > 0; left = time.Until(until) {
		fds := [1]unix.PollFd{{Fd: int32(c.status), Events: unix.POLLIN}}
		if poll(fds[:], left) != nil {
			return false
		}
		if fds[0].Revents != 0 {
			n, _ := unix.Read(c.status, make([]byte, 1))
			r.result.TreeEmpty = n == 1
			return n == 1
		}
	}
	return false
}

// aloneGrace bounds the wait for PID 1's word that it is alone. It shares the box's
// processor quota, and may need the help that reap gives.
const aloneGrace = 20 * time.Millisecond

// unproven is a layer that was asked for and for which the kernel's evidence is
// missing, or "". Tests that take walls down are not held to it.
func (r *run) unproven() LayerName {
	if len(r.report.evidence) == 0 || len(r.off) > 0 {
		return ""
	}
	for _, l := range r.result.Layers {
		if l.Asked && !l.Applied {
			return l.Name
		}
	}
	return ""
}

// overtaken says whether the step failed because the box was ended before it: a
// keeper is told so on its lifeline, which it expects to be silent then.
func (s *Step) overtaken(result int32) bool {
	return s.Stage == StageLifeline && s.Operation == "read" && result == 1
}

const reportRoom = 64 << 10

// drain reads fd to its end, or the most that there can be on it. It waits for
// events (poll(2)); 0 is the end alone. It gives up on a box that was killed and
// does not die.
func (r *run) drain(fd int, events int16, most int) ([]byte, bool) {
	buf := make([]byte, 0, min(most, 4<<10))
	for r.readable(fd, events) {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := unix.Read(fd, buf[len(buf):cap(buf)])
		switch {
		case errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN):
			continue
		case err != nil || n == 0:
			return buf, err == nil
		}
		if buf = buf[:len(buf)+n]; len(buf) >= most {
			return buf, len(buf) == most
		}
	}
	return buf, false
}

// readable waits until fd has something to read or has ended, and meanwhile sees
// to what ends a box. When the program writes something the copying of its
// output begins: a program that writes nothing costs no goroutine.
func (r *run) readable(fd int, events int16) bool {
	for {
		fds := [5]unix.PollFd{{Fd: int32(fd), Events: events}, {Fd: -1}, {Fd: -1}, {Fd: int32(r.interrupt), Events: unix.POLLIN},
			{Fd: r.observer.awaits(), Events: unix.POLLIN}}
		if !r.streams.pumping {
			for i, from := range r.streams.from {
				fds[i+1] = unix.PollFd{Fd: int32(from), Events: unix.POLLIN}
			}
		}
		err := poll(fds[:], r.watch.next())
		r.interruption(fds[3])
		if fds[4].Revents != 0 {
			r.observer.heard(&r.end, fds[4].Revents)
		}
		r.watch.look()
		if fds[1].Revents&unix.POLLIN != 0 || fds[2].Revents&unix.POLLIN != 0 {
			r.streams.pump(&r.end)
		}
		if fds[0].Revents != 0 {
			return true
		}
		if err != nil || r.end.overdue() {
			return false
		}
		if !r.streams.pumping && !r.streams.ended([2]int16{fds[1].Revents, fds[2].Revents}) {
			r.streams.pump(&r.end)
		}
	}
}
