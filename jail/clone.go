package jail

import (
	"errors"
	"os"
	"slices"

	"github.com/seed-75010da9/jail/internal/pid1"
	"golang.org/x/sys/unix"
)

// cloneError explains why a process in new namespaces could not be made.
func cloneError(err error) error {
	e := &SetupError{Stage: StageClone, Layer: LayerNamespaces, Operation: "clone", Operand: "new namespaces", Err: err}
	switch {
	case (errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS)) && filtered():
		e.Remedy = forbidden("clone with CLONE_NEWUSER and the other namespaces' flags") + orTier2
	case errors.Is(err, unix.EPERM) && !hasUID(): // see clone(2), EPERM
		e.Remedy = "start jail as a user whom the user namespace around has a number for (its map is /proc/self/uid_map)" + orTier2
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		e.Remedy = "allow unprivileged user namespaces: sysctl kernel.unprivileged_userns_clone=1 where it exists; on Ubuntu 23.10 and later " + remedyAppArmor + "; in a container, a seccomp profile that allows clone with CLONE_NEWUSER; not from inside a chroot" + orTier2
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EUSERS):
		e.Remedy = "raise the namespace limits in /proc/sys/user/max_*_namespaces" + orTier2
	case errors.Is(err, unix.EAGAIN):
		e.Remedy = moreProcesses
	case errors.Is(err, unix.EDQUOT):
		e.Operation, e.Operand = "keyctl", "session keyring"
		e.Remedy = "let the user have one key more: sysctl kernel.keys.maxkeys and kernel.keys.maxbytes say how many there may be, and /proc/key-users how many there are"
	case errors.Is(err, unix.EKEYREJECTED):
		e.Operation, e.Operand = "keyctl", "session keyring"
		e.Remedy = "have the security module (SELinux) let jail make a session keyring, which keeps boxes out of the caller's"
	case errors.Is(err, unix.ECHILD):
		e.Operation, e.Operand = "execve", "PID 1's image"
	case errors.Is(err, unix.EINVAL):
		e.Remedy = "run a kernel with all of CONFIG_USER_NS, PID_NS, NET_NS, IPC_NS, UTS_NS and CGROUPS" + orTier2
	}
	return e
}

// hasUID says whether the caller is anybody in its user namespace, as only those are
// who may make another.
func hasUID() bool {
	text, err := readSmall("/proc/self/uid_map")
	uid := uint64(os.Geteuid())
	return err != nil || slices.ContainsFunc(idMapEntries(text), func(e [3]uint64) bool { return e[0] <= uid && uid < e[0]+e[2] })
}

// namespacesForbidden tries whether there is no box of tier 1 to be had here.
func (r *run) namespacesForbidden() bool {
	c := &child{pidfd: -1}
	defer c.discard()
	if c.begin(r) != nil || c.ask(pid1.Request{Namespaces: pid1.Namespaces, Group: -1}) != nil {
		return false
	}
	err := c.born()
	return errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSPC)
}

// moreProcesses is the remedy where the kernel makes no more of them.
const moreProcesses = "allow the caller more processes (ulimit -u, pids.max of its cgroup)"

// orTier2 ends the remedies of what only tier 1 needs.
const orTier2 = "; or take the weaker box that needs no namespaces, by name: --tier 2"

// execError explains why PID 1's image could not be started.
func execError(err error) error {
	e := &SetupError{Stage: StageClone, Operation: "execve", Operand: "PID 1's image", Err: err}
	switch {
	case errors.Is(err, unix.ENOENT):
		e.Remedy = "mount /proc: PID 1's image is started through it"
	case errors.Is(err, unix.EAGAIN):
		e.Remedy = moreProcesses
	}
	return e
}
