package profiles

import "golang.org/x/sys/unix"

// kernelFS is the name of the kernel's own file system that holds path, or "".
// Names alone don't tell: /proc may be mounted elsewhere too.
func kernelFS(path string) string {
	var st unix.Statfs_t
	if unix.Statfs(path, &st) != nil {
		return ""
	}
	switch int64(uint32(st.Type)) {
	case unix.PROC_SUPER_MAGIC:
		return "proc"
	case unix.SYSFS_MAGIC:
		return "sysfs"
	case unix.CGROUP_SUPER_MAGIC, unix.CGROUP2_SUPER_MAGIC:
		return "cgroup"
	case unix.DEVPTS_SUPER_MAGIC:
		return "devpts"
	case unix.DEBUGFS_MAGIC:
		return "debugfs"
	case unix.TRACEFS_MAGIC:
		return "tracefs"
	case unix.SECURITYFS_MAGIC:
		return "securityfs"
	case unix.BPF_FS_MAGIC:
		return "bpf"
	case unix.NSFS_MAGIC:
		return "nsfs"
	case unix.SELINUX_MAGIC:
		return "selinux"
	case unix.EFIVARFS_MAGIC:
		return "efivarfs"
	}
	return ""
}
