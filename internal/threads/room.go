package threads

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/hostns"
)

// Unlimited is room without an end that can be seen.
const Unlimited = math.MaxInt64

// Crowd is how many boxes that take all they may have a limit on the processes of
// whoever starts them must have room for to count as none.
const Crowd = 32

// ByUser says whether a soft RLIMIT_NPROC holds for this process: it does not for
// the host's root (kernel/fork.c, copy_process). What else is exempt, CAP_SYS_RESOURCE
// and CAP_SYS_ADMIN of the host's, is not asked: the limit counts then.
func ByUser(limit uint64, hostRoot bool) bool { return limit != unix.RLIM_INFINITY && !hostRoot }

// userLimit is RLIMIT_NPROC where that holds.
func userLimit() (int64, bool) {
	var l unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NPROC, &l) != nil || !ByUser(l.Cur, hostRoot()) {
		return 0, false
	}
	return int64(min(l.Cur, Unlimited)), true
}

// hostRoot says whether this process is root of the host's own user namespace.
func hostRoot() bool {
	if os.Getuid() != 0 {
		return false
	}
	users, err := hostns.Own("user")
	return err == nil && users == hostns.Users
}

// Few says whether there may be no more than so many processes and threads of the user
// of this process, or in its groups.
func Few(most int64) bool { return Scarce(most) || Left() <= most }

// Scarce is the part of Few that is about the user's. All that there are count as his,
// which is found at once.
func Scarce(most int64) bool {
	limit, ok := userLimit()
	return ok && limit-everybodys() <= most
}

// Room is how many processes and threads this one may make now, as far as it can
// tell: what its groups allow whose folders it can see, and RLIMIT_NPROC. Who else
// makes some at the same time is faster or is not. Where there is enough it may say
// less than there is, which takes less time to find out.
func Room(enough int64) int64 {
	room := int64(Unlimited)
	for _, folder := range groups() {
		left, _ := leftIn(folder)
		room = min(room, left)
	}
	if limit, ok := userLimit(); ok {
		at := limit - everybodys()
		if at < enough {
			at = limit - Of(os.Getuid())
		}
		room = min(room, at)
	}
	return max(0, room)
}

// Left is how many processes and threads the groups of this process have room for, or 0
// where there are groups around them that can't be seen.
func Left() int64 {
	least := int64(Unlimited)
	for _, folder := range groups() {
		least = min(least, LeftIn(folder))
	}
	return least
}

// LeftIn is Left of the group with a folder.
func LeftIn(folder string) int64 {
	left, all := leftIn(folder)
	if !all {
		return 0
	}
	return left
}

// leftIn is how many processes and threads there may be more by the limits of a group and
// of those around it. Not all of these can be seen where the outermost folder is not the
// root of the hierarchy, which alone has no limit: in a cgroup namespace, and where a
// part of the hierarchy is mounted by itself. A limit may be on any of the others, such as
// a pod's around its containers.
func leftIn(folder string) (left int64, all bool) {
	left, all = Unlimited, true
	for at := folder; ; at = path.Dir(at) {
		limit, err := number(path.Join(at, "pids.max"))
		if errors.Is(err, fs.ErrNotExist) {
			if unix.Access(path.Join(at, "cgroup.procs"), unix.F_OK) != nil {
				return left, all
			}
			all = true
		} else {
			all = false
		}
		if err == nil {
			if used, err := number(path.Join(at, "pids.current")); err == nil {
				left = min(left, max(0, limit-used))
			}
		}
		if at == "/" || at == "." {
			return left, all
		}
	}
}

// groups are the folders of this process's groups where the kernel counts processes, at
// the usual places.
func groups() (folders []string) {
	text, _ := os.ReadFile("/proc/self/cgroup")
	for line := range strings.Lines(string(text)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 {
			continue
		}
		mounts := []string{"/sys/fs/cgroup/pids"}
		switch {
		case f[1] == "":
			mounts = []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}
		case f[1] != "pids":
			continue
		}
		for _, mount := range mounts {
			folders = append(folders, mount+path.Clean("/"+f[2]))
		}
	}
	return folders
}

func number(file string) (int64, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
}
