package jail

import (
	"errors"
	"strconv"
	"syscall"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// fdSet closes what is still open when a run ends, on any path.
type fdSet []int

func (s *fdSet) add(fds ...int) { *s = append(*s, fds...) }

// close closes one now.
func (s *fdSet) close(fd int) {
	for i, f := range *s {
		if f == fd {
			(*s)[i] = -1
			unix.Close(fd)
			return
		}
	}
}

// release leaves fd to somebody else.
func (s *fdSet) release(fd int) {
	for i, f := range *s {
		if f == fd {
			(*s)[i] = -1
		}
	}
}

func (s *fdSet) closeAll() {
	for _, fd := range *s {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
	*s = nil
}

// pipe returns a pipe whose ends close with the run.
func (s *fdSet) pipe() (r, w int, err error) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return -1, -1, pipeError("pipe2", err)
	}
	s.add(p[0], p[1])
	return p[0], p[1], nil
}

type startOptions struct {
	cloneflags uintptr
	group      int    // of a v2 cgroup to be born in, or -1
	stdio      [3]int // -1: none
	caps       []uintptr
	env        []string // PID 1's: empty, but for ablation.EmptyEnv
	image      int
}

// A child is PID 1 of a box, seen from outside.
type child struct {
	pid, pidfd                         int
	status, lifeline, reports, channel int
	fds                                fdSet // of all of these
}

// discard ends a child that was not let go, and reaps it.
func (c *child) discard() {
	unix.PidfdSendSignal(c.pidfd, unix.SIGKILL, nil, 0)
	var status unix.WaitStatus
	for {
		if _, err := unix.Wait4(c.pid, &status, unix.WALL, nil); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	c.fds.closeAll()
}

// startInit starts PID 1, which then waits for its plan. The calling goroutine
// must be locked to its thread: the parent-death signal follows the thread
// (prctl(2)).
//
// CLONE_VM|CLONE_VFORK makes the child borrow our memory until its execve
// instead of copying our page tables; that is safe for the reason that makes
// it safe for every Go program that starts another. The child's id maps are
// written after that execve, which is why it keeps its capabilities in its new
// user namespace as ambient ones (capabilities(7)).
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
	attr := &syscall.ProcAttr{Env: o.env, Files: files, Sys: &syscall.SysProcAttr{
		Cloneflags: o.cloneflags | unix.CLONE_VM | unix.CLONE_VFORK, AmbientCaps: o.caps,
		PidFD: &c.pidfd, UseCgroupFD: o.group >= 0, CgroupFD: o.group,
	}}
	c.pid, err = syscall.ForkExec("/proc/self/fd/"+strconv.Itoa(fdExe), []string{"jail-init"}, attr)
	if err != nil {
		return nil, cloneError(err)
	}
	if c.pidfd < 0 {
		return nil, &SetupError{Stage: StageClone, Operation: "clone", Operand: "CLONE_PIDFD", Err: unix.ENOSYS, Remedy: "run Linux 5.14 or newer"}
	}
	c.fds.add(c.pidfd)
	return c, nil
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

// boxCaps are the capabilities in the box's own user namespace that PID 1
// needs to build the box, and gives up before anything else runs.
var boxCaps = []uintptr{unix.CAP_SETGID, unix.CAP_SETUID, unix.CAP_SETPCAP, unix.CAP_NET_ADMIN, unix.CAP_SYS_ADMIN}

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

// launch makes the box's process and lets it begin. The kernel takes most of a
// millisecond for the namespaces; meanwhile the plan is made on another thread.
func (r *run) launch(streams *streams) (*child, error) {
	image, err := openInit()
	if err != nil {
		return nil, &SetupError{Stage: StageClone, Operation: "memfd_create", Operand: "PID 1's image", Err: err,
			Remedy: "allow executable memfds (sysctl vm.memfd_noexec) or a temporary folder that is not mounted noexec"}
	}
	r.fds.add(image)
	r.image = image
	o := startOptions{cloneflags: boxNamespaces(r.off), stdio: streams.childEnds, caps: boxCaps, image: image, group: -1}
	r.ablate(&o)
	if r.group != nil { // only version 2's is there already
		o.group = r.group.FD()
	}
	planned := make(chan error, 1)
	go func() { planned <- r.makePlan() }()
	c, err := startInit(o)
	planErr := <-planned
	if err != nil {
		return nil, errors.Join(planErr, err)
	}
	if planErr == nil {
		planErr = r.letGo(c, streams)
	}
	if planErr != nil {
		c.discard()
		return nil, planErr
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

// cloneError explains why a process in new namespaces could not be made.
func cloneError(err error) error {
	e := &SetupError{Stage: StageClone, Layer: LayerNamespaces, Operation: "clone", Operand: "new namespaces", Err: err}
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		e.Remedy = "allow unprivileged user namespaces: sysctl kernel.unprivileged_userns_clone=1 and kernel.apparmor_restrict_unprivileged_userns=0 where they exist; in a container, a seccomp profile that allows clone with CLONE_NEWUSER; not from inside a chroot"
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EUSERS):
		e.Remedy = "raise the namespace limits in /proc/sys/user/max_*_namespaces"
	case errors.Is(err, unix.EAGAIN):
		e.Remedy = "allow the caller more processes (ulimit -u, pids.max of its cgroup)"
	case errors.Is(err, unix.ENOENT):
		e.Operation, e.Operand, e.Remedy = "execve", "/proc/self/fd", "mount /proc: PID 1's image is started through it"
	case errors.Is(err, unix.EINVAL):
		e.Remedy = "run a kernel with all of CONFIG_USER_NS, PID_NS, NET_NS, IPC_NS, UTS_NS and CGROUPS"
	}
	return e
}
