package jail

import (
	"path"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/hostmounts"
	"github.com/seed-75010da9/jail/internal/kernelfs"
	"github.com/seed-75010da9/jail/internal/pathname"
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
	if kernelfs.Name(int64(fs.Type)) != "" {
		return inKernels
	}
	return ""
}

// kernelsOwn is the part of refusedSource that the path alone decides.
func kernelsOwn(source string) string {
	for _, top := range []string{"/proc", "/sys", "/dev"} {
		if pathname.Below(source, top) {
			return "nothing below " + top + " is granted: the box has its own"
		}
	}
	return ""
}

const inKernels = "it lies in a file system that is an interface of the kernel"

// kernelMount says why a folder is not granted because of what is mounted there, or
// somewhere below it, or "": a grant brings its mounts along.
func (r *resolver) kernelMount(source string) string {
	mounts, err := r.places.list()
	if err != nil {
		return "what is mounted below it can't be seen: " + err.Error()
	}
	for _, m := range mounts {
		switch {
		case !kernelfs.Mounted(m.Kind):
		case pathname.Below(source, m.Point):
			if id, err := hostmounts.At(source); err == nil && id == m.ID {
				return inKernels
			}
		case pathname.Below(m.Point, source):
			return "a file system that is an interface of the kernel is mounted below it, at " + shellword.Quote(m.Point) + ": grant the folders beside it"
		}
	}
	return ""
}
