package jail

import (
	"errors"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/internal/pid1"
	"golang.org/x/sys/unix"
)

// A child is PID 1 of a box, seen from outside.
type child struct {
	starter                            int // the process that clones PID 1, 0 once it is reaped
	pid, pidfd                         int // known once born has been called
	early                              bool
	asked                              bool // the starter has its request
	instructed                         bool // PID 1 has the first part of its plan
	status, lifeline, reports, channel int
	fds                                fdSet // of all of these
	ends                               fdSet // the other ends, PID 1's: status, lifeline, report
}

// start starts what clones PID 1, or takes over what began to before the Go
// runtime did, as a child of the main thread, which ends with the process. It
// makes the pipes on which PID 1 answers, and asks for it.
func (r *run) start() (_ *child, err error) {
	c := &child{pidfd: -1}
	defer func() {
		if err != nil {
			c.discard()
		}
	}()
	if !c.adopt(r) {
		if err := c.begin(r); err != nil {
			return nil, err
		}
	}
	if err := c.connect(); err != nil {
		return nil, err
	}
	return c, c.ask(pid1.Request{Namespaces: r.namespacesOfItsOwn(), KeepSession: r.off.Has(ablation.Session), KeepKeyring: r.off.Has(ablation.Keyring), Group: r.bornIn()})
}

// adopt takes over the early starter, unless it has done already what this run
// needs differently.
func (c *child) adopt(r *run) bool {
	if len(r.off) > 0 {
		return false
	}
	e, ok := pid1.TakeEarly()
	if ok && e.Asked && (r.bornIn() >= 0 || r.spec.inPlace()) {
		e.Discard()
		return false
	}
	if ok {
		c.starter, c.channel, c.asked, c.early = e.Starter, e.Channel, e.Asked, true
		c.fds.add(c.channel)
	}
	return ok
}

// begin starts a starter.
func (c *child) begin(r *run) error {
	image, err := r.initImage()
	if err != nil {
		return err
	}
	p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return pipeError("socketpair", err)
	}
	c.channel = p[0]
	c.fds.add(p[0])
	// PID 1 dies with the thread that its starter is a child of.
	r.lockThread()
	c.starter, err = pid1.Start(image, p[1], r.initEnv())
	unix.Close(p[1])
	if err != nil {
		return execError(err)
	}
	return nil
}

func imageRemedy(err error) string {
	switch {
	case errors.Is(err, unix.EFBIG):
		return "allow jail larger files (ulimit -f)"
	case errors.Is(err, unix.EPERM): // memfd_create(2) itself does not give it
		return "a filter holds jail itself, such as that of another box: boxes do not nest"
	}
	return "allow executable memfds (sysctl vm.memfd_noexec) or a temporary folder that is not mounted noexec"
}

// initImage is PID 1's image, made when it is first needed.
func (r *run) initImage() (int, error) {
	if r.image < 0 {
		image, err := openInit()
		if err != nil {
			return -1, &SetupError{Stage: StageClone, Operation: "memfd_create", Operand: "PID 1's image", Err: err,
				Remedy: imageRemedy(err)}
		}
		r.fds.add(image)
		r.image = image
	}
	return r.image, nil
}

// bornIn is the group that PID 1 is born in, or -1: on version 1 it enters its
// groups by itself.
func (r *run) bornIn() int {
	if r.group == nil || r.spec.inPlace() {
		return -1
	}
	return r.group.FD()
}

// ask has the starter make PID 1.
func (c *child) ask(request pid1.Request) error {
	if c.asked {
		return nil
	}
	c.asked = true
	if err := request.Send(c.channel); err != nil && !errors.Is(err, unix.EPIPE) { // of a starter that is gone its status tells more
		return pipeError("sendmsg", err)
	}
	return nil
}

// born waits for PID 1 to be there. On an error there is none, and nothing is
// left of c.
func (c *child) born() (err error) {
	defer func() {
		if err != nil {
			c.closeAll()
		}
	}()
	pid, err := pid1.Born(c.starter, c.channel)
	c.starter = 0
	var exec pid1.ExecError
	if errors.As(err, &exec) {
		return execError(exec.Err)
	}
	if err != nil {
		return cloneError(err)
	}
	// It is our child and nobody has waited for it, so the pid is still its.
	if c.pidfd, err = unix.PidfdOpen(pid, 0); err != nil {
		unix.Kill(pid, unix.SIGKILL)
		reap(pid)
		return &SetupError{Stage: StageClone, Operation: "pidfd_open", Operand: "PID 1", Err: err, Remedy: "run Linux 5.14 or newer"}
	}
	c.pid = pid
	c.fds.add(c.pidfd)
	return nil
}

// discard ends a child that was not let go, and reaps it. Once more does nothing.
func (c *child) discard() {
	if c.starter != 0 && c.asked && c.born() != nil {
		return
	}
	if c.pid != 0 {
		unix.PidfdSendSignal(c.pidfd, unix.SIGKILL, nil, 0)
		reap(c.pid)
		c.pid = 0
	}
	c.closeAll() // which ends a starter that waits for its request
	if c.starter != 0 {
		reap(c.starter)
		c.starter = 0
	}
}

func (c *child) closeAll() {
	c.fds.closeAll()
	c.ends.closeAll()
}

// reap waits for the end of a child.
func reap(pid int) (status unix.WaitStatus, usage unix.Rusage) {
	for {
		if _, err := unix.Wait4(pid, &status, unix.WALL, &usage); !errors.Is(err, unix.EINTR) {
			return status, usage
		}
	}
}

// connect makes the pipes on which PID 1 answers and its lifeline.
func (c *child) connect() error {
	for _, own := range []*int{&c.status, &c.lifeline, &c.reports} {
		var p [2]int
		if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
			return pipeError("pipe2", err)
		}
		if own == &c.lifeline {
			p[0], p[1] = p[1], p[0]
		}
		*own = p[0]
		c.fds.add(p[0])
		c.ends.add(p[1])
	}
	return nil
}

func pipeError(operation string, err error) error {
	return &SetupError{Stage: StageClone, Operation: operation, Err: err, Remedy: "allow jail more open files (ulimit -n)"}
}

// boxNamespaces are those that a box of tier 1 has of its own.
func boxNamespaces(off ablation.Set) uintptr {
	flags := uintptr(pid1.Namespaces)
	for wall, flag := range map[ablation.Wall]uintptr{
		ablation.PIDs: unix.CLONE_NEWPID, ablation.Net: unix.CLONE_NEWNET, ablation.IPC: unix.CLONE_NEWIPC, ablation.UTS: unix.CLONE_NEWUTS,
	} {
		if off.Has(wall) {
			flags &^= flag
		}
	}
	return flags
}
