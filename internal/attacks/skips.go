package attacks

import (
	"errors"

	"golang.org/x/sys/unix"
)

// A Reason is why a row is not carried out for somebody. These are all; in CI only
// those that are inherent are taken.
type Reason string

const (
	NotRoot  Reason = "it was not started by root, so root cannot be the caller, and nobody else can set it up"
	noGroup  Reason = "an ordinary user is given no control group on this host, and the cap is the group's"
	noGroups Reason = "not even root is given a control group on this host, and the cap is the group's"
	noRules  Reason = "this kernel has no Landlock, and no other wall stops it"
	rootsOwn Reason = "only root can do this outside of a box, so there is no control for a user"
	noCores  Reason = "this host writes no core files into the working directory (kernel.core_pattern, ulimit -c)"
	// keptGroups is a hole that is known and cannot be shut: what a group of
	// the caller's may read in a granted tree, the box may read.
	keptGroups Reason = "KNOWN: the kernel lets no ordinary user give supplementary groups up (user_namespaces(7), setgroups), so a box of a user's keeps them for what is granted to it"
	notLoaded  Reason = "the kernel has not loaded what is attacked, and trying would load it"
	noTurn     Reason = "this process has the last nice value itself, behind which nobody can be moved"
	exposes    Reason = "on a machine in use: a box of root's of tier 2 would need the program where others may run it"
	// NoTier2 is a refusal as a whole, which package jail's tests look at.
	NoTier2    Reason = "without Landlock there is no box of tier 2"
	gainless   Reason = "this process has no_new_privs, with which no program gives it capabilities, without a box either"
	noHardware Reason = "this kernel or machine does not have what is attacked"
)

// inherent are the reasons that lie in the kernel or in who one is.
var inherent = map[Reason]bool{noGroup: true, rootsOwn: true, noCores: true, keptGroups: true, noTurn: true, notLoaded: true, exposes: true, noHardware: true, gainless: true, NoTier2: true}

// Inherent says whether the reason lies in the kernel or in who one is, and not in
// how a test was started.
func (why Reason) Inherent() bool { return inherent[why] }

// needsKeys is the skip of rows on what the caller has in its key ring. In a
// container the engine's filter keeps everybody from having one.
func needsKeys(Role) Reason {
	_, err := unix.KeyctlInt(unix.KEYCTL_GET_KEYRING_ID, unix.KEY_SPEC_SESSION_KEYRING, 0, 0, 0)
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
		return noHardware
	}
	return ""
}

// needsGroup is the skip of rows on the caps of a control group.
func needsGroup(who Role) Reason {
	switch {
	case who.Group:
		return ""
	case who.Root:
		return noGroups
	}
	return noGroup
}

// forRoot is the skip of rows for which only root is a caller.
func forRoot(why Reason) func(Role) Reason {
	return func(who Role) Reason {
		if who.Root {
			return ""
		}
		return why
	}
}

// ifKnown leaves r out where the kernel does not know what is attacked: it says so
// when it is tried.
func ifKnown(try func() error, r Row) Row {
	r.skip = func(Role) Reason {
		if err := try(); errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) {
			return noHardware
		}
		return ""
	}
	return r
}
