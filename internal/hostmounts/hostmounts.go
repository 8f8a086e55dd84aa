// Package hostmounts tells what the host has mounted where, and what lies at one path
// because it lies at another: a grant is shown with what is mounted below it, and a mount
// may be of any folder of a file system.
package hostmounts

import (
	"errors"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/cgroups"
	"github.com/seed-75010da9/jail/internal/pathname"
)

// A Mount is one mount of the host's (proc_pid_mountinfo(5)).
type Mount struct {
	ID       uint64
	Dev      string // of its file system
	Root     string // the folder of that which it shows
	Point    string
	ReadOnly bool
	Kind     string // of its file system, such as ext4
	Super    string // the options of that
}

// A List is mounts in the order in which they were made.
type List []Mount

// Read are those that are there.
func Read() (List, error) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	return parse(string(text)), err
}

func parse(mountinfo string) (list List) {
	for line := range strings.Lines(mountinfo) {
		mount, filesystem, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " - ")
		columns, its := strings.SplitN(mount, " ", 7), strings.SplitN(filesystem, " ", 3)
		if len(columns) < 6 || len(its) < 3 {
			continue
		}
		id, err := strconv.ParseUint(columns[0], 10, 64)
		if err != nil {
			continue
		}
		options, _, _ := strings.Cut(columns[5], ",")
		list = append(list, Mount{
			ID: id, Dev: columns[2], Root: cgroups.Unescape(columns[3]), Point: cgroups.Unescape(columns[4]),
			ReadOnly: options == "ro", Kind: its[0], Super: its[2],
		})
	}
	return list
}

// Closed are the mount points of what is not looked at: a request to a server of
// FUSE's that has taken it in is waited for whatever signal comes (fuse_request_wait in
// fs/fuse/dev.c), a mount of autofs is made by looking, and another proc is as /proc is.
func (list List) Closed() (points []string) {
	for _, m := range list {
		if strings.HasPrefix(m.Kind, "fuse") || m.Kind == "autofs" || m.Kind == "proc" && m.Point != "/proc" {
			points = append(points, m.Point)
		}
	}
	return points
}

// A Part is a folder, or a file, of a file system, and where the host shows it.
type Part struct {
	Mount
	Inner, At string
}

// Parts are what the host shows at a path and, by other mounts, below it. Of one that is
// covered by another it shows nothing (Shows).
func (list List) Parts(p string) (parts []Part) {
	id, err := At(p)
	for _, m := range list {
		switch {
		case m.ID == id && err == nil && pathname.Below(p, m.Point):
			parts = append(parts, Part{m, path.Join(m.Root, strings.TrimPrefix(p, m.Point)), p})
		case m.Point != p && pathname.Below(m.Point, p):
			parts = append(parts, Part{m, m.Root, m.Point})
		}
	}
	return parts
}

// Shows is where one shows another, or of the other what it is a part of itself; rest is
// where in the other that lies. Not ok is for one that shows nothing of it, or is covered.
func (s Part) Shows(other Part) (at, rest string, ok bool) {
	switch {
	case s.Dev != other.Dev:
		return "", "", false
	case pathname.Below(other.Inner, s.Inner):
		at = path.Join(s.At, strings.TrimPrefix(other.Inner, strings.TrimSuffix(s.Inner, "/")))
	case pathname.Below(s.Inner, other.Inner):
		at, rest = s.At, strings.TrimPrefix(s.Inner, strings.TrimSuffix(other.Inner, "/"))
	default:
		return "", "", false
	}
	id, err := At(at)
	return at, rest, err == nil && id == s.ID || err != nil && !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.ENOTDIR)
}

// At is the mount that a path of the host's lies in (statx(2), since Linux 5.8).
func At(p string) (id uint64, err error) {
	var st unix.Statx_t
	err = unix.Statx(unix.AT_FDCWD, p, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT, unix.STATX_MNT_ID, &st)
	if err == nil && st.Mask&unix.STATX_MNT_ID == 0 {
		err = unix.ENOSYS
	}
	return st.Mnt_id, err
}
