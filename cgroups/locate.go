package cgroups

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"golang.org/x/sys/unix"
)

// The usual mount points are tried first, by opening them and asking for the
// file system's kind: some hosts have thousands of mounts, and mountinfo is
// long to read there.
const (
	mountRoot   = "/sys/fs/cgroup"
	mountHybrid = "/sys/fs/cgroup/unified"
)

func usualPoints(v Version, controller string) []string {
	if v == V1 {
		return []string{mountRoot + "/" + controller}
	}
	return []string{mountRoot, mountHybrid}
}

func magic(v Version) int64 {
	if v == V1 {
		return unix.CGROUP_SUPER_MAGIC
	}
	return unix.CGROUP2_SUPER_MAGIC
}

// locate opens the group called name in one hierarchy, or own, the path that
// /proc/self/cgroup gives, if name is empty. The note says when own was not to
// be had and the mount's root was taken in its place.
func locate(v Version, controller, own, name string) (dir, string, error) {
	want := own
	if name != "" {
		want = path.Clean("/" + name)
	}
	for _, point := range usualPoints(v, controller) {
		if d, err := openDir(path.Join(point, want), magic(v)); err == nil {
			return d, "", nil
		}
	}
	text, err := readAt(unix.AT_FDCWD, "/proc/self/mountinfo", 0)
	if err != nil {
		return dir{fd: noDir}, "", &Error{Op: "read", Path: "/proc/self/mountinfo", Missing: "proc", Err: err, Remedy: remedyProc}
	}
	return locateIn(parseMountinfo(text), v, controller, own, name)
}

// locateIn is locate over a list of mounts. A mount may show a part of a
// hierarchy only: in a container that shares the host's cgroup namespace,
// /proc/self/cgroup has the host's path and the mount's root is that group. In
// a cgroup namespace whose root is not above this process, own begins with
// "/..", and no mount shows it.
func locateIn(mounts []mount, v Version, controller, own, name string) (dir, string, error) {
	found := &Error{Op: "find", Missing: "mount of " + hierarchyName(v, controller), Err: errors.ErrUnsupported, Remedy: remedyMount}
	outside := ""
	for _, m := range mounts {
		if m.version != v || v == V1 && !slices.Contains(m.options, controller) {
			continue
		}
		want, ok := path.Clean("/"+name), true
		if name == "" {
			want, ok = below(m.root, own)
		}
		if !ok || len(own) > 2 && own[:3] == "/.." && name == "" {
			outside = m.point
			continue
		}
		d, err := openDir(path.Join(m.point, want), magic(v))
		if err == nil {
			return d, "", nil
		}
		found = &Error{Op: "open", Path: path.Join(m.point, want), Missing: "group", Err: err, Remedy: remedyParent}
	}
	if outside == "" {
		return dir{fd: noDir}, "", found
	}
	d, err := openDir(outside, magic(v))
	if err != nil {
		return d, "", &Error{Op: "open", Path: outside, Err: err, Remedy: remedyMount}
	}
	return d, fmt.Sprintf("own group %s is not visible below %s: its root is used", own, outside), nil
}

func hierarchyName(v Version, controller string) string {
	if v == V1 {
		return "cgroup1 controller " + controller
	}
	return "cgroup2"
}
