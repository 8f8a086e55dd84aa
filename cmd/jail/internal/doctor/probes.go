package doctor

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The probes run in a child. Each returns its evidence, or the error of the
// step that failed.

func step(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// probeUserNamespace uses a capability that the namespace should bring with
// it: some distributions let the namespace be made and then deny every
// capability in it (Ubuntu's apparmor_restrict_unprivileged_userns).
func probeUserNamespace() (string, error) {
	attr := unix.MountAttr{Propagation: unix.MS_PRIVATE}
	err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &attr)
	if err == unix.ENOSYS {
		err = unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, "")
	}
	if err == unix.EPERM || err == unix.EACCES {
		return "", step("the namespace was made, but without capabilities: making / private in it", err)
	}
	if err != nil {
		return "", step("making / private in a new user and mount namespace", err)
	}
	m, err := os.ReadFile("/proc/self/uid_map")
	if err != nil {
		return "", err
	}
	return "uid map " + strings.Join(strings.Fields(string(m)), " ") + ", mounts may be changed", nil
}

// probeIdentity says which user the child is.
func probeIdentity() (string, error) {
	return fmt.Sprintf("started with uid %d there", os.Getuid()), nil
}

// probeRoot makes a tmpfs and a sealed, detached copy of /usr, by the calls of
// the new mount API that a box is made with (kernel 5.14 has the last one).
func probeRoot() (string, error) {
	if _, err := probeUserNamespace(); err != nil {
		return "", err
	}
	fs, err := unix.Fsopen("tmpfs", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return "", step("fsopen tmpfs", err)
	}
	if err := unix.FsconfigSetString(fs, "size", "1m"); err != nil {
		return "", step("fsconfig tmpfs size", err)
	}
	if err := unix.FsconfigCreate(fs); err != nil {
		return "", step("fsconfig create tmpfs", err)
	}
	mnt, err := unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
	if err != nil {
		return "", step("fsmount tmpfs", err)
	}
	if err := unix.MoveMount(mnt, "", unix.AT_FDCWD, "/", unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return "", step("move_mount tmpfs", err)
	}
	tree, err := unix.OpenTree(unix.AT_FDCWD, "/usr", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return "", step("open_tree /usr", err)
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV}
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		return "", step("mount_setattr /usr", err)
	}
	return "tmpfs mounted, /usr copied as a detached, sealed mount", nil
}

// probeProc mounts proc as a box does. The kernel refuses that where the proc
// that is already there is partly covered, as container engines do.
func probeProc() (string, error) {
	fs, err := unix.Fsopen("proc", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return "", step("fsopen proc", err)
	}
	for _, o := range [...][2]string{{"subset", "pid"}, {"hidepid", "invisible"}} {
		if err := unix.FsconfigSetString(fs, o[0], o[1]); err != nil {
			return "", step("fsconfig proc "+o[0]+"="+o[1], err)
		}
	}
	if err := unix.FsconfigCreate(fs); err != nil {
		return "", step("fsconfig create proc", err)
	}
	if _, err := unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC); err != nil {
		return "", step("fsmount proc", err)
	}
	return "proc mounted with subset=pid, hidepid=invisible", nil
}

// probeLoopback brings lo up, see netdevice(7).
func probeLoopback() (string, error) {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return "", step("socket", err)
	}
	ifr, err := unix.NewIfreq("lo")
	if err != nil {
		return "", err
	}
	ifr.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, ifr); err != nil {
		return "", step("bringing lo up", err)
	}
	return "lo is up in a new network namespace", nil
}

// probeCapabilities empties the bounding set and locks it, on this thread.
func probeCapabilities() (string, error) {
	for c := uintptr(0); c <= 63; c++ {
		if unix.Prctl(unix.PR_CAPBSET_READ, c, 0, 0, 0) != nil {
			break
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil {
			return "", step(fmt.Sprintf("dropping capability %d from the bounding set", c), err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return "", step("no_new_privs", err)
	}
	return statusLines("CapBnd", "NoNewPrivs")
}

// probeLandlock forbids itself to read files, and tries.
func probeLandlock() (string, error) {
	abi := LandlockABI()
	attr := unix.LandlockRulesetAttr{Handled_access_fs: unix.LANDLOCK_ACCESS_FS_READ_FILE}
	// The first version of the structure holds Handled_access_fs alone.
	fd, _, errno := syscall.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), 8, 0)
	if errno != 0 {
		return "", step("landlock_create_ruleset", errno)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return "", step("no_new_privs", err)
	}
	if _, _, errno := syscall.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return "", step("landlock_restrict_self", errno)
	}
	f, err := unix.Open("/proc/self/status", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err == nil {
		unix.Close(f)
		return "", fmt.Errorf("a file that a ruleset forbids could be read (ABI %d)", abi)
	}
	if err != unix.EACCES {
		return "", step("opening a forbidden file", err)
	}
	return fmt.Sprintf("abi %d, a file that a ruleset forbids is refused with EACCES", abi), nil
}

// statusLines are lines of /proc/thread-self/status.
func statusLines(keys ...string) (string, error) {
	text, err := os.ReadFile("/proc/thread-self/status")
	if err != nil {
		return "", err
	}
	var found []string
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, ":")
		for _, k := range keys {
			if key == k {
				found = append(found, k+" "+strings.TrimSpace(value))
			}
		}
	}
	return strings.Join(found, ", "), nil
}
