package learn

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/jail"
)

// enough is how many files of a folder, or folders of one, make it the whole
// folder.
const enough = 4

// A tree is what all runs used of granted files, by its path in the box: one file of
// the host may be shown at several.
type tree struct {
	mounts   map[string]jail.Mount // of the watching boxes, by target
	given    map[string]jail.Mount // of those, what comes with the profile and the command
	dirs     map[string]bool       // paths that are folders
	made     map[string]bool       // what was made, in any run
	wrote    map[string]int        // what was written, and how often
	read     map[string]int        // what was read or executed
	list     map[string]bool       // folders that were listed
	links    map[[2]string]int     // file, and another path that leads to it
	listings bool                  // grant what was merely listed
	hints    *jail.Hints
	private  map[string]string // what they say of folders and files of the host's
	open     []string
}

func newTree(runs []Watched, listings bool) *tree {
	t := &tree{mounts: map[string]jail.Mount{}, given: map[string]jail.Mount{}, dirs: map[string]bool{}, made: map[string]bool{}, wrote: map[string]int{},
		read: map[string]int{}, list: map[string]bool{}, links: map[[2]string]int{}, listings: listings, hints: jail.NewHints(), private: map[string]string{}}
	for _, w := range runs {
		for _, m := range w.Given.View {
			t.given[m.Target], t.mounts[m.Target] = m, m
		}
		for _, m := range w.Spec.View {
			t.mounts[m.Target] = m
			if t.given[m.Target] != m {
				delete(t.given, m.Target)
			}
		}
	}
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

// add takes in one use of what is granted and does not come along anyway.
func (t *tree) add(u jail.PathUse) {
	if u.Kind != jail.MountRO && u.Kind != jail.MountRW || u.Source == "" {
		return
	}
	p, n := u.Real, int(u.Count)
	if u.Dir {
		t.dirs[p] = true
	}
	written := u.Made || u.Written
	switch {
	case written:
		t.made[p] = t.made[p] || u.Made
		if m, _ := covering(t.mounts, p); t.given[m.Target] != m || m.Kind != jail.MountRW {
			t.wrote[p] += n
		}
	case t.isGiven(p):
	case u.Dir && u.Read:
		t.list[p] = true
	case u.Dir: // looked at: what is used below it makes it be there
	default:
		t.read[p] += n
	}
	if u.Path != u.Real && !u.Dir && !u.Made && (written || !t.isGiven(p)) {
		t.links[[2]string{p, u.Path}] += n
	}
}

// isGiven says whether the profile that is extended, or the command, shows a path
// already.
func (t *tree) isGiven(p string) bool {
	m, ok := covering(t.mounts, p)
	return ok && t.given[m.Target] == m
}

// keeps says why a path is nothing to be granted that nobody named: the watching box may
// have shown a home, and a program have looked into the keys in it.
func (t *tree) keeps(p string) string {
	m, ok := covering(t.mounts, p)
	if !ok {
		return ""
	}
	at := host(m, p)
	why, known := t.private[at]
	if !known {
		why = t.hints.Private(at)
		t.private[at] = why
	}
	return why
}

// covering is the deepest of some mounts that shows a path of the box.
func covering(mounts map[string]jail.Mount, p string) (jail.Mount, bool) {
	for at := p; at != "/" && at != "."; at = path.Dir(at) {
		if m, ok := mounts[at]; ok {
			return m, true
		}
	}
	return jail.Mount{}, false
}

// host is where on the host a mount has a path of the box.
func host(m jail.Mount, p string) string { return path.Join(m.Source, strings.TrimPrefix(p, m.Target)) }

// root is the grant that a path lies in; nothing is made of what is above it.
func (t *tree) root(p string) string {
	if m, ok := covering(t.mounts, p); ok {
		return m.Target
	}
	return p
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
	count := t.readCounts(writable, false)
	needed := maps.Clone(count)
	if t.listings {
		count = t.readCounts(writable, true)
	}
	grants := t.grants(count, "read", t.read)
	for i, g := range grants {
		if _, ok := needed[g.at()]; !ok {
			grants[i].Listed = true
			grants[i].Why = "folder, granted to be listed, which opens all that it holds; read of it: " + orNothing(strings.TrimPrefix(some(g.at(), t.read), ": "))
		}
	}
	for _, link := range sortedLinks(t.links) {
		shown := func(p string) bool {
			return slices.ContainsFunc(slices.Concat(grants, writable), func(g Grant) bool { return within(p, g.at()) && g.at() != p })
		}
		to, ok := covering(t.mounts, link[0])
		from, inside := covering(t.mounts, link[1])
		if ok && inside && t.given[from.Target] != from && !shown(link[1]) {
			grants = append(grants, Grant{Host: host(to, link[0]), Box: link[1], Why: "a link leads to it"})
		}
	}
	sortGrants(grants)
	return grants
}

// readCounts are the files and folders that were read, by how often.
func (t *tree) readCounts(writable []Grant, listings bool) map[string]int {
	count := map[string]int{}
	add := func(p string, n int) {
		root, at := t.root(p), p
		if t.made[p] || slices.ContainsFunc(writable, func(g Grant) bool { return within(p, g.at()) && t.root(g.at()) == root }) {
			return
		}
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
	if listings {
		for p := range t.list {
			add(p, 1)
		}
	}
	return t.gather(count)
}

func orNothing(names string) string {
	if names == "" {
		return "nothing"
	}
	return names
}

func sortedLinks(links map[[2]string]int) [][2]string {
	var list [][2]string
	for l := range links {
		list = append(list, l)
	}
	slices.SortFunc(list, func(a, b [2]string) int { return strings.Compare(a[0]+"\x00"+a[1], b[0]+"\x00"+b[1]) })
	return list
}
