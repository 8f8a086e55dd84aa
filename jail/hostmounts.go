package jail

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

// A grant is shown with what the host has mounted below it, and a mount may be of any
// folder of a file system: what lies at one path may lie at another.

// A hostMount is one mount of the host's (proc_pid_mountinfo(5)).
type hostMount struct {
	id       uint64
	dev      string // of its file system
	root     string // the folder of that which it shows
	point    string
	readOnly bool
	kind     string // of its file system, such as ext4
	super    string // the options of that
}

type hostMounts []hostMount

// readMounts are those that are there.
func readMounts() (hostMounts, error) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	return parseMounts(string(text)), err
}

func parseMounts(mountinfo string) (list hostMounts) {
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
		list = append(list, hostMount{
			id: id, dev: columns[2], root: cgroups.Unescape(columns[3]), point: cgroups.Unescape(columns[4]),
			readOnly: options == "ro", kind: its[0], super: its[2],
		})
	}
	return list
}

// closed are the mount points of what is not looked at: a request to a server of
// FUSE's that has taken it in is waited for whatever signal comes (fuse_request_wait in
// fs/fuse/dev.c), a mount of autofs is made by looking, and another proc is as /proc is.
func (list hostMounts) closed() (points []string) {
	for _, m := range list {
		if strings.HasPrefix(m.kind, "fuse") || m.kind == "autofs" || m.kind == "proc" && m.point != "/proc" {
			points = append(points, m.point)
		}
	}
	return points
}

// A part is a folder, or a file, of a file system, and where the host shows it.
type part struct {
	hostMount
	inner, at string
}

// parts are what the host shows at a path and, by other mounts, below it. Of one that is
// covered by another it shows nothing (shows).
func (list hostMounts) parts(p string) (parts []part) {
	id, err := mountAt(p)
	for _, m := range list {
		switch {
		case m.id == id && err == nil && pathname.Below(p, m.point):
			parts = append(parts, part{m, path.Join(m.root, strings.TrimPrefix(p, m.point)), p})
		case m.point != p && pathname.Below(m.point, p):
			parts = append(parts, part{m, m.root, m.point})
		}
	}
	return parts
}

// shows is where one shows another, or of the other what it is a part of itself; rest is
// where in the other that lies. Not ok is for one that shows nothing of it, or is covered.
func (s part) shows(other part) (at, rest string, ok bool) {
	switch {
	case s.dev != other.dev:
		return "", "", false
	case pathname.Below(other.inner, s.inner):
		at = path.Join(s.at, strings.TrimPrefix(other.inner, strings.TrimSuffix(s.inner, "/")))
	case pathname.Below(s.inner, other.inner):
		at, rest = s.at, strings.TrimPrefix(s.inner, strings.TrimSuffix(other.inner, "/"))
	default:
		return "", "", false
	}
	id, err := mountAt(at)
	return at, rest, err == nil && id == s.id || err != nil && !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.ENOTDIR)
}

// mountAt is the mount that a path of the host's lies in (statx(2), since Linux 5.8).
func mountAt(p string) (id uint64, err error) {
	var st unix.Statx_t
	err = unix.Statx(unix.AT_FDCWD, p, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT, unix.STATX_MNT_ID, &st)
	if err == nil && st.Mask&unix.STATX_MNT_ID == 0 {
		err = unix.ENOSYS
	}
	return st.Mnt_id, err
}
