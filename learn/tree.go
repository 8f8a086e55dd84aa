package learn

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail"
)

// Detail is how many files of a folder, or folders of one, make it the whole folder.
const (
	fullDetail  = 4
	leastDetail = 2
)

// A tree is what all runs used of granted files, by its path in the box: one file of
// the host may be shown at several.
type tree struct {
	mounts   map[string]jail.Mount // of the watching boxes, by target
	given    map[string]jail.Mount // what comes with the profile and the command, whether they show it so or in something larger
	around   map[string]bool       // the folders that mounts lie in, at any depth
	start    string                // the folder that the program started in
	inPlace  bool                  // the box has the host's own links (tier 2)
	dirs     map[string]bool       // paths that are folders
	made     map[string]bool       // what was made or removed, in any run
	anew     map[string]bool       // what was there, and is made where it is not
	wrote    map[string]int        // what was written, and how often
	read     map[string]int        // what was read or executed
	list     map[string]bool       // folders that were listed
	held     map[string]bool       // folders of links and sockets, which can't be granted by themselves
	shapes   map[string][]names    // what each run used, by folder and shape of the name
	looked   map[string]string     // folders that were only looked at, by the names that were used, with where these lead
	links    map[link]how          // other names of what was used
	moves    [][2]string           // folders between which something was moved
	mayWrite []string              // what it asked of whether it may write to it, and may
	listings listing               // what is granted of what was merely listed
	enough   int                   // of fullDetail to leastDetail
	*judge
	open []string

	covers, givens *climb[cover]  // of mounts, given
	packs          *climb[string] // the outermost folders that are installed as a whole
}

// A link is a name that leads, by some symbolic link, to what is called otherwise.
type link struct{ asked, real string }

// how is what was done with something.
type how uint8

const (
	reads how = 1 << iota
	lists
	writes
)

func newTree(runs []Watched, listings listing, j *judge) *tree {
	t := &tree{mounts: map[string]jail.Mount{}, given: map[string]jail.Mount{}, around: map[string]bool{}, start: runs[0].Spec.Dir, inPlace: runs[0].Spec.Tier == jail.Tier2,
		dirs: map[string]bool{}, made: map[string]bool{}, anew: map[string]bool{}, wrote: map[string]int{}, read: map[string]int{}, list: map[string]bool{}, held: map[string]bool{}, shapes: map[string][]names{},
		looked: map[string]string{}, links: map[link]how{}, listings: listings, enough: fullDetail, judge: j}
	for _, w := range runs {
		for _, m := range w.Given.View {
			t.given[m.Target] = m
		}
		for _, m := range w.Spec.View {
			t.mounts[m.Target] = m
			if t.given[m.Target] != m {
				delete(t.given, m.Target)
			}
			addAbove(t.around, m.Target)
		}
	}
	t.covers, t.givens = covers(t.mounts), covers(t.given)
	t.packs = t.outermost(func(p string) bool { return slices.Contains(packs, path.Base(p)) })
	for i, w := range runs {
		if w.Result.Used == nil {
			continue
		}
		for _, u := range w.Result.Used.Paths {
			t.add(u)
			t.shape(i, u)
		}
		t.moves = append(t.moves, w.Result.Used.Moves...)
	}
	return t
}

// addAbove adds all folders that a path lies in.
func addAbove(set map[string]bool, p string) {
	for dir := parent(p); !set[dir]; dir = parent(dir) {
		set[dir] = true
	}
}

