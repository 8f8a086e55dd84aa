package withheld

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// A Holding is something that lies right in a folder of the host's, and that whoever
// grants the folder grants with it.
type Holding struct {
	Name string
	Dir  bool
	// Keys says that it is called as keys, tokens and the places of them are.
	Keys bool
	// Steers says that it is hidden: programs are told by such what to do, as git by the
	// hooks in .git.
	Steers bool
}

// KeyNamed says whether a file is called as those with keys and tokens in them are, which
// no hint names.
func KeyNamed(p string) bool { return secretName(path.Clean(p)) || keyName(path.Clean(p)) }

// Holdings are what lies right in a folder of the host's, by name: at most 2048 of it. Not
// ok is for more than that, and for a folder that can't be read or is not looked at (see
// [Looks.Unknown]).
func (h *Looks) Holdings(dir string) (list []Holding, ok bool) {
	f, there := h.At(dir)
	if !there || f.Real != dir || !f.Dir() || f.Never != "" {
		return nil, false
	}
	readable := false
	read := h.Bounded(func() {
		readable = unix.Access(dir, unix.R_OK) == nil
		for _, e := range listed(dir, mostEntries+1) {
			name, at := e.Name(), path.Join(dir, e.Name())
			list = append(list, Holding{Name: name, Dir: e.IsDir(), Keys: h.privateName(at) != "" || keyName(at),
				Steers: strings.HasPrefix(name, ".") && !strings.Contains(name, "cache")})
		}
	})
	if !read {
		return nil, false // what is read later is nobody's
	}
	slices.SortFunc(list, func(a, b Holding) int { return cmp.Compare(a.Name, b.Name) })
	return list[:min(len(list), mostEntries)], readable && len(list) <= mostEntries
}
