package learn

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/internal/withheld"
)

// grants are in order, each with some of what was used of it, and what it opens besides.
func (t *tree) grants(count map[string]int, how string, used map[string]int) []Grant {
	var grants []Grant
	names, touched := namesIn(count, used), around(used)
	for p, n := range count {
		m, ok := t.covering(p)
		if !ok || !ofHost(m) {
			continue
		}
		g := Grant{Host: host(m, p), names: names[p]}
		if g.Host != p {
			g.Box = p
		}
		if !g.writes() {
			t.open = append(t.open, fmt.Sprintf("%s was used, and a profile has no way to write it: grant the folder that it is in", shellword.Text(p)))
			continue
		}
		if t.gone(p) {
			continue
		}
		if t.withhold(p) {
			continue
		}
		what := "file"
		if t.dirs[p] {
			what = "folder"
		}
		times := fmt.Sprintf("%d times", n)
		if n == 1 {
			times = "once"
		}
		g.Why = what + ", " + how + " " + times + g.names
		if t.dirs[p] {
			g.opens = t.openingText(p, touched, how == howWritten)
			g.Why += g.opens
		}
		if !t.dirs[p] && withheld.KeyNamed(g.Host) {
			g.Why += "; it is called as keys and tokens are"
		}
		if how == howWritten && steers(g.Host) {
			g.Why += "; programs of yours may be told by it what to do, outside of any box"
		}
		grants = append(grants, g)
	}
	sortGrants(grants)
	return grants
}

// How something was used, in a comment.
const (
	howRead    = "read"
	howWritten = "written to"
)

// around says of a path whether it is one of some, or holds one.
func around(paths map[string]int) func(p string) bool {
	above := map[string]bool{}
	for p := range paths {
		addAbove(above, p)
	}
	return func(p string) bool { _, ok := paths[p]; return ok || above[p] }
}

// writes says whether a profile can write a grant: HOST or HOST:BOX.
func (g Grant) writes() bool {
	for _, p := range []string{g.Host, g.Box} {
		if !utf8.ValidString(p) || strings.Contains(p, ":/") || strings.HasSuffix(p, ":") || strings.IndexByte(p, 0) >= 0 {
			return false
		}
	}
	return true
}

func sortGrants(grants []Grant) {
	slices.SortFunc(grants, func(a, b Grant) int { return strings.Compare(a.value(), b.value()) })
}

// mostNamed is how many names a comment has, and longestNamed how much of one, in bytes.
const (
	mostNamed    = 3
	longestNamed = 120
)

// namesIn has some of what was used below each of some paths, in words.
func namesIn(paths map[string]int, used map[string]int) map[string]string {
	in := map[string][]string{}
	around := newClimb(func(p string, above []string) []string {
		if _, ok := paths[p]; ok && p != "/" {
			return append(slices.Clip(above), p)
		}
		return above
	})
	for p := range used {
		for _, at := range around.from(parent(p)) {
			in[at] = append(in[at], p[len(at)+1:])
		}
	}
	texts := map[string]string{}
	for p, names := range in {
		slices.Sort(names)
		for i, name := range names[:min(len(names), mostNamed)] {
			if names[i] = shellword.Quote(name); len(name) > longestNamed {
				names[i] = shellword.Quote(strings.ToValidUTF8(name[:longestNamed], "")) + "…"
			}
		}
		texts[p] = ": " + strings.Join(names[:min(len(names), mostNamed)], ", ")
		if more := len(names) - mostNamed; more > 0 {
			texts[p] += fmt.Sprintf(" and %d more", more)
		}
	}
	return texts
}
