package learn

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// packOf is the outermost folder of a path that is installed as a whole, below a
// grant's root or that itself.
func packOf(p, root string) string {
	pack := ""
	for at := p; within(at, root); at = path.Dir(at) {
		if slices.Contains(packs, path.Base(at)) {
			pack = at
		}
		if at == root {
			break
		}
	}
	return pack
}

// gather makes a folder of many things in it, and that again, until nothing
// changes; what lies in another is left out.
func (t *tree) gather(count map[string]int) map[string]int {
	for {
		in := map[string]int{}
		for p := range count {
			if root := t.root(p); p != root {
				in[path.Dir(p)]++
			}
		}
		changed := false
		for dir, n := range in {
			if n < enough || count[dir] > 0 || t.keeps(dir) != "" {
				continue
			}
			t.dirs[dir], changed = true, true
			for p := range count {
				if path.Dir(p) == dir {
					count[dir] += count[p]
				}
			}
		}
		for p := range count {
			for dir := path.Dir(p); dir != "/" && dir != "."; dir = path.Dir(dir) {
				if _, ok := count[dir]; ok && t.root(dir) == t.root(p) {
					count[dir] += count[p]
					delete(count, p)
					changed = true
					break
				}
			}
		}
		if !changed {
			return count
		}
	}
}

// grants are in order, each with some of what was used of it.
func (t *tree) grants(count map[string]int, how string, used map[string]int) []Grant {
	var grants []Grant
	for p, n := range count {
		m, ok := covering(t.mounts, p)
		if !ok {
			continue
		}
		g := Grant{Host: host(m, p)}
		if g.Host != p {
			g.Box = p
		}
		if !g.writes() {
			t.open = append(t.open, fmt.Sprintf("%q was used, and a profile has no way to write it: grant the folder that it is in", p))
			continue
		}
		if why := t.keeps(p); why != "" && p != m.Target && why != t.keeps(m.Target) {
			t.open = append(t.open, fmt.Sprintf("%q was used, and is not granted unless you name it: %s", p, why))
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
		g.Why = what + ", " + how + " " + times + some(p, used)
		grants = append(grants, g)
	}
	sortGrants(grants)
	return grants
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

// mostNamed is how many names a comment has.
const mostNamed = 3

// some names some of what was used below a folder.
func some(dir string, used map[string]int) string {
	var names []string
	for p := range used {
		if p != dir && within(p, dir) {
			names = append(names, strings.TrimPrefix(strings.TrimPrefix(p, dir), "/"))
		}
	}
	slices.Sort(names)
	switch {
	case len(names) == 0:
		return ""
	case len(names) > mostNamed:
		return ": " + strings.Join(names[:mostNamed], ", ") + fmt.Sprintf(" and %d more", len(names)-mostNamed)
	}
	return ": " + strings.Join(names, ", ")
}
