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
		return -1, -1, &SetupError{Stage: StageClone, Operation: "pipe2", Err: err, Remedy: "allow jail more open files (ulimit -n)"}
	}
	s.add(p[0], p[1])
	return p[0], p[1], nil
}

type startOptions struct {
	cloneflags uintptr
	cgroupFD   int // of a v2 group to be born in, if useCgroup
	useCgroup  bool
	stdio      [3]int // -1: none
	inherits   []int
	caps       []uintptr
}

// A child is PID 1 of a box, seen from outside.
type child struct {
	pid, pidfd                       int
	status, lifeline, reports, start int
	fds                              *fdSet
}

// discard ends a child that only had to exist, and reaps it.
func (c *child) discard() {
	unix.PidfdSendSignal(c.pidfd, unix.SIGKILL, nil, 0)
	var status unix.WaitStatus
	for {
		if _, err := unix.Wait4(c.pid, &status, unix.WALL, nil); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	for _, fd := range []int{c.pidfd, c.status, c.lifeline, c.reports, c.start} {
		c.fds.close(fd)
	}
}

// startInit starts PID 1 with a plan. The calling goroutine must be locked to
// its thread: the parent-death signal follows the thread (prctl(2)).
//
// CLONE_VM|CLONE_VFORK makes the child borrow our memory until its execve
// instead of copying our page tables; that is safe for the reason that makes
// it safe for every Go program that starts another. The child's id maps are
// written after that execve, which is why it keeps its capabilities in its new
// user namespace as ambient ones (capabilities(7)).
func (r *run) startInit(p *Plan, o startOptions) (*child, error) {
	plan, err := sealed("jail-plan", p.encode(), mfdNoExecSeal)
	if err != nil {
		return nil, &SetupError{Stage: StageClone, Operation: "memfd_create", Operand: "plan", Err: err}
	}
	defer unix.Close(plan)
	if r.image < 0 {
		if r.image, err = openInit(); err != nil {
			return nil, &SetupError{Stage: StageClone, Operation: "memfd_create", Operand: "PID 1's image", Err: err,
				Remedy: "allow executable memfds (sysctl vm.memfd_noexec) or a temporary folder that is not mounted noexec"}
		}
		r.fds.add(r.image)
	}
	c := &child{fds: &r.fds, pidfd: -1}
	var childEnds [4]int
	for i, own := range []*int{&c.status, &c.lifeline, &c.reports, &c.start} {
		rd, wr, err := r.fds.pipe()
		if err != nil {
			return nil, err
		}
		*own, childEnds[i] = rd, wr
		if own == &c.lifeline || own == &c.start {
			*own, childEnds[i] = wr, rd
		}
		defer r.fds.close(childEnds[i])
	}
	// fdTmp and fdShm are replaced in the box; until then something has to
	// stand there, or PID 1's first open would get the number.
	const none = ^uintptr(0)
	files := []uintptr{fdStdin: none, fdStdout: none, fdStderr: none, fdPlan: uintptr(plan), fdStatus: uintptr(childEnds[0]),
		fdLifeline: uintptr(childEnds[1]), fdReport: uintptr(childEnds[2]), fdTmp: uintptr(r.image), fdShm: uintptr(r.image),
		fdSync: uintptr(childEnds[3]), fdExe: uintptr(r.image)}
	for i, fd := range o.stdio {
		if fd >= 0 {
			files[i] = uintptr(fd)
		}
	}
	for _, fd := range o.inherits {
		files = append(files, uintptr(fd))
	}
	attr := &syscall.ProcAttr{Env: []string{}, Files: files, Sys: &syscall.SysProcAttr{
		Cloneflags: o.cloneflags | unix.CLONE_VM | unix.CLONE_VFORK, AmbientCaps: o.caps,
		PidFD: &c.pidfd, UseCgroupFD: o.useCgroup, CgroupFD: o.cgroupFD,
	}}
	c.pid, err = syscall.ForkExec("/proc/self/fd/"+strconv.Itoa(fdExe), []string{"jail-init"}, attr)
	if err != nil {
		return nil, cloneError(err)
	}
	if c.pidfd < 0 {
		return nil, &SetupError{Stage: StageClone, Operation: "clone", Operand: "CLONE_PIDFD", Err: unix.ENOSYS, Remedy: "run Linux 5.14 or newer"}
	}
	r.fds.add(c.pidfd)
	return c, nil
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

// launch makes the box's process and lets it begin.
func (r *run) launch(stdio [3]int) (*child, error) {
	o := startOptions{cloneflags: boxNamespaces(r.off), stdio: stdio, caps: boxCaps}
	if r.group != nil && r.group.FD() >= 0 {
		o.useCgroup, o.cgroupFD = true, r.group.FD()
	}
	for _, i := range r.plan.inherits {
		fd, err := r.open(i)
		if err != nil {
			return nil, err
		}
		o.inherits = append(o.inherits, fd)
	}
	c, err := r.startInit(r.plan, o)
	if err != nil {
		return nil, err
	}
	maps := idMaps{uid: mapLine(r.plan.host.boxUID, r.hostUID), gid: mapLine(r.plan.host.boxGID, r.hostGID), denyGroups: !r.plan.host.ownUID}
	if err := maps.write(c.pid); err != nil {
		c.discard()
		return nil, err
	}
	if r.plan.host.ownUID {
		r.giveStdio(stdio)
	}
	if err := writeAll(c.start, []byte{1}); err != nil {
		c.discard()
		return nil, &SetupError{Stage: StageIDMap, Operation: "write", Operand: "start", Err: err}
	}
	return c, nil
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

// open provides one inherited descriptor.
func (r *run) open(i inherit) (int, error) {
	switch i.kind {
	case inheritTasks:
		return int(r.group.TaskFiles()[i.index].Fd()), nil
	case inheritRuleset:
		fd, err := r.plan.handled.newRuleset()
		if err == nil {
			r.fds.add(fd)
		}
		return fd, err
	default:
		fd, err := r.openGrant(i.source)
		if err == nil {
			r.fds.add(fd)
		}
		return fd, err
	}
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
