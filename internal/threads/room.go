package threads

import (
	"bytes"
	"math"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
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
	const initial = 0xEFFFFFFD // PROC_USER_INIT_INO (include/uapi/linux/nsfs.h)
	var st unix.Stat_t
	return os.Getuid() == 0 && unix.Stat("/proc/self/ns/user", &st) == nil && st.Ino == initial
}

// Few says whether a limit on this process's processes is that low.
func Few(most int64) bool {
	limit, ok := userLimit()
	return ok && limit <= most || Limit() <= most
}

// Room is how many processes and threads this one may make now, as far as it can
// tell: what its groups allow whose folders it can see, and RLIMIT_NPROC. Who else
// makes some at the same time is faster or is not. Where there is enough it may say
// less than there is, which takes less time to find out.
func Room(enough int64) int64 {
	room := int64(Unlimited)
	for _, folder := range groups() {
		limit, err := number(path.Join(folder, "pids.max"))
		if err != nil { // none: "max", or the root
			continue
		}
		if used, err := number(path.Join(folder, "pids.current")); err == nil {
			room = min(room, limit-used)
		}
	}
	if limit, ok := userLimit(); ok {
		at := limit - everybodys()
		if at < enough {
			at = limit - tasks(os.Getuid())
		}
		room = min(room, at)
	}
	return max(0, room)
}

// Limit is the least of what the groups allow whose folders this process can see.
func Limit() int64 {
	least := int64(Unlimited)
	for _, folder := range groups() {
		if limit, err := number(path.Join(folder, "pids.max")); err == nil {
			least = min(least, limit)
		}
	}
	return least
}

// groups are the folders of this process's group and of those around it where the
// kernel counts processes, at the usual places.
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
			for at := path.Clean("/" + f[2]); ; at = path.Dir(at) {
				folders = append(folders, mount+at)
				if at == "/" {
					break
				}
			}
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

// everybodys is how many processes and threads there are, of all users
// (proc_loadavg(5)): at least as many as the user's, and found at once.
func everybodys() int64 {
	text, _ := os.ReadFile("/proc/loadavg")
	_, rest, _ := bytes.Cut(text, []byte("/"))
	total, _, _ := bytes.Cut(rest, []byte(" "))
	n, err := strconv.ParseInt(string(total), 10, 64)
	if err != nil {
		return math.MaxInt32
	}
	return n
}

// tasks counts the processes and threads of a user that can be seen: those in other
// pid namespaces than those below one's own can't.
func tasks(uid int) (n int64) {
	all, _ := os.ReadDir("/proc")
	for _, e := range all {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		status, err := os.ReadFile("/proc/" + e.Name() + "/status")
		if err != nil {
			continue
		}
		if owner, _ := field(status, "Uid"); owner != int64(uid) {
			continue
		}
		threads, _ := field(status, "Threads")
		n += threads
	}
	return n
}

// field is the first number of a line of /proc/PID/status (proc_pid_status(5)).
func field(status []byte, name string) (int64, bool) {
	_, rest, ok := bytes.Cut(status, []byte("\n"+name+":"))
	if words := bytes.Fields(rest[:min(len(rest), 64)]); ok && len(words) > 0 {
		n, err := strconv.ParseInt(string(words[0]), 10, 64)
		return n, err == nil
	}
	return 0, false
}
