package learn

import (
	"maps"
	"path"
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
	if t.listings != listNone {
		count = t.readCounts(at, true)
	}
	grants := t.grants(count, howRead, t.read)
	for i, g := range grants {
		used := g.opens + "; read of it: " + orNothing(strings.TrimPrefix(g.names, ": "))
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
	inWritable := t.outermost(func(p string) bool { return writable[p] })
	add := func(p string, n int) {
		root, at := t.root(p), p
		if t.made[p] || inWritable.from(p) != "" {
			return
		}
		for at != root && (passing(path.Base(at)) || t.differs(at)) {
			at = parent(at)
			t.dirs[at] = true
		}
		if pack := t.packs.from(at); pack != "" {
			at = pack
			t.dirs[at] = true
		}
		if t.dirs[at] && t.withhold(at) {
			if t.dirs[p] {
				return
			}
			at = p
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
			if t.lists(p) {
				add(p, 1)
			}
		}
	}
	// A name that leads to something else counts for its folder, and is nothing itself.
	names := map[string]bool{}
	for l, h := range t.links {
		if _, own := count[l.asked]; !own && h != writes && (h != lists || listings && t.lists(l.real)) && !t.isGiven(l.asked, jail.MountRO) && !t.made[l.asked] && inWritable.from(l.asked) == "" {
			names[l.asked] = true
		}
	}
	for p := range names {
		count[p] += 0
	}
	count = t.gather(count, false)
	for p := range names {
		if !t.dirs[p] {
			delete(count, p)
		}
	}
	return count
}

func orNothing(names string) string {
	if names == "" {
		return "nothing"
	}
	return names
}
