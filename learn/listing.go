package learn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
)

// A folder that was merely listed was asked for its names, and a grant of these opens what
// they name. What a program does with them shows by running it without.

// A listing is which of the folders that were merely listed are granted.
type listing uint8

const (
	listAll listing = iota
	listNone
	listHarmless // those that hold nothing private
)

// lists says whether a folder is granted for being listed.
func (t *tree) lists(p string) bool {
	switch t.listings {
	case listNone:
		return false
	case listHarmless:
		return t.keeps(p) == "" && t.holds(p).known && !private(t.opened(p, func(p string) bool { _, ok := t.read[p]; return ok }))
	}
	return true
}

// WithoutListings is l without the folders that were merely listed, or nil if there
// are none. In its box such a folder has no names but those of what is granted in it:
// many a program does with these, and which ones shows by running it.
func (l *Learned) WithoutListings() *Learned {
	if !slices.ContainsFunc(l.ReadOnly, func(g Grant) bool { return g.Listed }) {
		return nil
	}
	return l.relisted(listNone, "it ran the same with no names in it but those granted here")
}

// WithoutTelling is WithoutListings of a program that runs another way each time, whether
// it has the names or not.
func (l *Learned) WithoutTelling() *Learned {
	return l.relisted(listNone, "with no names in it but those granted here it ran as it does with them, as far as what differs from run to run shows that")
}

// Untried is l where nobody saw it run without the folders that were merely listed: those
// that hold keys, or what could not be looked at, are left out.
func (l *Learned) Untried() *Learned {
	return l.relisted(listHarmless, "not granted, since keys and tokens may lie in it, and a run without was not tried")
}

// Undecided is Untried where that was tried and told nothing.
func (l *Learned) Undecided() *Learned {
	return l.relisted(listHarmless, "not granted, since keys and tokens may lie in it, and whether it needs the names runs with and without them did not tell")
}

// relisted is l with other listings, and why for those that it lacks.
func (l *Learned) relisted(which listing, why string) *Learned {
	other := from(l.Extends, l.Args, l.Runs, which, l.judge)
	for _, g := range l.ReadOnly {
		if g.Listed && !slices.ContainsFunc(other.ReadOnly, func(o Grant) bool { return o.value() == g.value() }) {
			all := "all"
			if keys, ok := strings.CutPrefix(g.opens, opensBesides); ok {
				all += " (" + keys + ")"
			}
			other.Open = append(other.Open, fmt.Sprintf("listing %s: %s; to show all, which opens %s: view.ro = [%s]", shellword.Text(g.at()), why, all, shellword.TOML(g.value())))
		}
	}
	return other
}
