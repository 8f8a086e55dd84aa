package jail

import (
	"path"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/shellword"
)

// refusedSource says why a host path is never granted, or "".
func refusedSource(m *mount) string {
	source := path.Clean(m.Source)
	if why := kernelsOwn(source); why != "" {
		return why
	}
	if m.Kind == MountSystem && source != "/" {
		return "" // a profile's, not a caller's
	}
	var root, st unix.Stat_t
	if unix.Stat("/", &root) == nil && unix.Stat(source, &st) == nil && root.Dev == st.Dev && root.Ino == st.Ino {
		return "the whole file system is never granted; name the folders that are needed"
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(source, &fs); err != nil {
		return "its file system does not answer: " + err.Error()
	}
	if slices.Contains(kernelFilesystems, int64(fs.Type)) {
		return "it lies in a file system that is an interface of the kernel"
	}
	return ""
}

// kernelsOwn is the part of refusedSource that the path alone decides.
func kernelsOwn(source string) string {
	for _, top := range []string{"/proc", "/sys", "/dev"} {
		if below(source, top) {
			return "nothing below " + top + " is granted: the box has its own"
		}
	}
	return ""
}

// kernelFilesystems are those whose files are knobs and windows of the kernel.
var kernelFilesystems = []int64{
	unix.PROC_SUPER_MAGIC, unix.SYSFS_MAGIC, unix.CGROUP_SUPER_MAGIC, unix.CGROUP2_SUPER_MAGIC,
	unix.DEBUGFS_MAGIC, unix.TRACEFS_MAGIC, unix.SECURITYFS_MAGIC, unix.BPF_FS_MAGIC,
	unix.DEVPTS_SUPER_MAGIC, unix.EFIVARFS_MAGIC, unix.BINDERFS_SUPER_MAGIC, unix.NSFS_MAGIC,
}

// kernelFilesystemNames are the same, and those that statfs(2) does not tell
// apart, as mountinfo spells them.
var kernelFilesystemNames = []string{
	"proc", "sysfs", "cgroup", "cgroup2", "debugfs", "tracefs", "securityfs", "bpf", "devpts", "devtmpfs",
	"efivarfs", "binder", "binfmt_misc", "configfs", "fusectl", "mqueue", "pstore", "selinuxfs", "smackfs",
}

// kernelMountBelow says why a folder is not granted because of what is mounted
// somewhere below it, or "": a grant brings its mounts along.
func (r *resolver) kernelMountBelow(source string) string {
	mounts, err := r.places.list()
	if err != nil {
		return "what is mounted below it can't be seen: " + err.Error()
	}
	for _, m := range mounts {
		if m.point != source && below(m.point, source) && slices.Contains(kernelFilesystemNames, m.kind) {
			return "a file system that is an interface of the kernel is mounted below it, at " + shellword.Quote(m.point) + ": grant the folders beside it"
		}
	}
	return ""
}
