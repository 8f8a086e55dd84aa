package jail

import (
	"path"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
)

// What a box is without: the host's services, its privileges and most of its programs.

// aloneHint is for a failed program whose own words tell of one of these, or "".
func (r *run) aloneHint(said string) string {
	if r.result.Reason != ReasonExecutionFailed {
		return ""
	}
	switch name := r.shellLacks(said); {
	case name != "":
		return "the program " + r.notInPath(name)
	case r.spec.Net == NetLoopback && !r.spec.inPlace() && tellsOf(said, "Connection refused", "ECONNREFUSED", "Couldn't connect to server"):
		return "127.0.0.1 is the box's own: what listens on the host is not there, and no program of the box listened at that address"
	case tellsOf(said, "no new privileges", "effective uid is not 0", "must be setuid root", "must be suid"):
		return "a box gives nobody privileges: programs such as sudo, which are run as another user, do nothing in it"
	case r.idsHint(said) != "":
		return r.idsHint(said)
	case tellsOf(said, "Operation not permitted", "operation not permitted", "EPERM") && !slices.ContainsFunc(r.result.Denials, func(d Denial) bool { return d.Errno == "EPERM" }):
		return "its stderr tells of what the kernel lets nobody do without privileges (Operation not permitted): a program in a box has none, whoever it is there; it changes no owner, user or priority"
	}
	return ""
}

// lookupHint is for a program that was refused d, with which libc looks names up, and whose
// own words are of the network or of a socket; where they name one, it was no look-up.
func (d Denial) lookupHint(said string) string {
	if namesSocket(said) {
		return "it was refused " + d.inWords() + ": what listens on the host, such as Docker, is not in a box; for a Unix socket of its own, " + d.wayOut()
	}
	return "it was refused " + d.inWords() + ", with which libc looks names up: if one was a host's, " + noNetwork +
		"; if it was a Unix socket of its own, " + d.wayOut()
}

// shellLacks is the command that a shell, or what starts others, says it has not found,
// whoever ran it and whatever that made of it, or "".
func (r *run) shellLacks(said string) string {
	for line := range strings.Lines(linesThatTellOf(said, "not found", "No such file")) {
		parts := strings.Split(strings.TrimSpace(line), ": ")
		by := path.Base(parts[0])
		starts := slices.Contains(starters, by) || slices.Contains([]string{"sh", "ash", "bash", "dash", "ksh", "zsh"}, by)
		if strings.HasSuffix(by, "make") && !strings.Contains(said, "Error 127") {
			continue // it misses a makefile
		}
		if name := notFound(parts); starts && name != "" && !strings.ContainsAny(name, "/ ") {
			return name
		}
	}
	return ""
}

// namesSocket says whether a text has the name of a socket's file.
func namesSocket(said string) bool {
	if strings.Contains(said, "unix:/") {
		return true
	}
	for _, rest, ok := strings.Cut(said, ".sock"); ok; _, rest, ok = strings.Cut(rest, ".sock") {
		if rest == "" || !strings.Contains(shellword.NameLetters, rest[:1]) {
			return true
		}
	}
	return false
}
