package container

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// containerMain is the first process of a container: it builds the rest of it
// around itself and becomes args, as uid. Filter, bounding set and ids belong to a
// thread, the one that executes args in the end.
func containerMain(uid, caps, filter string, args []string) error {
	runtime.LockOSThread()
	id, err := strconv.Atoi(uid)
	if err != nil {
		return err
	}
	if err := mounts(); err != nil {
		return err
	}
	if filter != unfiltered {
		if err := loadFilter(); err != nil {
			return err
		}
	}
	if err := dropBounding(caps); err != nil {
		return err
	}
	for _, c := range [...][4]uintptr{{unix.SYS_SETGROUPS}, {unix.SYS_SETRESGID, uintptr(id), uintptr(id), uintptr(id)}, {unix.SYS_SETRESUID, uintptr(id), uintptr(id), uintptr(id)}} {
		if _, _, errno := unix.RawSyscall(c[0], c[1], c[2], c[3]); errno != 0 {
			return fmt.Errorf("system call %d: %w", c[0], errno)
		}
	}
	return syscall.Exec(args[0], args, os.Environ())
}

// unfiltered is a container without a filter, as pods of Kubernetes are by default
// (seccompProfile: Unconfined).
const unfiltered = "unfiltered"

// mounts makes /proc, /tmp and the control groups what they are in a container.
func mounts() error {
	type mount struct {
		source, target, kind string
		flags                uintptr
	}
	list := []mount{
		{"", "/", "", unix.MS_REC | unix.MS_PRIVATE},
		{"proc", "/proc", "proc", unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC},
		{"tmpfs", "/tmp", "tmpfs", unix.MS_NOSUID | unix.MS_NODEV},
	}
	for _, dir := range []string{"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"} {
		list = append(list, mount{dir, dir, "", unix.MS_BIND | unix.MS_REC}, mount{"", dir, "", unix.MS_BIND | unix.MS_REMOUNT | unix.MS_RDONLY})
	}
	for _, file := range []string{"/proc/kcore", "/proc/keys", "/proc/timer_list"} {
		list = append(list, mount{"/dev/null", file, "", unix.MS_BIND})
	}
	for _, dir := range []string{"/proc/acpi", "/proc/scsi", "/sys/firmware"} {
		list = append(list, mount{"tmpfs", dir, "tmpfs", unix.MS_RDONLY})
	}
	info, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(info)) {
		fields, rest, _ := strings.Cut(line, " - ")
		if at := strings.Fields(fields)[4]; strings.HasPrefix(rest, "cgroup") || at == "/sys/fs/cgroup" {
			list = append(list, mount{"", at, "", unix.MS_BIND | unix.MS_REMOUNT | unix.MS_RDONLY})
		}
	}
	for _, m := range list {
		err := unix.Mount(m.source, m.target, m.kind, m.flags, "")
		if _, missing := os.Lstat(m.target); err != nil && missing == nil {
			return fmt.Errorf("mount %s: %w", m.target, err)
		}
	}
	return os.Chmod("/tmp", 0o1777)
}

// engineCaps are what engines leave to a container's root.
const engineCaps = 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FSETID | 1<<unix.CAP_FOWNER | 1<<unix.CAP_MKNOD |
	1<<unix.CAP_NET_RAW | 1<<unix.CAP_SETGID | 1<<unix.CAP_SETUID | 1<<unix.CAP_SETFCAP | 1<<unix.CAP_SETPCAP |
	1<<unix.CAP_NET_BIND_SERVICE | 1<<unix.CAP_SYS_CHROOT | 1<<unix.CAP_KILL | 1<<unix.CAP_AUDIT_WRITE

// dropBounding leaves those capabilities, or none, to whom the container's first
// process becomes.
func dropBounding(caps string) error {
	keep := uint64(engineCaps)
	if caps == "none" {
		keep = 0
	}
	for c := uintptr(0); unix.Prctl(unix.PR_CAPBSET_READ, c, 0, 0, 0) == nil; c++ {
		if keep&(1<<c) != 0 {
			continue
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil {
			return fmt.Errorf("capability %d: %w", c, err)
		}
	}
	return nil
}
