package jail

import (
	"cmp"
	"path"

	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/internal/withheld"
	"github.com/seed-75010da9/jail/jail/internal/paths"
)

// Hints of one record are typed together.

// widen names the folder where three files of it or more are missing.
func widen(looks *withheld.Looks, grants []pathGrant) {
	count := map[string]int{}
	folder := func(g pathGrant) string {
		if g.flag != "--ro" || !g.file || g.target != "" {
			return ""
		}
		return path.Dir(g.source)
	}
	for _, g := range grants {
		count[folder(g)]++
	}
	for i, g := range grants {
		dir := folder(g)
		if dir == "" || count[dir] < 3 {
			continue
		}
		if f, ok := looks.At(dir); ok && f.Real == dir && looks.Why(f, withheld.Read) == "" {
			grants[i].source = dir
		}
	}
}

// unite has all that is wanted of one path granted by one flag, the widest that any of
// it takes: a file that is granted by itself can't be removed, and one path is granted
// once. What was only looked at, perhaps to be linked or moved, comes with a folder
// that is to be written and that it lies in; and a folder that was only looked at, with
// what lies in it.
func unite(refs []*pathRefusal, grants []pathGrant) {
	for i, ref := range refs {
		for j, g := range grants {
			if own := grants[i]; own.flag != "" && g.flag != "" && ref.comes(own, refs[j], g) {
				grants[i] = g
			}
		}
	}
}

// comes says whether what was refused comes with another's grant as well.
func (ref *pathRefusal) comes(own pathGrant, other *pathRefusal, g pathGrant) bool {
	at, ownAt := cmp.Or(g.target, g.source), cmp.Or(own.target, own.source)
	looked, folder := ref.want&^paths.Look == 0, g.flag == "--rw" && !g.file
	switch {
	case at == ownAt:
		return g.flag == "--rw" && (own.flag == "--ro" || len(own.instead) < len(g.instead))
	case own.file:
		return folder && pathname.Below(ownAt, at) && (looked || own.flag == "--rw" || ref.asked == other.asked)
	}
	return looked && pathname.Below(at, ownAt)
}
