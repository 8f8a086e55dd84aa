package jail

import (
	"errors"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/hostmounts"
)

// What stands around jail itself is asked only when something was refused, to
// tell the causes of one errno apart.

// remedyNested is for whom the filter of a box holds: no setting helps there.
const remedyNested = "a filter holds jail itself, that of another box: boxes do not nest; start jail outside of it"

// filtered says whether a system-call filter holds jail (prctl(2),
// PR_GET_SECCOMP).
func filtered() bool {
	const filterMode = 2
	mode, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0)
	return err == nil && mode == filterMode
}

// inBox says whether jail runs in a box. The proc of one of tier 1 shows
// processes alone; in one of tier 2 Landlock covers the list of mounts, which
// every process can otherwise read about itself.
func inBox() bool {
	if !filtered() {
		return false
	}
	mounts, err := hostmounts.Read()
	if err != nil {
		return errors.Is(err, unix.EACCES)
	}
	return slices.ContainsFunc(mounts, func(m hostmounts.Mount) bool { return m.Kind == "proc" && strings.Contains(m.Super, "subset=pid") })
}

// outOfFiles is a refusal with the remedy that is due where there are no descriptors
// left, whatever it was that took one more.
func outOfFiles(err error) error {
	var e *SetupError
	switch {
	case !errors.As(err, &e):
	case errors.Is(e.Err, unix.EMFILE):
		e.Remedy = "allow jail more open files (ulimit -n)"
	case errors.Is(e.Err, unix.ENFILE):
		e.Remedy = "let the host have more open files (sysctl fs.file-max)"
	}
	return err
}

// seenFromInside is a refusal with the remedy that is due where jail runs in a
// box: whatever it was that failed first, no box can be made there.
func seenFromInside(err error) error {
	var e *SetupError
	if errors.As(err, &e) && refusalReason(e) == ReasonSetupRefused && inBox() {
		e.Remedy = remedyNested
	}
	return err
}

// A capability that root needs for its boxes.
type capability struct {
	number uint
	name   string
}

// missing are the names of those that jail does not have, such as "CAP_SETUID
// and CAP_SETGID", or "".
func missing(wanted ...capability) string {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if unix.Capget(&header, &data[0]) != nil {
		return ""
	}
	wanted = slices.DeleteFunc(slices.Clone(wanted), func(c capability) bool { return data[c.number/32].Effective&(1<<(c.number%32)) != 0 })
	var names []string
	for _, c := range wanted {
		names = append(names, c.name)
	}
	return strings.Join(names, " and ")
}

// rootNeeds ends a refusal of root's: what is missing, and the ways out. Root's
// boxes run as a user whom nobody else is, so these capabilities can't be done
// without: as an ordinary caller's, such a box would run as host root.
func rootNeeds(names string) string {
	text := "root makes its boxes with " + names + ", which it does not have here: give it to it (in a container, capabilities to add), " +
		"or start jail as an ordinary user, whose boxes need no capability of their caller's"
	if missing(capability{unix.CAP_SETUID, "CAP_SETUID"}, capability{unix.CAP_SETGID, "CAP_SETGID"}, capability{unix.CAP_SETPCAP, "CAP_SETPCAP"}, capability{unix.CAP_CHOWN, "CAP_CHOWN"}) != "" {
		return text // root's boxes of tier 2 need these, see probeInPlace
	}
	return text + orTier2
}

// forbidden is the remedy for system calls that something around jail refuses.
func forbidden(calls string) string {
	if filtered() {
		return "a system-call filter holds jail (Seccomp: 2 in /proc/self/status), and forbids " + calls +
			": allow it there (in a container, by another seccomp profile), or start jail outside"
	}
	return "a security module forbids " + calls + ": look for the refusal in the kernel's log (dmesg, ausearch)"
}
