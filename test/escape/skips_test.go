package escape

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// A reason is why a row is not carried out for somebody. These are all; with
// CI=true only those marked so are taken.
type reason string

const (
	notRoot  reason = "this test was not started by root, so root cannot be the caller"
	noGroup  reason = "an ordinary user is given no control group on this host, and the cap is the group's"
	noGroups reason = "not even root is given a control group on this host, and the cap is the group's"
	noRules  reason = "this kernel has no Landlock, and no other wall stops it"
	rootsOwn reason = "only root can do this outside of a box, so there is no control for a user"
	noCores  reason = "this host writes no core files into the working directory (kernel.core_pattern, ulimit -c)"
	// keptGroups is a hole that is known and cannot be shut: what a group of
	// the caller's may read in a granted tree, the box may read.
	keptGroups reason = "KNOWN: the kernel lets no ordinary user give supplementary groups up (user_namespaces(7), setgroups), so a box of a user's keeps them for what is granted to it"
	userQuota  reason = "a box of an ordinary user's keeps its session key ring: the kernel lets a user have 200 keys, which many boxes would use up"
	// noTier2 is a refusal as a whole, which package jail's tests look at.
	noTier2    reason = "without Landlock there is no box of tier 2"
	noHardware reason = "this kernel or machine does not have what is attacked"
)

// inherent are the reasons that lie in the kernel or in who one is.
var inherent = map[reason]bool{noGroup: true, rootsOwn: true, noCores: true, userQuota: true, keptGroups: true, noHardware: true, noTier2: true}

func skip(t *testing.T, why reason) {
	t.Helper()
	if os.Getenv("CI") == "true" && !inherent[why] {
		t.Fatal("cannot be carried out, and CI=true: ", why)
	}
	t.Skip(string(why))
}

// needsKeys is the skip of rows on what the caller has in its key ring. In a
// container the engine's filter keeps everybody from having one.
func needsKeys(role) reason {
	_, err := unix.KeyctlInt(unix.KEYCTL_GET_KEYRING_ID, unix.KEY_SPEC_SESSION_KEYRING, 0, 0, 0)
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
		return noHardware
	}
	return ""
}

// needsGroup is the skip of rows on the caps of a control group.
func needsGroup(who role) reason {
	switch {
	case who.group:
		return ""
	case who.root:
		return noGroups
	}
	return noGroup
}

// forRoot is the skip of rows for which only root is a caller.
func forRoot(why reason) func(role) reason {
	return func(who role) reason {
		if who.root {
			return ""
		}
		return why
	}
}

// ifKnown leaves r out where the kernel does not know what is attacked: it said
// so when it was tried.
func ifKnown(tried error, r row) row {
	if errors.Is(tried, unix.ENOSYS) || errors.Is(tried, unix.EINVAL) {
		r.skip = func(role) reason { return noHardware }
	}
	return r
}
