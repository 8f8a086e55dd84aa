package learn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/internal/withheld"
	"github.com/seed-75010da9/jail/jail"
)

// What was written to the host in a watching box is to be written there enforced as well.
// That the program wrote by the same name is not enough, nor asked for: a folder of the
// box's own in memory swallows what the host never sees, below /tmp for one; and names of
// what is made differ from run to run, where one that was made before is not made again.

// unwritten says what a program wrote to the host in the watching box that a box of other
// does not write there, where nothing else of it is told. enforced is what it used in
// that, by paths as in the watching box.
func unwritten(watched *jail.Used, other jail.Spec, enforced *jail.Used, told []string) (list []string) {
	if watched == nil || enforced == nil {
		return nil
	}
	view, swallowed := map[string]jail.Mount{}, map[string]bool{}
	for _, m := range other.View {
		view[m.Target] = m
	}
	for _, u := range enforced.Paths {
		if (u.Made || u.Written) && !ofHost(jail.Mount{Kind: u.Kind}) {
			swallowed[u.Path] = true
		}
	}
	shows, hints := covers(view), withheld.NewFor(lookingAt)
	var outer string // what was made and is told of, with all that it holds
	for _, u := range hostWrites(watched) {
		quoted := shellword.Text(u.Path)
		given := shows.from(u.Real)
		lands := given.ok && given.mount.Kind == jail.MountRW && host(given.mount, u.Real) == u.Source
		switch {
		case outer != "" && within(u.Real, outer):
		case lands && !swallowed[u.Path]:
		case u.Made && u.Removed && hints.Gone(u.Source): // for a while alone
		case slices.ContainsFunc(told, func(line string) bool { return strings.Contains(line, quoted) }):
		default:
			if u.Made {
				outer = u.Real
			}
			list = append(list, quoted+" was written on the host in the watching box, and was not here"+fate(u, swallowed)+way(hints, u))
		}
	}
	if len(list) > mostOtherwise {
		list = append(list[:mostOtherwise], fmt.Sprintf("%d more paths were not written on the host", len(list)-mostOtherwise))
	}
	return list
}

// hostWrites are what was written to the host, what holds others first.
func hostWrites(used *jail.Used) (list []jail.PathUse) {
	for _, u := range used.Paths {
		if u.Kind == jail.MountRW && (u.Made || u.Written) && (u.Made || !u.Special) {
			list = append(list, u)
		}
	}
	slices.SortStableFunc(list, func(a, b jail.PathUse) int { return strings.Compare(a.Real+"/", b.Real+"/") })
	return list
}

// fate is where it went.
func fate(u jail.PathUse, swallowed map[string]bool) string {
	if swallowed[u.Path] {
		return ": it went to a folder in memory of the box's own, and is gone with it"
	}
	return ""
}

// way is what has it written there, but for what no hint names.
func way(hints *withheld.Looks, u jail.PathUse) string {
	g := Grant{Host: u.Source}
	if u.Made || u.Removed {
		g.Host = parent(u.Source)
	}
	if !g.writes() || hints.Withheld(g.Host, true) != "" {
		return ""
	}
	return "; to have it there: view.rw = [" + shellword.TOML(g.Host) + "]"
}
