package jail

import (
	"errors"

	"golang.org/x/sys/unix"
)

// mayBeHostRoot says whether the caller, whom its user namespace calls uid, is root
// of the host. What can't be told counts as yes.
//
// The map of a namespace says nothing of it: its second column is of the namespace
// around (user_namespaces(7)), so 0 may stand for anybody there, and any other
// number for host root. But the files of a proc belong to host root, and are shown
// to belong to whatever number it has here. Where that is not the caller's, the
// caller is somebody else. Where it is, they are one, or neither has a number and
// both are shown as the overflow uid (which sysctl kernel.overflowuid names, and
// which the map may give to a third).
func mayBeHostRoot(uid int) bool {
	if owner, ok := hostRootHere(); ok && owner != uid {
		return false
	}
	return !heldOff()
}

// hostRootHere is the uid that host root is shown as. /proc/sys is asked first,
// since nobody can give it away (fs/proc/proc_sysctl.c, proc_sys_setattr); a proc
// that shows processes alone (subset=pid) does not have it. Its owner is no other
// by any mount either: proc can't be idmapped.
func hostRootHere() (int, bool) {
	for _, path := range [...]string{"/proc/sys", "/proc"} {
		var st unix.Stat_t
		if onProc(path) && unix.Stat(path, &st) == nil {
			return int(st.Uid), true
		}
	}
	return 0, false
}

// heldOff says that the kernel keeps the caller from a sysctl that is for host root
// alone. For that it compares the caller with its own uid 0, whatever the number
// here, and asks for no capability (fs/proc/proc_sysctl.c, test_perm). A sysctl
// that is for everybody is asked for as well: it shows that nothing else, such as
// a security module, is what keeps the caller from both.
func heldOff() bool {
	const roots, everybodys = "/proc/sys/kernel/cad_pid", "/proc/sys/kernel/ostype"
	return onProc(roots) && onProc(everybodys) &&
		errors.Is(unix.Faccessat(unix.AT_FDCWD, roots, unix.R_OK, 0), unix.EACCES) &&
		unix.Faccessat(unix.AT_FDCWD, everybodys, unix.R_OK, 0) == nil
}

// onProc says that a path leads into a proc, and not to what is mounted over it.
func onProc(path string) bool {
	var fs unix.Statfs_t
	return unix.Statfs(path, &fs) == nil && int64(fs.Type) == unix.PROC_SUPER_MAGIC
}
