package withheld

import (
	"path"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/kernelfs"
	"github.com/seed-75010da9/jail/internal/pathname"
)

// What nobody can be granted, whoever asks, is refused by package jail as well.

// Never says why no flag grants a path of the host's that is there, or is "".
func Never(source string) string {
	source = path.Clean(source)
	if why := KernelsOwn(source); why != "" {
		return why
	}
	var root, st unix.Stat_t
	if unix.Stat("/", &root) == nil && unix.Stat(source, &st) == nil && root.Dev == st.Dev && root.Ino == st.Ino {
		return "the whole file system is never granted; name the folders that are needed"
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(source, &fs); err != nil {
		return "its file system does not answer: " + err.Error()
	}
	if kernelfs.Name(int64(fs.Type)) != "" {
		return InKernels
	}
	return ""
}

// KernelsOwn is the part of [Never] that the path alone decides.
func KernelsOwn(source string) string {
	for _, top := range []string{"/proc", "/sys", "/dev"} {
		if pathname.Below(source, top) {
			return "nothing below " + top + " is granted: the box has its own"
		}
	}
	return ""
}

// InKernels is why what lies in such a file system is not granted.
const InKernels = "it lies in a file system that is an interface of the kernel"
