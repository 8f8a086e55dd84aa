package learn

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/jail"
)

// readOnly is what was read and lies in nothing that is writable.
func (t *tree) readOnly(writable []Grant) []Grant {
	at := map[string]bool{}
	for _, g := range writable {
		at[g.at()] = true
	}
	count := t.readCounts(at, false)
	needed := maps.Clone(count)
	if t.listings {
		count = t.readCounts(at, true)
	}
	grants := t.grants(count, "read", t.read)
	for i, g := range grants {
		used := "; read of it: " + orNothing(strings.TrimPrefix(g.names, ": "))
		switch _, ok := needed[g.at()]; {
		case !ok:
			grants[i].Listed = true
			grants[i].Why = "folder, granted to be listed, which opens all that it holds" + used
		case t.held[g.at()]:
			grants[i].Why = "folder, granted to show a link or a socket in it as one, which opens all that it holds" + used
		}
	}
	return grants
}

// readCounts are the files and folders that were read, by how often. What is there for
// what is at the writable paths is not.
func (t *tree) readCounts(writable map[string]bool, listings bool) map[string]int {
	count := map[string]int{}
	add := func(p string, n int) {
		root, at := t.root(p), p
		if t.made[p] || t.inOne(writable, p) {
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
	for p := range t.held {
		add(p, 1)
	}
	if listings {
		for p := range t.list {
			add(p, 1)
		}
	}
	// A name that leads to something else counts for its folder, and is nothing itself.
	names := map[string]bool{}
	for l, h := range t.links {
		if _, own := count[l.asked]; !own && h != writes && (h != lists || listings) && !t.isGiven(l.asked, jail.MountRO) && !t.made[l.asked] && !t.inOne(writable, l.asked) {
			names[l.asked] = true
		}
	}
	for p := range names {
		count[p] += 0
	}
	count = t.gather(count)
	for p := range names {
		if !t.dirs[p] {
			delete(count, p)
		}
	}
	return count
}

// inOne says whether a path lies in one of some, or is one, within its grant.
func (t *tree) inOne(paths map[string]bool, p string) bool {
	root := t.root(p)
	for at := p; within(at, root); at = path.Dir(at) {
		if paths[at] {
			return true
		}
		if at == root {
			break
		}
	}
	return false
}

func orNothing(names string) string {
	if names == "" {
		return "nothing"
	}
	return names
}

// A placed is what is granted, by where the box has it.
type placed struct {
	grants map[string]Grant
	around map[string]bool // the folders that these lie in
}

func (p *placed) add(g Grant) {
	p.grants[g.at()] = g
	addAbove(p.around, g.at())
}

// over is the innermost grant that a path lies in, or is.
func (p *placed) over(at string) (Grant, bool) {
	for ; at != "/" && at != "."; at = path.Dir(at) {
		if g, ok := p.grants[at]; ok {
			return g, true
		}
	}
	return Grant{}, false
}

// otherNames grants what links lead to under these names as well, where the links
// themselves are not there.
func (t *tree) otherNames(readOnly, writable []Grant) (ro, rw []Grant) {
	all := &placed{map[string]Grant{}, map[string]bool{}}
	written := &placed{map[string]Grant{}, map[string]bool{}}
	for target := range t.given {
		addAbove(all.around, target)
	}
	for _, g := range readOnly {
		all.add(g)
	}
	for _, g := range writable {
		all.add(g)
		written.add(g)
	}
	put := func(list *[]Grant, g Grant) {
		all.add(g)
		*list = append(*list, g)
	}
	for _, l := range slices.SortedFunc(maps.Keys(t.links), compareLinks) {
		h := t.links[l]
		if !t.unlinked(all, l) || h == lists && !t.listings || t.gone(l.real) {
			continue
		}
		if w, ok := written.over(l.real); ok && h&writes != 0 {
			put(&rw, t.alias(w, l))
			continue
		}
		put(&ro, Grant{Host: t.host(l.real), Box: l.asked, Why: "a link leads to it"})
	}
	// The inner ones first, which make the others be there.
	for _, asked := range slices.Backward(slices.Sorted(maps.Keys(t.looked))) {
		l := link{asked, t.looked[asked]}
		_, shown := all.over(l.asked)
		if shown || all.around[l.asked] || t.made[l.real] || passing(path.Base(l.real)) || l.asked != l.real && !t.unlinked(all, l) {
			continue
		}
		if t.gone(l.real) {
			continue
		}
		if why := t.keeps(l.real); why != "" {
			t.open = append(t.open, fmt.Sprintf("%q was looked at, and is not granted unless you name it: %s", asked, why))
			continue
		}
		g := Grant{Host: t.host(l.real), Why: "folder, looked at and granted to be there, which opens all that it holds"}
		if g.Host != asked {
			g.Box = asked
		}
		if g.writes() {
			put(&ro, g)
		}
	}
	return ro, rw
}

// unlinked says whether another name is one of the watching box's that nothing granted
// has. What holds a mount has no other names: that would not be at them.
func (t *tree) unlinked(all *placed, l link) bool {
	from, ok := covering(t.mounts, l.asked)
	if given, ok := covering(t.given, l.asked); ok && within(given.Target, from.Target) {
		return false
	}
	if !ok || !ofHost(from) || from.Target == l.asked || t.around[l.asked] || t.around[l.real] {
		return false
	}
	_, shown := all.over(l.asked)
	return !shown && !all.around[l.asked] && (Grant{Host: t.host(l.real), Box: l.asked}).writes()
}

// alias is a writable grant under the other name: as a whole, if the names in it are the
// same and it holds no mount, and else what is meant alone.
func (t *tree) alias(w Grant, l link) Grant {
	const why = "a link leads to it, by which it was written to"
	from, _ := covering(t.mounts, l.asked)
	if rest := strings.TrimPrefix(l.real, w.at()); rest != "" && strings.HasSuffix(l.asked, rest) && !t.around[w.at()] {
		if at := strings.TrimSuffix(l.asked, rest); at != from.Target && within(at, from.Target) {
			return Grant{Host: w.Host, Box: at, Why: why}
		}
	}
	return Grant{Host: t.host(l.real), Box: l.asked, Why: why}
}

// host is where on the host a path of the box is.
func (t *tree) host(p string) string {
	m, _ := covering(t.mounts, p)
	return host(m, p)
}

func compareLinks(a, b link) int {
	return strings.Compare(a.real+"\x00"+a.asked, b.real+"\x00"+b.asked)
}
