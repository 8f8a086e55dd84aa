package doctor

import (
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// facts are settings of the host. They choose remedies and answer nothing.
type facts struct {
	kernel, arch string
	uid          int
	inside       string // "docker", "podman", "kubernetes", "wsl2", "container" or ""
	systemd      bool
	settings     map[string]string // sysctls by name; absent ones are not there
	lsm          string            // the active security modules, comma-separated, or ""
	cgroup1      bool              // control groups of version 1 hold the controllers
	split        bool              // but not all of them
	parent       string            // the group that was named to make boxes below, or ""
	chroot       bool              // the root folder is not that of the mount namespace
	filtered     bool              // a system-call filter holds this process
	noProc       bool              // no proc is mounted on /proc
	powerless    bool              // user namespaces can be made, and bring no capabilities
	profile      string            // the AppArmor profile that one is under, or ""
	ungranting   bool              // root can't copy and seal trees for its boxes
	fewIDs       bool              // no boxes have uids of their own here, also root's
}

// sysctls are the settings that are known to stand in a box's way.
var sysctls = [...]string{
	"kernel.unprivileged_userns_clone", "kernel.apparmor_restrict_unprivileged_userns", "user.max_user_namespaces",
	"user.max_mnt_namespaces", "user.max_pid_namespaces", "user.max_net_namespaces", "user.max_ipc_namespaces",
	"user.max_uts_namespaces", "user.max_cgroup_namespaces", "vm.memfd_noexec",
}

func readFacts() facts {
	f := facts{uid: os.Geteuid(), arch: runtime.GOARCH, settings: map[string]string{}}
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		f.kernel = unix.ByteSliceToString(u.Release[:])
	}
	for _, name := range sysctls {
		if text, err := os.ReadFile("/proc/sys/" + strings.ReplaceAll(name, ".", "/")); err == nil {
			f.settings[name] = strings.TrimSpace(string(text))
		}
	}
	if text, err := os.ReadFile("/sys/kernel/security/lsm"); err == nil {
		f.lsm = strings.TrimSpace(string(text))
	}
	if text, err := os.ReadFile("/proc/self/cgroup"); err == nil {
		f.cgroup1, f.split = versionOne(string(text))
	}
	f.chroot = inChroot()
	if line, err := statusLines("Seccomp"); err == nil {
		f.filtered = line == "Seccomp 2"
	}
	f.noProc = !exists("/proc/self/status")
	if text, err := os.ReadFile("/proc/self/uid_map"); err == nil {
		f.fewIDs = fewIDs(string(text))
	}
	f.systemd = exists("/run/systemd/system")
	f.inside = surroundings(f.kernel)
	return f
}

// versionOne says whether hierarchies of version 1 hold any of the controllers that
// a box needs, by /proc/self/cgroup, and whether they do not hold them all.
func versionOne(memberships string) (any, split bool) {
	held := map[string]bool{}
	for line := range strings.Lines(memberships) {
		if fields := strings.SplitN(line, ":", 3); len(fields) == 3 {
			for _, c := range strings.Split(fields[1], ",") {
				held[c] = true
			}
		}
	}
	all := true
	for _, c := range []string{"pids", "memory", "cpu", "cpuacct"} {
		any, all = any || held[c], all && held[c]
	}
	return any, any && !all
}

// fewIDs says whether a user namespace has too few ids for its root's boxes to have
// some of their own: they are then treated as an ordinary caller's, or refused.
func fewIDs(uidMap string) bool {
	const enough = 8388608 // see leastIDs in package jail
	for line := range strings.Lines(uidMap) {
		if fields := strings.Fields(line); len(fields) == 3 {
			if n, err := strconv.Atoi(fields[2]); err == nil && n > enough {
				return false
			}
		}
	}
	return true
}

// surroundings guesses what this host runs in, by the marks that the usual
// engines leave.
func surroundings(kernel string) string {
	switch {
	case os.Getenv("KUBERNETES_SERVICE_HOST") != "":
		return "kubernetes"
	case exists("/.dockerenv"):
		return "docker"
	case exists("/run/.containerenv"):
		return "podman"
	case os.Getenv("container") != "":
		return "container"
	case strings.Contains(strings.ToLower(kernel), "microsoft"):
		return "wsl2"
	}
	return ""
}

// inChroot says whether this process was confined by chroot(2). A folder that
// is no mount point is then its root: none of the mounts that it sees has "/"
// as its place. Where it is a mount point, PID 1 in the same mount namespace
// shows the difference, to those who may look.
func inChroot() bool {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return false
	}
	whole := false
	for line := range strings.Lines(string(mounts)) {
		if fields := strings.Fields(line); len(fields) > 4 && fields[4] == "/" {
			whole = true
		}
	}
	return !whole || same("/proc/1/ns/mnt", "/proc/self/ns/mnt") == Yes && same("/proc/1/root", "/") == No
}

// same says whether two paths lead to the same file.
func same(a, b string) Answer {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	switch {
	case errA != nil || errB != nil:
		return Unknown
	case os.SameFile(x, y):
		return Yes
	}
	return No
}

// isZero says whether a sysctl exists and is 0.
func (f facts) isZero(name string) bool {
	n, err := strconv.Atoi(f.settings[name])
	return err == nil && n == 0
}

// inContainer says whether a container engine decides what is allowed here.
func (f facts) inContainer() bool { return f.inside != "" && f.inside != "wsl2" }

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
