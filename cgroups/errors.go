package cgroups

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// An Error is a step on a control group that failed. errors.Is reaches the
// kernel's errno, or errors.ErrUnsupported where the host lacks something.
type Error struct {
	Op      string // "find", "mkdir", "open", "lock", "write", "read", "kill", "rmdir"
	Path    string // the file or folder it was applied to
	Value   string // what was to be written, or ""
	Missing string // what the host lacks, such as "controller memory" or "write permission", or ""
	Err     error
	Remedy  string // what to do about it, in one sentence, or ""
	// Version is whose groups [Find] looked among: those that hold this host's
	// controllers. It is 0 where that is not known, and of other steps.
	Version Version
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("cgroups: " + e.Op)
	if e.Path != "" {
		b.WriteString(" " + e.Path)
	}
	if e.Value != "" {
		fmt.Fprintf(&b, ": value %q", e.Value)
	}
	if e.Missing != "" {
		b.WriteString(": missing " + e.Missing)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// What to do about what is missing.
const (
	remedyProc          = "mount /proc (proc) where jail runs"
	remedyMount         = "mount the control groups: mount -t cgroup2 none /sys/fs/cgroup; in a container, make /sys/fs/cgroup visible in it"
	remedyController    = remedySwitchedOff + ", or " + remedyNotHandedDown
	remedySwitchedOff   = "the kernel is built without it, or has it switched off (cgroup_disable= on its command line)"
	remedyNotHandedDown = "the group above does not hand it down: " +
		"add it to cgroup.subtree_control there (systemd: Delegate=cpu memory pids in the unit); " +
		"for the topmost group, version 1 has it: " + remedyPureV2
	remedyPureV2 = "boot with all controllers in version 2 (systemd.unified_cgroup_hierarchy=1 on the kernel's command line; " +
		"without systemd cgroup_no_v1=all, and cgroup2 mounted on /sys/fs/cgroup)"
	remedySplit  = "this host's controllers are split over both versions, and no box can be limited by both: " + remedyPureV2
	remedyHalfV1 = remedySwitchedOff + ", or has it in version 2 alone: " + remedyPureV2
	remedyWrite  = "run as root, or have root make a group of yours for --cgroup-parent (`jail doctor --fix-hints` has the commands); " +
		"in a container, mount /sys/fs/cgroup writable"
	remedyReadOnly = "the control groups are mounted read-only here: have them mounted writable (mount -o remount,rw on /sys/fs/cgroup, or on each hierarchy of version 1 below it; " +
		"in a container that is its engine's to do)"
	remedyInternal = "its processes sit in the group itself, and the kernel then allows no limits below it: " +
		"start jail in a group of its own (systemd-run --scope -p Delegate=yes, with --user for an ordinary user), " +
		"or name an empty, delegated group with --cgroup-parent"
	remedyUserManager = "let the user's systemd have it, as root, and log in again (systemd before 252 does not hand cpu down by itself): " +
		`mkdir -p /etc/systemd/system/user@.service.d && printf '[Service]\nDelegate=cpu io memory pids\n' ` +
		"> /etc/systemd/system/user@.service.d/jail.conf && systemctl daemon-reload"
	remedyEnter = "a process may enter a group only if it may write to cgroup.procs of the closest group above both: " +
		"start jail from a shell that root moved below the named group (`jail doctor --fix-hints`, with the same --cgroup-parent, has the command)"
	remedyParent = "create the group first, and name it relative to the mount: --cgroup-parent jail is /sys/fs/cgroup/jail, " +
		"on version 1 /sys/fs/cgroup/pids/jail, and the same in the hierarchies memory, cpu and cpuacct"
	remedySwap = "switch swap accounting on (swapaccount=1 on the kernel's command line) or swap off (swapoff -a)"
	remedyCPUs = "the group above may use fewer processors than asked: ask for fewer with --cpus"
)

// remedyOfWrite is what to do about err, for which something could not be written to.
func remedyOfWrite(err error) string {
	if errors.Is(err, unix.EROFS) { // which root is refused as well
		return remedyReadOnly
	}
	return remedyWrite
}

// lacks says that err means missing permission, on whatever the reason.
func lacksPermission(err error) bool {
	return errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) || errors.Is(err, unix.EROFS)
}

// gone says that err means that the group was removed: its files are not found
// (ENOENT), or were opened before and now answer ENODEV.
func gone(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENODEV)
}

// retry calls f until it is not interrupted. The Go runtime sends signals to
// its own threads, and some of these files (memory.limit_in_bytes) answer a
// pending one with a plain EINTR, which SA_RESTART does not cover.
func retry(f func() error) error {
	for {
		if err := f(); err != syscall.EINTR {
			return err
		}
	}
}
