package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/seed-75010da9/jail/cgroups"
	"golang.org/x/sys/unix"
)

// LandlockABI is the kernel's Landlock ABI; 0 means that there is none. See
// landlock_create_ruleset(2).
func LandlockABI() int {
	abi, _, errno := syscall.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(abi)
}

// tryMountAPI asks for the youngest call of the mount API, with an argument
// that is too short: a kernel that has the call says so to everyone, before it
// asks who calls.
func tryMountAPI(context.Context) outcome {
	_, _, errno := syscall.Syscall6(unix.SYS_MOUNT_SETATTR, ^uintptr(0), 0, 0, 0, 0, 0)
	switch errno {
	case unix.EINVAL:
		return outcome{answer: Yes, evidence: "mount_setattr is there"}
	case unix.ENOSYS, unix.EPERM:
		return outcome{answer: No, errno: errno, evidence: "mount_setattr: " + unix.ErrnoName(errno)}
	}
	return outcome{answer: Unknown, evidence: fmt.Sprintf("mount_setattr without an argument: %v", errno)}
}

// tryNamespaces asks for all namespaces at once, and when that fails for one
// after the other, to name those that are missing.
func tryNamespaces(ctx context.Context) outcome {
	all := child(boxNamespaces, "namespaces")(ctx)
	if all.answer == Yes {
		all.evidence = flagNames(boxNamespaces) + ": new ones for a child"
		return all
	}
	var missing []string
	for _, n := range namespaceNames[1:] {
		if o := child(unix.CLONE_NEWUSER|n.flag, "namespaces")(ctx); o.answer != Yes {
			missing = append(missing, n.name+" ("+unix.ErrnoName(o.errno)+")")
		}
	}
	if len(missing) > 0 {
		all.evidence = "missing: " + strings.Join(missing, ", ")
	}
	return all
}

// tryMemfd makes an executable memfd: PID 1 of a box starts from one.
func tryMemfd(context.Context) outcome {
	fd, err := unix.MemfdCreate("jail-doctor", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING|unix.MFD_EXEC)
	if err == unix.EINVAL { // before kernel 6.3 all are executable, and the flag is unknown
		fd, err = unix.MemfdCreate("jail-doctor", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	}
	var errno unix.Errno
	if errors.As(err, &errno) {
		return outcome{answer: No, errno: errno, evidence: "memfd_create, executable: " + unix.ErrnoName(errno)}
	}
	unix.Close(fd)
	return outcome{answer: Yes, evidence: "an executable memfd can be made"}
}

// tryGranting copies a tree and seals it, as root does outside of its boxes with
// all that it grants.
func tryGranting(context.Context) outcome {
	const source = "/dev/null"
	tree, err := unix.OpenTree(unix.AT_FDCWD, source, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return mountFailed("open_tree", source, err)
	}
	defer unix.Close(tree)
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID, Propagation: unix.MS_PRIVATE}
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH, &attr); err != nil {
		return mountFailed("mount_setattr", source, err)
	}
	return outcome{answer: Yes, evidence: fmt.Sprintf("root can copy and seal %q in its own mount namespace", source)}
}

// tryUIDRange starts a child as a host uid that belongs to nobody, as boxes
// started by root run.
func tryUIDRange(ctx context.Context) outcome {
	const boxUID, unusedUID = 1000, 0x70000000
	o := runChild(ctx, boxNamespaces, "identity", boxUID, unusedUID)
	if o.answer == Yes {
		o.evidence = fmt.Sprintf("uid %d in a user namespace is uid %d on the host", boxUID, unusedUID)
	}
	return o
}

// cgroupBelow makes a trial that makes, limits, reads back and removes a group
// below the one that name means to [cgroups.Find].
func cgroupBelow(name string) func(context.Context) outcome {
	return func(context.Context) outcome { return tryCgroup(name) }
}

func tryCgroup(name string) outcome {
	parent, err := cgroups.Find(name)
	if err != nil {
		return cgroupFailed(err)
	}
	defer parent.Close()
	g, err := parent.Create("doctor", cgroups.Limits{Memory: 64 << 20, CPUs: 0.5, Pids: 16})
	if err != nil {
		return cgroupFailed(err)
	}
	_, err = g.InForce()
	if err := errors.Join(err, g.Remove()); err != nil {
		return cgroupFailed(err)
	}
	evidence := fmt.Sprintf("%s below %s: memory, cpu and pids limits set and read back", parent.Version(), parent.Path())
	if n := parent.Note(); n != "" {
		evidence += "; " + n
	}
	return outcome{answer: Yes, evidence: evidence}
}

func cgroupFailed(err error) outcome {
	o := outcome{answer: No, evidence: err.Error()}
	var e *cgroups.Error
	if errors.As(err, &e) {
		o.remedy = e.Remedy
		o.ungiven = e.Missing == "write permission" || e.Missing == "group"
	}
	errors.As(err, &o.errno)
	return o
}
