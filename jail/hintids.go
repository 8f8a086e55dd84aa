package jail

import (
	"path"
	"slices"
	"strings"
)

// A box has one user and one group. Who asks the kernel for another is told that there is
// no such id in its user namespace (EINVAL, user_namespaces(7)), or that it has not the
// privilege (EPERM), and says it in as many words.

// idsHint is for a program that was to become another user, or to give files to one, by
// what it says and what it was called with.
func (r *run) idsHint(said string) string {
	if !r.ofIDs(said) {
		return ""
	}
	none := "a box has one user and one group, whoever starts it: "
	if !r.spec.inPlace() {
		none = "a box has one user and one group, and no other id is mapped in it, whoever starts it: "
	}
	return none + "no program in it becomes another user, root included, or gives files to one (setuid, setgid, setgroups, chown): run without that step what has it, as by tar --no-same-owner, cp without -p, or the program without gosu, su or sudo"
}

// ofIDs says whether it was about users and groups that a program failed.
func (r *run) ofIDs(said string) bool {
	if tellsOf(said, "invalid user", "invalid group", "unknown user", "unknown group", "getpwnam", "getgrnam", "user does not exist") {
		return true
	}
	for line := range strings.Lines(said) {
		if name, _, ok := strings.Cut(line, ":"); ok && slices.Contains(becomes, path.Base(name)) {
			return true
		}
	}
	const mostArgs = 4 << 10
	asked := said
	for _, arg := range r.spec.Args {
		if len(asked) < len(said)+mostArgs {
			asked += " " + arg[:min(len(arg), mostArgs)]
		}
	}
	refused := tellsOf(said, "nvalid argument", "EINVAL", "peration not permitted", "EPERM")
	return refused && tellsOf(strings.ToLower(asked), "setuid", "setgid", "seteuid", "setegid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups", "initgroups",
		"chown", "ownership", "switch user", "switching to", "drop privileges", "change user", "change group", "setting user", "setting group", "setpriv")
}

// becomes are programs for nothing but being another user.
var becomes = []string{"chroot", "doas", "gosu", "newgrp", "pkexec", "runuser", "sg", "su", "su-exec", "sudo", "setpriv"}
