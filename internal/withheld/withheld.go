package withheld

import (
	"bufio"
	"cmp"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/internal/shellword"
)

// A Use is what a file or folder would be granted for.
type Use int

const (
	Read Use = iota
	Write
)

// NotHinted begins a reason that is none of the box's: a flag grants it to whoever
// means it.
const NotHinted = NotHintedWord + "though a flag grants it: "

// NotHintedWord begins every such reason.
const NotHintedWord = "not hinted, "

// TookTooLong is of what was not looked at to the end: whether a flag grants it is not known.
const TookTooLong = NotHintedWord + tookLong

const tookLong = "as looking at the host's files took too long"

// withheld is NotHinted for a reason, unless that says so itself.
func withheld(why string) string {
	if strings.HasPrefix(why, NotHintedWord) {
		return why
	}
	return NotHinted + why
}

// Private says why a file or folder of the host's is for nobody to be given who did not
// ask for it by name, or is "": it is a whole home, a place of keys and tokens, or holds
// one. What is not there, or does not answer in time, is judged by its name.
func (h *Looks) Private(p string) string {
	if f, ok := h.At(p); ok {
		return cmp.Or(h.private(f), h.privateName(path.Clean(p)))
	}
	return h.privateName(path.Clean(p))
}

// Withheld says why no hint names a file or folder of the host's, for reading or for
// writing, or is "". Of what is not there, or not looked at, its name decides.
func (h *Looks) Withheld(p string, written bool) string {
	use := Read
	if written {
		use = Write
	}
	p = path.Clean(p)
	if f, ok := h.At(p); ok {
		return h.Why(f, use)
	}
	if why := h.privateName(p); why != "" {
		return NotHinted + why
	}
	why := ""
	if !h.Bounded(func() { why = h.shutName(p, use) }) {
		return TookTooLong
	}
	return why
}

// WithheldWord is Withheld, for reading, of a path that nobody but a stranger's program
// names. It is looked for in given folders of the host, but for such as Withheld keeps
// back, and where the system keeps programs.
func (h *Looks) WithheldWord(p string, given []string) string {
	given = slices.DeleteFunc(slices.Clone(given), func(dir string) bool {
		f, ok := h.At(dir)
		return !ok || !path.IsAbs(dir) || h.Why(f, Read) != ""
	})
	_, _, why := h.ByWord(p, given)
	return why
}

// Why says why no hint names what was looked at, or is "": it is private, one of
// the host's own folders as a whole, or would be written to and is run by somebody.
func (h *Looks) Why(f File, use Use) string {
	kind := f.Mode & unix.S_IFMT
	switch {
	case f.Never != "":
		return f.Never
	case f.Real == "/":
		return "the whole file system is never granted"
	case KernelsOwn(f.Real) != "":
		return KernelsOwn(f.Real)
	case kind != unix.S_IFDIR && kind != unix.S_IFREG && kind != unix.S_IFIFO:
		return "sockets and devices are not granted"
	case kind == unix.S_IFIFO && use == Write:
		return NotHinted + "what is written to a named pipe comes to whatever reads from it on the host"
	case slices.Contains(wholes, f.Real):
		return NotHinted + "it is one of the host's own folders as a whole"
	}
	if why := h.private(f); why != "" {
		return withheld(why)
	}
	if f.Kept && slices.ContainsFunc(systems, func(s string) bool { return pathname.Below(f.Real, s) }) {
		return NotHinted + "it is the system's, and not for everybody to read"
	}
	why := ""
	if !h.Bounded(func() { why = h.shut(f, use) }) {
		return TookTooLong
	}
	return why
}

// shut is the part of Why that what lies there and around it decides.
func (h *Looks) shut(f File, use Use) string {
	if why := h.shutName(f.Real, use); why != "" {
		return why
	}
	if why := h.keptBack(f.Real, use); why != "" {
		return why
	}
	if f.Dir() {
		if why := h.holds(f.Real); why != "" {
			return withheld(why)
		}
	}
	return Never(f.Real)
}

// shutName is shut of what need not be there.
func (h *Looks) shutName(real string, use Use) string {
	if why := h.hidden(real); why != "" {
		return withheld(why)
	}
	if use == Write {
		return h.runs(real)
	}
	return ""
}

// private is Private of what was looked at.
func (h *Looks) private(f File) string {
	if why := h.privateName(f.Real); why != "" {
		return why
	}
	behind, holds := "", ""
	if !h.Bounded(func() {
		if behind = h.secretBehind(f.Real); behind == "" && f.Dir() {
			holds = h.secretIn(f.Real)
		}
	}) {
		return TookTooLong
	}
	if behind != "" {
		return "it is where " + shellword.Shown(behind) + " leads, where keys or tokens are kept"
	}
	if holds != "" {
		return "it holds " + holds + ", where keys or tokens are kept"
	}
	return ""
}

// privateName is what the path alone decides.
func (h *Looks) privateName(real string) string {
	switch {
	case slices.ContainsFunc(hostSecrets, func(s string) bool { return pathname.Below(real, s) }):
		return "it is where secrets of the host's are kept"
	case secretName(real):
		return "it is where somebody's keys and tokens are kept"
	case path.Dir(real) == "/home":
		return "it is somebody's whole home"
	case slices.ContainsFunc(h.homes, func(home string) bool { return pathname.Below(home, real) }):
		return "a whole home is in it"
	}
	return h.keysLie(real)
}

// Whole says whether a path is one of the host's own folders, of which a part may be
// meant and never all of it.
func Whole(p string) bool { return slices.Contains(wholes, p) }

// wholes are folders of which a part may be meant, and never the whole (hier(7)).
var wholes = []string{"/bin", "/boot", "/dev", "/efi", "/etc", "/export", "/home", "/lib", "/lib32", "/lib64", "/libx32", "/media", "/mnt", "/opt", "/proc", "/root", "/run", "/sbin", "/snap",
	"/srv", "/sys", "/tmp", "/usr", "/usr/local", "/var", "/var/cache", "/var/lib", "/var/log", "/var/mail", "/var/spool", "/var/tmp", "/run/user", "/run/secrets"}

// systems are where nothing is written but by the host's own tools.
var systems = []string{"/bin", "/boot", "/dev", "/efi", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/nix", "/opt", "/proc", "/run", "/sbin", "/snap", "/sys", "/usr",
	"/var/cache", "/var/lib", "/var/log", "/var/mail", "/var/spool", "/var/run", "/var/lock"}

// homesOf are the caller's home and those of other people, each as named and as what its
// links lead to. Names of users that no file has, as LDAP's, are not asked for.
func homesOf(closed []string) []string {
	named := []string{"/root"}
	if home, err := os.UserHomeDir(); err == nil {
		named = append(named, home)
	}
	named = append(named, passwdHomes("/etc/passwd")...)
	var list []string
	for _, home := range named {
		home = path.Clean(home)
		if !path.IsAbs(home) || home == "/" {
			continue
		}
		list = append(list, home)
		if real, ok := (&Looks{closed: closed}).look(home); ok && real.Never == "" {
			list = append(list, real.Real)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// passwdHomes are those of people in a file as passwd(5): root, and uids from 1000 on
// (useradd(8), UID_MIN).
func passwdHomes(file string) (list []string) {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Split(lines.Text(), ":")
		if len(fields) < 6 {
			continue
		}
		if uid, err := strconv.Atoi(fields[2]); err == nil && (uid == 0 || uid >= 1000 || uid == os.Getuid()) && fields[5] != "/nonexistent" {
			list = append(list, fields[5])
		}
	}
	return list
}
