package learn

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail"
)

// A placed is what is granted, by where the box has it.
type placed struct {
	grants  map[string]Grant
	around  map[string]bool // the folders that these lie in
	lengths map[int]bool    // of their paths: no others are looked up
}

func newPlaced() *placed {
	return &placed{map[string]Grant{}, map[string]bool{}, map[int]bool{}}
}

func (p *placed) add(g Grant) Grant {
	p.grants[g.at()], p.lengths[len(g.at())] = g, true
	addAbove(p.around, g.at())
	return g
}

// over is the innermost grant that a path lies in, or is.
func (p *placed) over(at string) (Grant, bool) {
	for ; at != "/" && at != "."; at = parent(at) {
		if !p.lengths[len(at)] {
			continue
		}
		if g, ok := p.grants[at]; ok {
			return g, true
		}
	}
	return Grant{}, false
}

// beside is what is granted beside what was read and written: what links lead to, under
// their names, where the links themselves are not there, and folders that were looked at.
func (t *tree) beside(readOnly, writable []Grant) (ro, rw []Grant) {
	all := newPlaced()
	for target := range t.given {
		addAbove(all.around, target)
	}
	for _, g := range slices.Concat(readOnly, writable) {
		all.add(g)
	}
	ro, rw = t.otherNames(all, writable)
	return append(ro, t.lookedAt(all)...), rw
}

// otherNames are what links lead to, read-only and writable.
func (t *tree) otherNames(all *placed, writable []Grant) (ro, rw []Grant) {
	written := newPlaced()
	for _, g := range writable {
		written.add(g)
	}
	for _, l := range slices.SortedFunc(maps.Keys(t.links), compareLinks) {
		h := t.links[l]
		if _, granted := all.over(l.real); !granted { // it was refused, under any name
			continue
		}
		if !t.unlinked(all, l) || h == lists && !t.lists(l.real) || t.gone(l.real) {
			continue
		}
		w, ok := written.over(l.real)
		if !ok || h&writes == 0 {
			ro = append(ro, all.add(Grant{Host: t.host(l.real), Box: l.asked, Why: "a link leads to it"}))
			continue
		}
		rw = append(rw, all.add(t.alias(w, l)))
	}
	return ro, rw
}

// lookedAt are the folders that were only looked at and that nothing else makes be there.
func (t *tree) lookedAt(all *placed) (ro []Grant) {
	for _, asked := range slices.Backward(slices.Sorted(maps.Keys(t.looked))) { // the inner ones first
		l := link{asked, t.looked[asked]}
		_, shown := all.over(l.asked)
		if shown || all.around[l.asked] || t.made[l.real] || passing(path.Base(l.real)) || l.asked != l.real && !t.unlinked(all, l) || t.gone(l.real) {
			continue
		}
		if why := t.keeps(l.real); why != "" {
			t.open = append(t.open, fmt.Sprintf("%s was looked at, and is not granted unless you name it: %s", shellword.Text(asked), why))
			continue
		}
		g := Grant{Host: t.host(l.real), Why: "folder, looked at and granted to be there, which opens all that it holds"}
		if g.Host != asked {
			g.Box = asked
		}
		if g.writes() {
			ro = append(ro, all.add(g))
		}
	}
	return ro
}

// unlinked says whether another name is one of the watching box's that nothing granted
// has. What holds a mount has no other names: that would not be at them.
func (t *tree) unlinked(all *placed, l link) bool {
	from, ok := t.covering(l.asked)
	if given := t.givens.from(l.asked); given.ok && within(given.mount.Target, from.Target) {
		return false
	}
	if !ok || !ofHost(from) || from.Target == l.asked || t.around[l.asked] || t.around[l.real] {
		return false
	}
	_, shown := all.over(l.asked)
	return !shown && !all.around[l.asked] && (Grant{Host: t.host(l.real), Box: l.asked}).writes() && t.led(from, l)
}

// leads says whether the host has that link: what a program puts into the place of a
// grant, or makes for a while, is not what the next box is to find there.
func (t *tree) leads(from jail.Mount, l link) bool {
	return t.there.Lead(host(from, l.asked), t.host(l.real)) || t.there.Gone(from.Source)
}

// led is leads, and notes a name that does not.
func (t *tree) led(from jail.Mount, l link) bool {
	if t.leads(from, l) {
		return true
	}
	t.open = append(t.open, fmt.Sprintf("%s led to %s, which it does not on the host: it is not granted by that name", shellword.Text(l.asked), shellword.Text(l.real)))
	return false
}

// alias is a writable grant under the other name: as a whole, if the names in it are the
// same and it holds no mount, and else what is meant alone.
func (t *tree) alias(w Grant, l link) Grant {
	const why = "a link leads to it, by which it was written to"
	from, _ := t.covering(l.asked)
	if rest := strings.TrimPrefix(l.real, w.at()); rest != "" && strings.HasSuffix(l.asked, rest) && !t.around[w.at()] {
		at := strings.TrimSuffix(l.asked, rest)
		if at != from.Target && within(at, from.Target) && t.leads(from, link{at, w.at()}) {
			return Grant{Host: w.Host, Box: at, Why: why}
		}
	}
	return Grant{Host: t.host(l.real), Box: l.asked, Why: why}
}

// host is where on the host a path of the box is.
func (t *tree) host(p string) string {
	m, _ := t.covering(p)
	return host(m, p)
}

func compareLinks(a, b link) int {
	return strings.Compare(a.real+"\x00"+a.asked, b.real+"\x00"+b.asked)
}
