package doctor

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// stubProfile is the AppArmor profile that an unprivileged program without one
// of its own falls under when it makes a user namespace, where that is restricted
// (Ubuntu 24.04 and later): it may do what it could before, without any
// capability.
const stubProfile = "unprivileged_userns"

// appArmorProfile is the profile that this process is under, or "".
func appArmorProfile() string {
	text, err := os.ReadFile("/proc/self/attr/apparmor/current")
	if err != nil {
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimSpace(string(text)), " ") // what follows is the mode
	return name
}

// learn keeps what the outcome of a trial says about the others. A namespace
// that is made and in which nothing may be mounted is a restriction that no
// setting tells for certain: a profile may lift it, or a container's filter
// cause it.
func (f *facts) learn(trial string, o outcome) {
	switch trial {
	case "user_namespace":
		f.powerless = o.answer == No && o.made && (o.errno == unix.EPERM || o.errno == unix.EACCES)
		f.profile = o.profile
	case "granting":
		f.ungranting = o.answer == No
	}
}

// appArmorRestricts says that it is AppArmor that keeps user namespaces from
// an ordinary user here. The stub's name tells it for certain. The setting
// alone does where it is this host's own: in a container it is seen too, and
// the engine's filter is the likelier cause.
func (f facts) appArmorRestricts() bool {
	if f.uid == 0 {
		return false
	}
	if f.powerless && strings.HasSuffix(f.profile, stubProfile) { // "a//&unprivileged_userns" where profiles are stacked
		return true
	}
	return f.settings["kernel.apparmor_restrict_unprivileged_userns"] == "1" && !f.inContainer()
}
