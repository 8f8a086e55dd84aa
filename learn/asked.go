package learn

import (
	"fmt"
	"slices"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail"
)

// A program that asks whether it may write somewhere (access(2)), and does not, is granted
// nothing there to be written to: many ask, and most go on whatever the answer is. What goes
// on otherwise has to have been told of it.

// unasked are what it asked so of, was told that it may, and is told by the profile that it
// may not.
func (t *tree) unasked(writable []Grant) (list []string) {
	for _, p := range t.mayWrite {
		m, ok := t.covering(p)
		if !ok || slices.ContainsFunc(writable, func(g Grant) bool { return within(p, g.at()) }) || t.missing(p) || t.withheld(p) != "" {
			continue
		}
		g := Grant{Host: host(m, p)}
		if g.Host != p {
			g.Box = p
		}
		if g.writes() {
			list = append(list, fmt.Sprintf("it asked whether it may write to %s, and did not write there: with this profile it may not; if it goes by that: view.rw = [%s]", shellword.Text(p), shellword.TOML(g.value())))
		}
	}
	return unique(list)
}

// toldNot are what a program asked so of and was told that it may, and enforced was told
// that it may not: a run that came to another end may have gone by that.
func toldNot(watched, enforced *jail.Used) (list []string) {
	if watched == nil || enforced == nil {
		return nil
	}
	for _, u := range watched.Paths {
		if u.MayWrite && (Grant{Host: u.Source}).writes() && slices.Contains(enforced.Unwritable, u.Path) {
			list = append(list, fmt.Sprintf("it asked whether it may write to %s, and was told that it may not, which it may in the watching box; to have it so: view.rw = [%s]", shellword.Text(u.Path), shellword.TOML(u.Source)))
		}
	}
	if list = unique(list); len(list) > mostAsked {
		list = append(list[:mostAsked], fmt.Sprintf("and of %d more paths", len(list)-mostAsked))
	}
	return list
}

// mostAsked is how many of those are told of.
const mostAsked = 8
