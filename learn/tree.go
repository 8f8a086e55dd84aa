package learn

import (
	"path"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/jail"
)

// enough is how many files of a folder, or folders of one, make it the whole
// folder.
const enough = 4

// A tree is what all runs used of granted files.
type tree struct {
	roots []string          // of grants, on the host
	dirs  map[string]bool   // paths that are folders
	made  map[string]bool   // what was made, in any run
	wrote map[string]int    // what was written, and how often
	read  map[string]int    // what was read or executed
	list  map[string]bool   // folders that were listed
	links map[[2]string]int // file, and another path that leads to it
	given map[string]jail.MountKind
	open  []string
}

func newTree(runs []Watched) *tree {
	t := &tree{dirs: map[string]bool{}, made: map[string]bool{}, wrote: map[string]int{}, read: map[string]int{}, list: map[string]bool{},
		links: map[[2]string]int{}, given: map[string]jail.MountKind{}}
	for _, w := range runs {
		for _, m := range w.Given {
			if m.Source == m.Target {
				t.given[m.Target] = m.Kind
			}
		}
		for _, m := range w.Spec.View {
			if (m.Kind == jail.MountRO || m.Kind == jail.MountRW) && t.given[m.Target] == "" {
				t.roots = append(t.roots, m.Source)
			}
		}
	}
	t.roots = unique(t.roots)
	for _, w := range runs {
		if w.Result.Used == nil {
			continue
		}
		for _, u := range w.Result.Used.Paths {
			t.add(u)
		}
	}
	return t
}

// add takes in one use, by where it is on the host.
func (t *tree) add(u jail.PathUse) {
	if u.Kind != jail.MountRO && u.Kind != jail.MountRW || u.Source == "" {
		return
	}
	p, n := u.Source, int(u.Count)
	if u.Dir {
		t.dirs[p] = true
	}
	switch {
	case u.Made || u.Written:
		t.wrote[p] += n
		t.made[p] = t.made[p] || u.Made
	case u.Dir && u.Read:
		t.list[p] = true
	case u.Dir: // looked at: what is used below it makes it be there
	case t.isGiven(p):
		return
	default:
		t.read[p] += n
	}
	if u.Path != u.Real && u.Real == u.Source && !u.Dir && !u.Made {
		t.links[[2]string{p, u.Path}] += n
	}
}

// isGiven says whether the profile that is extended, or the command, shows a path
// already.
func (t *tree) isGiven(p string) bool {
	for at := p; at != "/" && at != "."; at = path.Dir(at) {
		if t.given[at] != "" {
			return true
		}
	}
	return false
}

// root is the grant that a path lies in; nothing is made of what is above it.
func (t *tree) root(p string) string {
	best := p
	for _, r := range t.roots {
		if within(p, r) && (best == p || len(r) > len(best)) {
			best = r
		}
	}
	return best
}

// writable is where something was written: a file that was there before, or the
// folder in which something was made or removed, as far as that was there before.
func (t *tree) writable() []Grant {
	count := map[string]int{}
	for p, n := range t.wrote {
		root := t.root(p)
		at := p
		if t.made[p] && p != root {
			at = path.Dir(p)
		}
		for at != root && (t.made[at] || passing(path.Base(at))) {
			at = path.Dir(at)
		}
		if pack := packOf(at, root); pack != "" && !t.made[pack] {
			at = pack
		}
		count[at] += n
		if at != p {
			t.dirs[at] = true
		}
	}
	return t.grants(t.gather(count), "written to", t.wrote)
}

// readOnly is what was read and lies in nothing that is writable.
func (t *tree) readOnly(writable []Grant) []Grant {
	count := map[string]int{}
	add := func(p string, n int) {
		if t.made[p] || slices.ContainsFunc(writable, func(g Grant) bool { return within(p, g.Host) }) {
			return
		}
		root, at := t.root(p), p
		for at != root && passing(path.Base(at)) {
			at = path.Dir(at)
			t.dirs[at] = true
		}
		if pack := packOf(at, root); pack != "" {
			at = pack
			t.dirs[at] = true
		}
		count[at] += n
	}
	for p, n := range t.read {
		add(p, n)
	}
	for p := range t.list {
		if !t.isGiven(p) {
			add(p, 1)
		}
	}
	grants := t.grants(t.gather(count), "read", t.read)
	for _, link := range sortedLinks(t.links) {
		covered := func(p string) bool {
			return slices.ContainsFunc(slices.Concat(grants, writable), func(g Grant) bool { return within(p, g.Host) && g.Host != p })
		}
		if !covered(link[1]) && !t.isGiven(link[1]) && slices.ContainsFunc(t.roots, func(r string) bool { return within(link[1], r) }) {
			grants = append(grants, Grant{Host: link[0], Box: link[1], Why: "a link leads to it"})
		}
	}
	slices.SortFunc(grants, func(a, b Grant) int { return strings.Compare(a.Host+":"+a.Box, b.Host+":"+b.Box) })
	return grants
}

func sortedLinks(links map[[2]string]int) [][2]string {
	var list [][2]string
	for l := range links {
		list = append(list, l)
	}
	slices.SortFunc(list, func(a, b [2]string) int { return strings.Compare(a[0]+"\x00"+a[1], b[0]+"\x00"+b[1]) })
	return list
}
