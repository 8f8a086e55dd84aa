package jail

import (
	"encoding/binary"
	"errors"
	"strconv"
	"syscall"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

type startOptions struct {
	namespaces uintptr
	group      int      // of a v2 cgroup to be born in, or -1
	stdio      [3]int   // -1: none
	env        []string // PID 1's: empty, but for ablation.EmptyEnv
	image      int
	// callersSession is for ablation.Session only.
	callersSession bool
}

// A child is PID 1 of a box, seen from outside.
type child struct {
	starter                            int // the process that clones PID 1
	pid, pidfd                         int // known once born has been called
	status, lifeline, reports, channel int
	fds                                fdSet // of all of these
}

// startInit starts the process that clones PID 1 into its namespaces, which
// takes the kernel most of a millisecond: time to do something else in, before
// born is called. The calling goroutine must be locked to its thread: the
// parent-death signal follows the thread (prctl(2)), and PID 1 is to be the
// child of this one.
func startInit(o startOptions) (_ *child, err error) {
	c := &child{pidfd: -1}
	defer func() {
		if err != nil {
			c.fds.closeAll()
		}
	}()
	ends, err := c.connect()
	if err != nil {
		return nil, err
	}
	defer ends.closeAll()
	// fdTmp and fdShm are replaced in the box; until then something has to
	// stand there, or PID 1's first open would get the number.
	files := []uintptr{fdChannel: uintptr(ends[3]), fdStatus: uintptr(ends[0]), fdLifeline: uintptr(ends[1]), fdReport: uintptr(ends[2]),
		fdTmp: uintptr(o.image), fdShm: uintptr(o.image), fdExe: uintptr(o.image)}
	for i, fd := range o.stdio {
		files[i] = uintptr(fd) // -1 leaves it closed
	}
	if _, err := unix.Write(c.channel, binary.LittleEndian.AppendUint64(nil, uint64(o.namespaces))); err != nil {
		return nil, pipeError("write", err)
	}
	// A session of its own, or a Ctrl-C at the terminal would meet it before
	// the box stands.
	attr := &syscall.ProcAttr{Env: o.env, Files: files, Sys: &syscall.SysProcAttr{Setsid: !o.callersSession, UseCgroupFD: o.group >= 0, CgroupFD: o.group}}
	c.starter, err = syscall.ForkExec("/proc/self/fd/"+strconv.Itoa(fdExe), []string{"jail-init"}, attr)
	if err != nil {
		return nil, execError(err)
	}
	return c, nil
}

// born waits for PID 1 to be there. On an error there is none, and nothing is
// left of c.
func (c *child) born() (err error) {
	defer func() {
		if err != nil {
			c.fds.closeAll()
		}
	}()
	answer := make([]byte, 4)
	n, err := unix.Read(c.channel, answer)
	for errors.Is(err, unix.EINTR) {
		n, err = unix.Read(c.channel, answer)
	}
	reap(c.starter)
	if n != len(answer) {
		return &SetupError{Stage: StageClone, Operation: "read", Operand: "PID 1", Err: errors.Join(err, unix.ECHILD)}
	}
	pid := int(int32(binary.LittleEndian.Uint32(answer)))
	if pid < 0 {
		return cloneError(syscall.Errno(-pid))
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

// discard ends a child that was not let go, and reaps it.
func (c *child) discard() {
	if c.pid == 0 && c.born() != nil {
		return
	}
	unix.PidfdSendSignal(c.pidfd, unix.SIGKILL, nil, 0)
	reap(c.pid)
	c.fds.closeAll()
}

// reap waits for the end of a child.
func reap(pid int) (usage unix.Rusage) {
	for {
		if _, err := unix.Wait4(pid, nil, unix.WALL, &usage); !errors.Is(err, unix.EINTR) {
			return usage
		}
	}
}

// connect makes what PID 1 and the supervisor talk over, and returns PID 1's
// ends: status, lifeline, report, channel.
func (c *child) connect() (ends fdSet, err error) {
	defer func() {
		if err != nil {
			ends.closeAll()
		}
	}()
	for _, own := range []*int{&c.status, &c.lifeline, &c.reports} {
		var p [2]int
		if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
			return ends, pipeError("pipe2", err)
		}
		if own == &c.lifeline {
			p[0], p[1] = p[1], p[0]
		}
		*own = p[0]
		c.fds.add(p[0])
		ends.add(p[1])
	}
	p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return ends, pipeError("socketpair", err)
	}
	c.channel = p[0]
	c.fds.add(p[0])
	ends.add(p[1])
	return ends, nil
}

func pipeError(operation string, err error) error {
	return &SetupError{Stage: StageClone, Operation: operation, Err: err, Remedy: "allow jail more open files (ulimit -n)"}
}

// boxNamespaces are those that a box has of its own.
func boxNamespaces(off ablation.Set) uintptr {
	flags := uintptr(unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP)
	for wall, flag := range map[ablation.Wall]uintptr{
		ablation.PIDs: unix.CLONE_NEWPID, ablation.Net: unix.CLONE_NEWNET, ablation.IPC: unix.CLONE_NEWIPC, ablation.UTS: unix.CLONE_NEWUTS,
	} {
		if !off.Has(wall) {
			flags |= flag
		}
	}
	return flags
}

// launch makes the box's process and lets it begin. While the kernel makes the
// namespaces, the plan is made.
func (r *run) launch(streams *streams) (*child, error) {
	image, err := openInit()
	if err != nil {
		return nil, &SetupError{Stage: StageClone, Operation: "memfd_create", Operand: "PID 1's image", Err: err,
			Remedy: "allow executable memfds (sysctl vm.memfd_noexec) or a temporary folder that is not mounted noexec"}
	}
	r.fds.add(image)
	r.image = image
	o := startOptions{namespaces: boxNamespaces(r.off), stdio: streams.childEnds, env: []string{}, image: image, group: -1}
	r.ablate(&o)
	if r.group != nil { // only version 2's is there already
		o.group = r.group.FD()
	}
	c, err := startInit(o)
	if err != nil {
		return nil, err
	}
	if err := r.makePlan(); err != nil {
		c.discard()
		return nil, err
	}
	if err := c.born(); err != nil {
		return nil, err
	}
	if err := r.letGo(c, streams); err != nil {
		c.discard()
		return nil, err
	}
	return c, nil
}

// makePlan makes everything that PID 1 has to be sent.
func (r *run) makePlan() error {
	if err := r.makeGroup(); err != nil {
		return err
	}
	if err := r.compile(); err != nil {
		return err
	}
	fd, err := sealed("jail-plan", r.plan.encode(), mfdNoExecSeal)
	if err != nil {
		return &SetupError{Stage: StageClone, Operation: "memfd_create", Operand: "plan", Err: err}
	}
	r.handed = fdSet{fd}
	for _, i := range r.plan.inherits {
		if err := r.open(i); err != nil {
			return err
		}
	}
	return nil
}

// letGo writes the box's id maps and sends PID 1 its plan.
func (r *run) letGo(c *child, streams *streams) error {
	h := r.plan.host
	maps := idMaps{uid: mapLine(h.boxUID, r.hostUID), gid: mapLine(h.boxGID, r.hostGID), denyGroups: !h.ownUID}
	if err := maps.write(c.pid); err != nil {
		return err
	}
	if h.ownUID {
		r.giveStdio(streams.childEnds)
	}
	if err := c.send(r.handed[:1]); err != nil {
		return err
	}
	if err := c.send(r.handed[1:]); err != nil {
		return err
	}
	r.handed.closeAll()
	// PID 1 has its plan and works on it; the program waits for this.
	if err := r.readLimits(); err != nil {
		return err
	}
	if _, err := unix.Write(c.channel, []byte{1}); err != nil {
		return &SetupError{Stage: StageEvidence, Operation: "write", Operand: "go-ahead", Err: err}
	}
	return nil
}

// giveStdio makes the box the owner of its pipes or terminal: /dev/stdout is a
// link to them, and opening that asks for the owner. stdin may also be the
// host's /dev/null, which stays as it is.
func (r *run) giveStdio(stdio [3]int) {
	for _, fd := range stdio {
		var st unix.Stat_t
		if unix.Fstat(fd, &st) == nil && (st.Mode&unix.S_IFMT == unix.S_IFIFO || r.plan.shape.tty) {
			unix.Fchown(fd, r.hostUID, r.hostGID)
		}
	}
}

// open provides one descriptor that the plan needs.
func (r *run) open(i inherit) (err error) {
	var fd int
	switch i.kind {
	case inheritTasks:
		fd, err = unix.FcntlInt(r.group.TaskFiles()[i.index].Fd(), unix.F_DUPFD_CLOEXEC, 0)
	case inheritRuleset:
		fd, err = r.plan.handled.newRuleset()
	default:
		fd, err = r.openGrant(i.source)
	}
	if err == nil {
		r.handed.add(fd)
	}
	return err
}
