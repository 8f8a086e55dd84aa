package profiles

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/internal/withheld"
	"github.com/seed-75010da9/jail/jail"
)

// RealPath is the path, free of symbolic links, of a file or folder that a
// caller names for jail to open: absolute, or relative to h.Dir. Links that
// anybody but the system's own administrator can have made are an error, which
// names the link and the path to give instead. What is not there, or can't be
// reached, is left for the opening to report.
//
// Whoever opens the path is to follow no links, as with RESOLVE_NO_SYMLINKS of
// openat2(2): then nothing can be put in its place meanwhile.
func (h Host) RealPath(path string) (string, error) {
	abs, ok := h.abs(path)
	switch {
	case path == "":
		return "", syscall.ENOENT
	case !ok:
		return "", fmt.Errorf("must be %w", errNoDir)
	}
	t, _ := walk(abs)
	if want := t.refusal(false); want != "" {
		return "", fmt.Errorf("must be %s", want)
	}
	return t.real, nil
}

// noLinks faults a path that leads through a link which is not the system's.
// What is to be written to is named to somebody by other rules than what is read.
func (b *builder) noLinks(field, shown string, t trail, written bool) bool {
	want := t.refusal(written)
	if want != "" {
		b.fault(field, shown, want)
	}
	return want == ""
}

// refusal says why a trail is not followed, or "".
//
// An earlier run may have left a link wherever it could write, and whose it is
// does not tell: what a box writes into a granted folder belongs to the
// folder's owner, root included (an idmapped mount), or to the caller. Nor does
// any record say which folders were granted once. So a link counts only where
// no run can ever write; everything else is to be named by its real path.
//
// Where it leads is an earlier run's word as well, and named like any hint.
func (t trail) refusal(written bool) string {
	for _, l := range t.links {
		switch {
		case errors.Is(t.broken, syscall.ELOOP):
			return "a path that leads to something; the symbolic link " + shellword.Quote(l.path) + " leads in a circle"
		case isSystemLink(l.path):
		case errors.Is(t.broken, syscall.ENOENT):
			return "a path that leads to something; the symbolic link " + shellword.Quote(l.path) + " leads to " + shellword.Quote(t.real) + ", where nothing is"
		default:
			const planted = "a path without symbolic links, which an earlier run may have left behind: %s is one"
			if why := withheld.New().Withheld(t.real, written); why != "" {
				return fmt.Sprintf(planted+", and leads to %s: %s", shellword.Quote(l.path), shellword.Quote(t.real), why)
			}
			return fmt.Sprintf(planted+"; if it is right, give %s", shellword.Quote(l.path), shellword.Quote(t.real))
		}
	}
	return ""
}

// calledByName says of a program that was found in PATH by a name, what to do where its link
// leads to one of another name, or is "": by the path of that it would be another command,
// as rustup is that goes as cargo and rustc.
func (t trail) calledByName(name string) string {
	refused := t.refusal(false)
	real := filepath.Base(t.real)
	if t.broken != nil || strings.Contains(name, "/") || sameProgram(name, real) || !strings.HasSuffix(refused, "give "+shellword.Quote(t.real)) {
		return ""
	}
	return "the program itself; in PATH it is a symbolic link to " + shellword.Quote(t.real) + ", which does by its name what it does: put the folder of the real " + shellword.Quote(name) + " first in PATH"
}

// isSystemLink says whether only root can have made a link, and no box: /bin,
// /var/run or /home on hosts that have them elsewhere.
func isSystemLink(path string) bool {
	dir := filepath.Dir(path)
	return holdsLinks(dir) && isRoots(dir) && isRoots(path)
}

// holdsLinks names the folders whose links are followed. Links deeper down are
// not, so that all but these folders themselves can be granted writable.
func holdsLinks(dir string) bool {
	switch dir {
	case "/", "/etc", "/home", "/opt", "/usr", "/var":
		return true
	}
	return false
}

// isRoots says whether only root may change a folder, or owns a link. The mode
// of a link says nothing.
func isRoots(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Uid == 0 && (info.Mode()&os.ModeSymlink != 0 || info.Mode()&0o022 == 0)
}

// refusedWritable says why a folder is never granted writable, or "".
func refusedWritable(kind jail.MountKind, source string) string {
	if kind == jail.MountRW && holdsLinks(source) {
		return "a folder below " + source + ", which is the system's: links in it decide what is granted"
	}
	return ""
}
