package jail

import (
	"errors"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/internal/shellword"
)

// mountCalls are those by which a box's tree is made.
var mountCalls = []string{"open_tree", "move_mount", "fsopen", "fsconfig", "fsmount", "mount_setattr", "pivot_root", "umount2"}

// remedy says what to do about a step that failed inside the box, where that
// is known.
func remedy(e *SetupError, p *Plan) string {
	denied := errors.Is(e.Err, unix.EPERM) || errors.Is(e.Err, unix.EACCES)
	lookup := e.Operation == "openat" || e.Operation == "openat2" || e.Operation == "chdir"
	switch {
	case e.Operation == "execve":
		return execRemedy(e.Operand, e.Err)
	case e.Operation == "clone" && errors.Is(e.Err, unix.EAGAIN):
		return moreProcesses
	case e.Operand == "/proc" && denied && e.Stage == StageMounts:
		return "the kernel mounts a new proc only where the caller's own is fully visible: in a container, use --security-opt systempaths=unconfined (Docker) or procMount: Unmasked (Kubernetes)" + orTier2
	case slices.ContainsFunc([]error{unix.EMFILE, unix.ENFILE, unix.EBADF}, func(err error) bool { return errors.Is(e.Err, err) }):
		// EBADF: the kernel drops what is handed in and has no number (unix(7), MSG_CTRUNC).
		return "allow jail more open files (ulimit -n)"
	case slices.Contains(mountCalls, e.Operation), e.Stage == StageMounts && denied && !lookup:
		return mountRemedy(e.Operation, e.Operand, e.Err)
	case errors.Is(e.Err, unix.ENOSYS), errors.Is(e.Err, unix.EPERM) && lookup:
		return forbidden(e.Operation)
	case p.spec.inPlace() && e.Stage == StageLandlock && denied && lookup:
		return unreachable(e.Operand)
	case e.Stage == StageIdentity && denied && !p.spec.inPlace():
		return powerless(e.Operation)
	case e.Stage == StageSession && lookup && denied:
		return "the working directory may not be entered by the box's user: look at its mode on the host"
	case e.Stage == StageSession && lookup:
		return "the working directory is not in the box: grant it, or name another with --cwd"
	case e.Operation == "openat2":
		return remedyChanged
	case denied && e.Stage != StageCgroup: // where it is about the group, and not the call
		return forbidden(e.Operation)
	}
	return ""
}

// execRemedy is for a program that can't be started.
func execRemedy(operand string, err error) string {
	switch {
	case errors.Is(err, unix.ENOENT) && strings.Contains(operand, " "):
		return "no program has this name: give the program and its arguments as words of their own, without quotes around all of them"
	case errors.Is(err, unix.ENOENT):
		return "the program, or the loader or interpreter that it names, is not in the box: grant it with --ro, or see what is there with jail explain"
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		return "the program is not executable for the box's user, or lies where nothing may be executed"
	case errors.Is(err, unix.E2BIG):
		return "pass fewer arguments and variables, or what is in them in a file or on stdin"
	case errors.Is(err, unix.ENOEXEC):
		return "the file is no program of this architecture and has no #! line"
	}
	return ""
}

// unreachable is for what the caller, who is root, may reach and the box's user may not. A
// home that everybody may pass is nothing to recommend.
func unreachable(p string) string {
	const text = "the box's user can't reach it: "
	if p == "/root" || pathname.Below(p, "/root") {
		return text + "have what it needs from outside of /root, as an interpreter that lies elsewhere and first in PATH, or leave --tier 2 out"
	}
	return text + "let everybody pass the folders above it, or leave --tier 2 out"
}

const remedyChanged = "it changed while the box was made: grant files and folders that nobody else changes"

// remedyAppArmor is where AppArmor lets programs without a profile use no user
// namespaces: the profile that lets jail alone comes before the setting for all.
const remedyAppArmor = "give jail its AppArmor profile, as root (install -m 644 dist/apparmor/jail /etc/apparmor.d/jail && apparmor_parser -r /etc/apparmor.d/jail; " +
	"`jail doctor --fix-hints` has it as a command where it is missing), or, for all programs, set sysctl kernel.apparmor_restrict_unprivileged_userns=0"

// powerless is for the first call that needs a capability of the new user
// namespace.
func powerless(call string) string {
	text := "the new user namespace has no capabilities: on Ubuntu 23.10 and later " + remedyAppArmor
	if filtered() {
		text += "; or " + forbidden(call)
	}
	return text + orTier2
}

// mountRemedy tells apart why a call of the mount API failed. In the box it
// comes after others that need the same capability, so that is there; for what
// root itself does outside see [run.openGrant].
func mountRemedy(call, operand string, err error) string {
	switch {
	case errors.Is(err, unix.ENOSYS) && filtered():
		return "run Linux 5.14 or newer; where this is, " + forbidden(strings.Join(mountCalls, ", ")) + orTier2
	case errors.Is(err, unix.ENOSYS):
		return "run Linux 5.14 or newer"
	case errors.Is(err, unix.ENOSPC) && call == "move_mount":
		return "let a mount namespace hold more mounts: sysctl fs.mount-max"
	case errors.Is(err, unix.ENOSPC):
		return "let there be more mount namespaces, of which each tree that is mounted nowhere takes one: sysctl user.max_mnt_namespaces, here and in the user namespaces around"
	case errors.Is(err, unix.EPERM) && filtered():
		return forbidden(strings.Join(mountCalls, ", ")) + orTier2
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		return forbidden(call+" of "+shellword.Quote(operand)) + orTier2
	case slices.ContainsFunc([]error{unix.ENOENT, unix.ENOTDIR, unix.ELOOP, unix.ESTALE, unix.EXDEV}, func(e error) bool { return errors.Is(err, e) }):
		return remedyChanged
	}
	return ""
}
