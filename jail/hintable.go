package jail

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

// What a hint may name is decided here and nowhere else: hints are typed by people who
// want a program to run, and a program can have anything hinted by asking for it.

// A hintUse is what a file or folder would be granted for.
type hintUse int

const (
	hintRead hintUse = iota
	hintWrite
)

// notHinted begins a reason that is none of the box's: a flag grants it to whoever
// means it.
const notHinted = notHintedWord + "though a flag grants it: "

// notHintedWord begins every such reason, of calls as well (letThrough).
const notHintedWord = "not hinted, "

// tookTooLong is of what was not looked at to the end: whether a flag grants it is not known.
const tookTooLong = notHintedWord + tookLong

const tookLong = "as looking at the host's files took too long"

// withheld is notHinted for a reason, unless that says so itself.
func withheld(why string) string {
	if strings.HasPrefix(why, notHintedWord) {
		return why
	}
	return notHinted + why
}

// Hints says what may be hinted. All that is asked of one shares a bound in time.
type Hints struct{ looks *hostLooks }

// NewHints reads where people's homes are.
func NewHints() *Hints { return &Hints{newHostLooks(view{}, hostLooksTake)} }

// Private says why a file or folder of the host's is for nobody to be given who did not
// ask for it by name, or is "": it is a whole home, a place of keys and tokens, or holds
// one. What is not there, or does not answer in time, is judged by its name.
func (h *Hints) Private(p string) string {
	if f, ok := h.looks.at(p); ok {
		return cmp.Or(h.looks.private(f), h.looks.privateName(path.Clean(p)))
	}
	return h.looks.privateName(path.Clean(p))
}

// Withheld says why no hint names a file or folder of the host's, for reading or for
// writing, or is "". Of what is not there, or not looked at, its name decides.
func (h *Hints) Withheld(p string, written bool) string {
	use := hintRead
	if written {
		use = hintWrite
	}
	p = path.Clean(p)
	if f, ok := h.looks.at(p); ok {
		return h.looks.unhintable(f, use)
	}
	if why := h.looks.privateName(p); why != "" {
		return notHinted + why
	}
	why := ""
	if !h.looks.bounded(func() { why = h.looks.shutName(p, use) }) {
		return tookTooLong
	}
	return why
}

// WithheldWord is Withheld, for reading, of a path that nobody but a stranger's program
// names. It is looked for in given folders of the host, but for such as Withheld keeps
// back, and where the system keeps programs.
func (h *Hints) WithheldWord(p string, given []string) string {
	given = slices.DeleteFunc(slices.Clone(given), func(dir string) bool {
		f, ok := h.looks.at(dir)
		return !ok || !path.IsAbs(dir) || h.looks.unhintable(f, hintRead) != ""
	})
	_, _, why := h.looks.byWord(p, given)
	return why
}

// unhintable says why no hint names what was looked at, or is "": it is private, one of
// the host's own folders as a whole, or would be written to and is run by somebody.
func (h *hostLooks) unhintable(f hostFile, use hintUse) string {
	kind := f.mode & unix.S_IFMT
	switch {
	case f.never != "":
		return f.never
	case f.real == "/":
		return "the whole file system is never granted"
	case kernelsOwn(f.real) != "":
		return kernelsOwn(f.real)
	case kind != unix.S_IFDIR && kind != unix.S_IFREG && kind != unix.S_IFIFO:
		return "sockets and devices are not granted"
	case kind == unix.S_IFIFO && use == hintWrite:
		return notHinted + "what is written to a named pipe comes to whatever reads from it on the host"
	case slices.Contains(wholes, f.real):
		return notHinted + "it is one of the host's own folders as a whole"
	}
	if why := h.private(f); why != "" {
		return withheld(why)
	}
	if f.kept && slices.ContainsFunc(systems, func(s string) bool { return pathname.Below(f.real, s) }) {
		return notHinted + "it is the system's, and not for everybody to read"
	}
	why := ""
	if !h.bounded(func() { why = h.shut(f, use) }) {
		return tookTooLong
	}
	return why
}

// shut is the part of unhintable that what lies there and around it decides.
func (h *hostLooks) shut(f hostFile, use hintUse) string {
	if why := h.shutName(f.real, use); why != "" {
		return why
	}
	if why := h.keptBack(f.real, use); why != "" {
		return why
	}
	if f.dir() {
		if why := h.holds(f.real); why != "" {
			return withheld(why)
		}
	}
	return refusedSource(&mount{Mount: Mount{Kind: MountRO, Source: f.real}})
}

// shutName is shut of what need not be there.
func (h *hostLooks) shutName(real string, use hintUse) string {
	if why := h.hidden(real); why != "" {
		return withheld(why)
	}
	if use == hintWrite {
		return h.runs(real)
	}
	return ""
}

// private is Hints.Private of what was looked at.
func (h *hostLooks) private(f hostFile) string {
	if why := h.privateName(f.real); why != "" {
		return why
	}
	behind, holds := "", ""
	if !h.bounded(func() {
		if behind = h.secretBehind(f.real); behind == "" && f.dir() {
			holds = h.secretIn(f.real)
		}
	}) {
		return tookTooLong
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
func (h *hostLooks) privateName(real string) string {
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
		if real, ok := (&hostLooks{closed: closed}).look(home); ok && real.never == "" {
			list = append(list, real.real)
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
