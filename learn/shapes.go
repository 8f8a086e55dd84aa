package learn

import (
	"maps"
	"path"
	"strings"

	"github.com/seed-75010da9/jail/jail"
)

// The number of a process is small in a box, and looks like any other: that the next run
// uses another name shows by the names that other runs used, and by those that earlier
// ones left behind.

// names are those of one shape that a run used in a folder.
type names struct {
	run int
	set map[string]bool
}

// shape is a name with each number in it as one sign; not ok is for one without.
func shape(name string) (string, bool) {
	var b strings.Builder
	digits := false
	for _, r := range name {
		switch digit := r >= '0' && r <= '9'; {
		case !digit:
			b.WriteRune(r)
			digits = false
		case !digits:
			b.WriteByte('#')
			digits = true
		}
	}
	return b.String(), strings.ContainsAny(name, "0123456789")
}

// shape notes what a run has used, by the shape of its name.
func (t *tree) shape(run int, u jail.PathUse) {
	s, ok := shape(path.Base(u.Real))
	if !ok || u.Kind != jail.MountRO && u.Kind != jail.MountRW || !u.Made && !u.Written && (u.Dir || !u.Read) {
		return
	}
	key := parent(u.Real) + "/" + s
	list := t.shapes[key]
	if n := len(list); n == 0 || list[n-1].run != run {
		list = append(list, names{run, map[string]bool{}})
		t.shapes[key] = list
	}
	list[len(list)-1].set[path.Base(u.Real)] = true
}

// alike are what the runs used of the shape of a path, in the folder that it lies in.
func (t *tree) alike(p string) []names {
	s, ok := shape(path.Base(p))
	if !ok {
		return nil
	}
	return t.shapes[parent(p)+"/"+s]
}

// differs says whether runs used different names of one shape in a folder.
func (t *tree) differs(p string) bool {
	list := t.alike(p)
	for _, other := range list[min(1, len(list)):] {
		if !maps.Equal(list[0].set, other.set) {
			return true
		}
	}
	return false
}

// stale says whether the folder of what was written to has more of that shape, which no
// run used: it is called after what changes from run to run.
func (t *tree) stale(p string) bool {
	list := t.alike(p)
	if list == nil {
		return false
	}
	mine, _ := shape(path.Base(p))
	for _, h := range t.holds(parent(p)).list {
		if s, _ := shape(h.Name); s != mine {
			continue
		}
		used := false
		for _, n := range list {
			used = used || n.set[h.Name]
		}
		if !used {
			return true
		}
	}
	return false
}
