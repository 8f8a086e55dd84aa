package jail

import (
	"path"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/pathname"
)

// A file or folder that is granted by itself is a mount point: it is left where it is,
// and so is a folder that holds one (rename(2), unlink(2), EBUSY).

// How a program's words are about a mount, the surest last.
const (
	notAbout = iota
	mayBeAbout
	besideIt // something in its folder is named
	aroundIt // a folder that holds it is named
	aboutIt
)

// busyHint is for a file or folder that is granted by itself and was to be replaced,
// moved or removed. Where its folder is the box's own, what is to replace it can't be
// made in the first place.
func (r *run) busyHint(said string) string {
	of := linesThatTellOf(said, "Device or resource busy", "EBUSY", "resource busy")
	busy := of != ""
	if !busy {
		of = linesThatTellOf(said, "Read-only file system", "EROFS")
	}
	if of == "" {
		return ""
	}
	words := r.pathsIn(of)
	var best []*mount
	most := notAbout
	for _, m := range r.plan.view.mounts {
		if m.Kind == MountSystem || m.part != nil || slices.Contains(r.spec.Args[:1], m.Target) {
			continue
		}
		about := wordsAbout(words, m)
		switch {
		case about == notAbout && busy && !m.dir:
			about = mayBeAbout
		case about == aroundIt && !busy:
			continue
		case about < aroundIt && m.dir, about < besideIt && !busy:
			continue
		}
		if about > most {
			most, best = about, nil
		}
		if about == most {
			best = append(best, m)
		}
	}
	if len(best) == 0 || most < aroundIt && len(best) > 1 {
		return ""
	}
	switch m := best[0]; {
	case most == aroundIt:
		return r.busyAround(m)
	case !busy && most == aboutIt && m.Kind == MountRO && !tellsOf(of, "remove", "unlink", "rename", "move", "replace", "->"):
		return r.readOnlyHint(m)
	default:
		return r.busyWith(m)
	}
}

// pathsIn are the words of a text that may be paths, each as it is from the box's root
// and, where it is a relative one, as it is from where the program started.
func (r *run) pathsIn(text string) (list []string) {
	for _, word := range strings.FieldsFunc(text, pathname.Around) {
		switch {
		case path.IsAbs(word):
			list = append(list, path.Clean(word))
		case path.Clean(word) != ".":
			list = append(list, path.Join(r.startsIn(), word))
		}
	}
	return list
}

// wordsAbout says how paths that a program names are about a mount.
func wordsAbout(words []string, m *mount) int {
	about := notAbout
	for _, w := range words {
		switch {
		case w == m.path:
			return aboutIt
		case w != "/" && pathname.Below(m.path, w):
			about = max(about, aroundIt)
		case path.Dir(w) == path.Dir(m.path):
			about = max(about, besideIt)
		}
	}
	return about
}

// linesThatTellOf are the lines of a text with one of some words: what others name, as a
// trace names the script, was not what failed.
func linesThatTellOf(said string, words ...string) string {
	var b strings.Builder
	for line := range strings.Lines(said) {
		if tellsOf(line, words...) {
			b.WriteString(line)
		}
	}
	return b.String()
}
