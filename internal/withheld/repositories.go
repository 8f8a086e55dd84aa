package withheld

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"time"

	"github.com/seed-75010da9/jail/internal/pathname"
)

// Settings of a repository's may name what lies beside it: whoever stands in a folder
// around it runs git there all the same, and so may the program, in what it was given.

// gitTrees are repositories: folders with a .git in them, and those that are one by
// themselves.
type gitTrees struct {
	h    *Looks
	dirs []string
	// unseen is why there may be more that matter, or "".
	unseen string
}

// repositories are those that the caller, what he granted and what he names to the program
// lie in, and those that lie in what he granted and in the folder that he is in. They must
// all be found in what the program may only read: where it may write, the settings are its
// own already, and in the caller's folder may lie all that he has.
func (h *Looks) repositories() *gitTrees {
	if h.gitTrees != nil {
		return h.gitTrees
	}
	t := &gitTrees{h: h}
	h.gitTrees = t
	for _, at := range slices.Concat(h.around, h.named) {
		for dir := at; dir != "/" && dir != "."; dir = path.Dir(dir) {
			t.take(dir)
		}
	}
	var read, rest []string
	for _, at := range h.around {
		f, ok := h.look(at)
		switch {
		case !ok || !f.Dir() || installed(f.Real+"/"):
		case slices.Contains(h.read, at) && !slices.ContainsFunc(systems, func(s string) bool { return pathname.Below(at, s) }):
			read = append(read, f.Real)
		default:
			rest = append(rest, f.Real)
		}
	}
	t.unseen = t.in(read)
	t.in(rest)
	return t
}

// take adds a folder if it is a repository, and says whether there was room for it.
func (t *gitTrees) take(dir string) bool {
	const mostRepositories = 64
	_, has := t.h.look(path.Join(dir, ".git"))
	if slices.Contains(t.dirs, dir) || !has && !t.h.bare(dir) {
		return true
	}
	if len(t.dirs) == mostRepositories {
		return false
	}
	t.dirs = append(t.dirs, dir)
	return true
}

// in adds those that lie in folders, but for what is installed there, where nobody works,
// and says why there may be more of them, or "".
func (t *gitTrees) in(dirs []string) string {
	l := treeLook{h: t.h, until: time.Now().Add(t.h.takes / treesInTime / 2), left: mostOfTree}
	for _, dir := range dirs {
		if !slices.Contains(l.waiting, dir) && !slices.ContainsFunc(dirs, func(in string) bool { return in != dir && pathname.Below(dir, in) }) {
			l.waiting = append(l.waiting, dir)
		}
	}
	l.pass = func(at string) bool {
		return path.Base(at) == ".git" || path.Base(at) == "objects" && t.h.bare(path.Dir(at)) || installed(at+"/")
	}
	l.judge = func(at string, _ fs.FileMode) string {
		if name := path.Base(at); (name == ".git" || name == "HEAD") && !t.take(path.Dir(at)) {
			return "there are too many"
		}
		return ""
	}
	said, unseen := l.all()
	return cmp.Or(said, unseen)
}

// bare says whether a folder is a repository by itself (gitrepository-layout(5)).
func (h *Looks) bare(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, ok := h.look(path.Join(dir, name)); !ok {
			return false
		}
	}
	return true
}
