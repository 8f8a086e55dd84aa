package jail

import (
	"errors"
	"strings"

	"golang.org/x/sys/unix"
)

// remedy says what to do about a step that failed inside the box, where that
// is known.
func remedy(e *SetupError, p *Plan) string {
	denied := errors.Is(e.Err, unix.EPERM) || errors.Is(e.Err, unix.EACCES)
	switch {
	case e.Operation == "execve" && errors.Is(e.Err, unix.ENOENT) && strings.Contains(e.Operand, " "):
		return "no program has this name: give the program and its arguments as words of their own, without quotes around all of them"
	case e.Operation == "execve" && errors.Is(e.Err, unix.ENOENT):
		return "the program, or the loader or interpreter that it names, is not in the box: grant it with --ro, or see what is there with jail explain"
	case e.Operation == "execve" && denied:
		return "the program is not executable for the box's user, or lies where nothing may be executed"
	case e.Operation == "execve" && errors.Is(e.Err, unix.ENOEXEC):
		return "the file is no program of this architecture and has no #! line"
	case e.Stage == StageMounts && errors.Is(e.Err, unix.ENOSYS):
		return "run Linux 5.14 or newer"
	case e.Operand == "/proc" && denied:
		return "the kernel mounts a new proc only where the caller's own is fully visible: in a container, use --security-opt systempaths=unconfined (Docker) or procMount: Unmasked (Kubernetes)" + orTier2
	case p.spec.inPlace() && e.Stage == StageLandlock && denied:
		return "the box's user can't reach it: let everybody pass the folders above it"
	case (e.Stage == StageMounts || e.Stage == StageIdentity) && denied:
		return "the new user namespace has no capabilities: on Ubuntu 24.04 and later set sysctl kernel.apparmor_restrict_unprivileged_userns=0, or install jail's AppArmor profile" + orTier2
	case e.Stage == StageSession && (e.Operation == "openat2" || e.Operation == "chdir") && denied:
		return "the working directory may not be entered by the box's user: look at its mode on the host"
	case e.Stage == StageSession && (e.Operation == "openat2" || e.Operation == "chdir"):
		return "the working directory is not in the box: grant it, or name another with --cwd"
	case e.Operation == "openat2" || e.Operation == "move_mount" && errors.Is(e.Err, unix.ENOENT):
		return "the mount point changed while the box was made: grant folders that nobody else changes"
	}
	return ""
}
