package jail

import (
	"path"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail/internal/paths"
)

// busyWith is for a mount that was to be replaced, moved or removed.
func (r *run) busyWith(m *mount) string {
	if outer := r.writableAround(m); outer != nil {
		return shellword.Shown(m.path) + " is granted by itself within " + shellword.Shown(outer.path) + ": it can't be replaced, moved or removed there; " + r.apart(m, outer)
	}
	hint := shellword.Shown(m.path) + " is granted by itself: nothing is made beside it, and it can't be replaced, moved or removed; "
	f, ok := r.looks().At(path.Dir(m.Source))
	if !ok || m.Source == "" {
		return hint + "grant the folder that it lies in with --rw"
	}
	g := r.grantOn(f, path.Dir(m.path), paths.Make)
	g.instead = []Mount{m.Mount}
	return hint + r.typed(g).wayOut()
}

// busyAround is for a folder that holds a mount.
func (r *run) busyAround(m *mount) string {
	outer := r.writableAround(m)
	if outer == nil {
		return ""
	}
	return shellword.Shown(m.path) + " is granted by itself within " + shellword.Shown(outer.path) + ": no folder that holds it can be replaced, moved or removed; " + r.apart(m, outer)
}

// writableAround is the writable grant that a mount lies in, or nil.
func (r *run) writableAround(m *mount) *mount {
	outer := r.plan.view.mountAt(path.Dir(m.path))
	for outer != nil && outer.part != nil {
		outer = outer.part
	}
	if outer == nil || outer.Kind != MountRW {
		return nil
	}
	return outer
}

// apart is what to do about a grant within a writable one: without one that is as it is
// the whole is writable. Any other was cut out of it.
func (r *run) apart(m, outer *mount) string {
	return r.typed(pathGrant{flag: "--rw", source: outer.Source, target: outer.Target, instead: []Mount{m.Mount}}).wayOut()
}

// readOnlyHint is for a file that is granted read-only by itself and was to be written.
func (r *run) readOnlyHint(m *mount) string {
	if f, ok := r.looks().At(m.Source); ok {
		return shellword.Shown(m.path) + " is granted read-only: " + r.typed(r.grantOn(f, m.path, paths.Write)).wayOut()
	}
	return ""
}

// replacedBy are the grants of single files in the box's own folder dir that what is
// made at asked is to take the place of: as its name says, or since the program was
// called with the one and not with the other.
func (r *run) replacedBy(dir, asked string) (list []Mount) {
	name := path.Base(asked)
	calls := func(name string) bool {
		return slices.ContainsFunc(r.spec.Args[1:], func(arg string) bool { return strings.Contains(arg, name) })
	}
	for _, m := range r.plan.view.mounts {
		old := path.Base(m.path)
		if m.dir || path.Dir(m.path) != dir || m.Kind != MountRO && m.Kind != MountRW {
			continue
		}
		if strings.Contains(name, old) || calls(old) && !calls(name) {
			list = append(list, m.Mount)
		}
	}
	return list
}
