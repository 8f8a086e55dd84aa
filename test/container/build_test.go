package container

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/seed-75010da9/jail/seccomp"
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

// refused are calls that the default filter of engines does not carry out for a
// container without CAP_SYS_ADMIN, as far as jail or a box could want any.
var refused = []string{
	"unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "fsopen", "fsconfig", "fsmount", "fspick", "open_tree", "move_mount",
	"mount_setattr", "keyctl", "add_key", "request_key", "bpf", "perf_event_open", "userfaultfd", "kexec_load", "init_module",
	"finit_module", "delete_module", "swapon", "swapoff", "reboot", "sethostname", "setdomainname", "quotactl", "acct", "open_by_handle_at",
	"syslog", "io_uring_setup", "io_uring_enter", "io_uring_register",
}

// loadFilter attaches the container's filter, while there is the capability to do
// so without no_new_privs, which a container does not have.
func loadFilter() error {
	const (
		load  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		give  = unix.BPF_RET | unix.BPF_K
	)
	var program seccomp.Program
	for _, i := range []unix.SockFilter{
		{Code: load, K: 0},
		{Code: equal, Jf: 1, K: unix.SYS_CLONE3},
		{Code: give, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)}, // its flags can't be seen
		{Code: give, K: unix.SECCOMP_RET_ALLOW},
	} {
		program = binary.LittleEndian.AppendUint16(program, i.Code)
		program = append(program, i.Jt, i.Jf)
		program = binary.LittleEndian.AppendUint32(program, i.K)
	}
	var rules []seccomp.Rule
	for _, name := range refused {
		rules = append(rules, seccomp.Rule{Syscall: name})
	}
	for _, flag := range []uint32{unix.CLONE_NEWNS, unix.CLONE_NEWCGROUP, unix.CLONE_NEWUTS, unix.CLONE_NEWIPC, unix.CLONE_NEWUSER, unix.CLONE_NEWPID, unix.CLONE_NEWNET} {
		rules = append(rules, seccomp.Rule{Syscall: "clone", Args: []seccomp.Arg{{Index: 0, Mask: flag, Value: flag}}})
	}
	program, err := program.Prepend(rules)
	if err != nil {
		return err
	}
	filters := make([]unix.SockFilter, program.Len())
	if _, err := binary.Decode(program, binary.LittleEndian, filters); err != nil {
		return err
	}
	fprog := unix.SockFprog{Len: uint16(len(filters)), Filter: &filters[0]}
	const setModeFilter = 1
	if _, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, setModeFilter, 0, pointer(&fprog)); errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return nil
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