// add takes in one use of what is granted and does not come along anyway. What was seen
// are paths, in a tree whose folders in memory the program may rename, with what is
// mounted below them: so what it seems to have done beyond what is granted at a path was
// done to something else.
func (t *tree) add(u jail.PathUse) {
	p, n := u.Real, int(u.Count)
	m, ok := t.covering(p)
	if !ok || u.Kind != jail.MountRO && u.Kind != jail.MountRW || u.Source == "" {
		return
	}
	if m.Kind != u.Kind || host(m, p) != u.Source {
		t.open = append(t.open, fmt.Sprintf("%s was used, and is not granted, since a link of the box's leads to it: name it by its own path", shellword.Text(u.Path)))
		return
	}
	if u.Dir {
		t.dirs[p] = true
	}
	if u.MayWrite && m.Kind == jail.MountRW {
		t.mayWrite = append(t.mayWrite, p)
	}
	apart := u.Link || u.Special
	switch {
	case m.Kind == jail.MountRW && (u.Made || u.Written):
		t.made[p] = t.made[p] || u.Made || u.Removed || apart // what can't be granted by itself is changed in its folder
		t.anew[p] = t.anew[p] || u.Anew
		if !t.isGiven(p, jail.MountRW) {
			t.wrote[p] += n
		}
		t.link(u, writes)
	case !u.Read && !u.Used && !u.Executed: // written to, it seems, where nothing is
	case t.isGiven(p, jail.MountRO):
	case u.Entered && u.Path != p && t.hold(u): // what is named from there on is named by where that leads
	case apart:
		t.held[parent(p)], t.dirs[parent(p)] = true, true
		t.link(u, reads)
	case u.Dir && u.Read:
		t.list[p] = true
		t.link(u, lists)
	case u.Dir: // what is used below it makes it be there, mostly
		if !within(t.start, p) {
			t.looked[t.name(u)] = p
		}
	default:
		t.read[p] += n
		t.link(u, reads)
	}
}

// hold has the folder granted that holds the first link in a name, and says whether there
// is one.
func (t *tree) hold(u jail.PathUse) bool {
	m, ok := t.covering(u.Path)
	if !ok || !ofHost(m) || t.inPlace {
		return false
	}
	at := u.Path
	for dir := parent(at); within(dir, m.Target) && !t.there.Lead(host(m, dir), host(m, dir)) && !t.there.Gone(m.Source); dir = parent(dir) {
		if at = dir; t.there.Unknown(m.Source) { // there is no time left to look
			return false
		}
	}
	if at == m.Target {
		return false
	}
	t.held[parent(at)], t.dirs[parent(at)] = true, true
	if u.Read {
		t.list[u.Real] = true
	} else {
		t.looked[u.Real] = u.Real
	}
	return true
}

// name is by what name a path that was used is to be there: its own, where the other is
// nothing of the host's, but of a link that the program made.
func (t *tree) name(u jail.PathUse) string {
	if m, ok := t.covering(u.Path); ok && ofHost(m) && !t.inPlace {
		return u.Path
	}
	return u.Real
}

// link notes the other name of what was used. Of what is no file or folder that stays,
// it is the folder's that counts.
func (t *tree) link(u jail.PathUse, h how) {
	l := link{u.Path, u.Real}
	if u.Link || u.Special || u.Made || u.Removed {
		if path.Base(l.asked) != path.Base(l.real) {
			return
		}
		l = link{parent(l.asked), parent(l.real)}
	}
	if l.asked != l.real && !t.inPlace {
		t.links[l] |= h
	}
}

// isGiven says whether the profile that is extended, or the command, shows what is at a
// path already, for what is wanted of it.
func (t *tree) isGiven(p string, kind jail.MountKind) bool {
	given := t.givens.from(p)
	m := given.mount
	return given.ok && ofHost(m) && host(m, p) == t.host(p) && (kind != jail.MountRW || m.Kind == kind)
}

// covering is the deepest of the watching box's mounts that shows a path of it.
func (t *tree) covering(p string) (jail.Mount, bool) {
	c := t.covers.from(p)
	return c.mount, c.ok
}

// host is where on the host a mount has a path of the box.
func host(m jail.Mount, p string) string { return path.Join(m.Source, strings.TrimPrefix(p, m.Target)) }

// root is the grant that a path lies in; nothing is made of what is above it.
func (t *tree) root(p string) string {
	if m, ok := t.covering(p); ok {
		return m.Target
	}
	return p
}
