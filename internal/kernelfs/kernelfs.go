// Package kernelfs tells the file systems whose files are knobs and windows of the kernel.
package kernelfs

import "golang.org/x/sys/unix"

// Those that package unix does not have (include/uapi/linux/magic.h, fs/fuse/control.c,
// ipc/mqueue.c).
const (
	configfs = 0x62656570
	fusectl  = 0x65735543
	mqueue   = 0x19800202
)

// Name is the name of such a file system by its type (statfs(2)), as a list of mounts
// spells it, or "". Paths alone don't tell: proc may be mounted elsewhere than at /proc.
func Name(magic int64) string {
	switch uint32(magic) { // of what is signed on some architectures
	case unix.PROC_SUPER_MAGIC:
		return "proc"
	case unix.SYSFS_MAGIC:
		return "sysfs"
	case unix.CGROUP_SUPER_MAGIC:
		return "cgroup"
	case unix.CGROUP2_SUPER_MAGIC:
		return "cgroup2"
	case unix.DEBUGFS_MAGIC:
		return "debugfs"
	case unix.TRACEFS_MAGIC:
		return "tracefs"
	case unix.SECURITYFS_MAGIC:
		return "securityfs"
	case unix.SELINUX_MAGIC:
		return "selinuxfs"
	case unix.SMACK_MAGIC:
		return "smackfs"
	case unix.BPF_FS_MAGIC:
		return "bpf"
	case unix.DEVPTS_SUPER_MAGIC:
		return "devpts"
	case unix.EFIVARFS_MAGIC:
		return "efivarfs"
	case unix.BINDERFS_SUPER_MAGIC:
		return "binder"
	case unix.BINFMTFS_MAGIC:
		return "binfmt_misc"
	case unix.PSTOREFS_MAGIC:
		return "pstore"
	case unix.NSFS_MAGIC:
		return "nsfs"
	case configfs:
		return "configfs"
	case fusectl:
		return "fusectl"
	case mqueue:
		return "mqueue"
	}
	return ""
}

// Mounted says whether a file system is one of them, by its kind in a list of mounts
// (proc_pid_mountinfo(5)). That of devices has no type of its own. Single namespaces
// (nsfs) are mounted in folders such as /run, and are of no use without the calls that
// enter them.
func Mounted(kind string) bool {
	switch kind {
	case "proc", "sysfs", "cgroup", "cgroup2", "debugfs", "tracefs", "securityfs", "selinuxfs", "smackfs", "bpf",
		"devpts", "devtmpfs", "efivarfs", "binder", "binfmt_misc", "pstore", "configfs", "fusectl", "mqueue":
		return true
	}
	return false
}
