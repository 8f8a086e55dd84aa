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

// hostRootHere is the uid that host root is shown as. The tree of sysctls is asked
// first, since nobody can give it away (fs/proc/proc_sysctl.c, proc_sys_setattr); a proc
// that shows processes alone (subset=pid) does not have it. Its owner is no other
// by any mount either: proc can't be idmapped. Of a proc as a whole the root is asked,
// and no folder of it that is mounted over it: a process's belongs to its user.
func hostRootHere() (int, bool) {
	var st unix.Stat_t
	if dir, err := sysctls(); err == nil {
		defer unix.Close(dir)
		if err := unix.Fstat(dir, &st); err == nil {
			return int(st.Uid), true
		}
	}
	const procRoot = 1 // its inode (include/linux/proc_fs.h, PROC_ROOT_INO)
	if onProc("/proc") && unix.Stat("/proc", &st) == nil && st.Ino == procRoot {
		return int(st.Uid), true
	}
	return 0, false
}

// heldOff says that the kernel keeps the caller from a sysctl that is for host root
// alone. For that it compares the caller with its own uid 0, whatever the number
// here, and asks for no capability (fs/proc/proc_sysctl.c, test_perm). That
// everybodys can be opened shows that nothing else, such as a security module, is
// what keeps the caller from both.
func heldOff() bool {
	dir, err := sysctls()
	if err != nil {
		return false
	}
	defer unix.Close(dir)
	fd, err := sysctl(dir, "kernel/cad_pid")
	if err == nil {
		unix.Close(fd)
	}
	return errors.Is(err, unix.EACCES)
}

// everybodys is a sysctl that everybody may read, and that nothing else of a proc is
// called as.
const everybodys = "kernel/ostype"

// sysctls is the tree of sysctls at /proc/sys, and nothing else of a proc that is mounted
// over it: it has everybodys, with no mount on the way, which is opened.
func sysctls() (int, error) {
	dir, err := unix.Open("/proc/sys", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	fd, err := sysctl(dir, everybodys)
	if err != nil {
		unix.Close(dir)
		return -1, err
	}
	defer unix.Close(fd)
	var fs unix.Statfs_t
	if err := unix.Fstatfs(fd, &fs); err != nil || int64(fs.Type) != unix.PROC_SUPER_MAGIC {
		unix.Close(dir)
		return -1, unix.ENOENT
	}
	return dir, nil
}

// sysctl opens one of a tree to be read.
func sysctl(dir int, name string) (int, error) {
	return unix.Openat2(dir, name, &unix.OpenHow{Flags: unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NONBLOCK,
		Resolve: unix.RESOLVE_NO_XDEV | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_BENEATH})
}

// onProc says that a path leads into a proc, and not to what is mounted over it.
func onProc(path string) bool {
	var fs unix.Statfs_t
	return unix.Statfs(path, &fs) == nil && int64(fs.Type) == unix.PROC_SUPER_MAGIC
}
