package profiles

import (
	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/kernelfs"
)

// refusedSource says why a host path can't be granted, or "". The kernel's
// file systems are not trees of files but its knobs, and /dev is its devices;
// the box has its own of each.
func refusedSource(path string) string {
	if why := kernelsOwn(path); why != "" {
		return why
	}
	var st unix.Statfs_t
	if unix.Statfs(path, &st) != nil {
		return ""
	}
	if name := kernelfs.Name(int64(st.Type)); name != "" {
		return "ordinary files; this is a " + name + " file system of the kernel"
	}
	return ""
}

// kernelsOwn is the part of refusedSource that the path alone decides.
func kernelsOwn(path string) string {
	if path == "/" {
		return "a folder below /; a grant of / would leave nothing of the box"
	}
	for _, dir := range [...]string{"/proc", "/sys", "/dev"} {
		if within(dir, path) {
			return "a path outside " + dir + ", which is the kernel's own; the box has one of its own"
		}
	}
	return ""
}

// refusedTarget says why nothing can be placed at a path of the box, or "".
func refusedTarget(path string) string {
	if path == "/" {
		return "a BOX below /, which is the box's own root"
	}
	for _, dir := range [...]string{"/proc", "/sys", "/dev"} {
		if within(dir, path) {
			return "a BOX outside " + dir + ", which the box has of its own"
		}
	}
	return ""
}

// refusedTmpfs says why no folder in memory can be placed at a path, or "".
func refusedTmpfs(path string) string {
	if path == "/tmp" {
		return "another path: every box has a /tmp, whose size is --tmp-size"
	}
	return refusedTarget(path)
}
