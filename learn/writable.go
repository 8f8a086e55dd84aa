package learn

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
)

// writable is where something was written: a file that was there before, or the
// folder in which something was made or removed, as far as that was there before. A file
// that is written from its start, and that an earlier run may have made, takes the folder
// that making it takes, but for one that opens keys or what tells programs what to do: else
// the profile is of no use where all that was made has been removed.
func (t *tree) writable() []Grant {
	count, written := map[string]int{}, around(t.wrote)
	for p, n := range t.wrote {
		root := t.root(p)
		at := p
		if p != root && (t.made[p] || t.anew[p] && t.openable(parent(p), written)) {
			at = parent(p)
		}
		for at != root && (t.made[at] || passing(path.Base(at)) || t.differs(at) || t.stale(at)) {
			at = parent(at)
		}
		if pack := t.packs.from(at); pack != "" && !t.made[pack] {
			at = pack
		}
		count[at] += n
		if at != p {
			t.dirs[at] = true
		}
	}
	count = t.gather(count, true)
	t.join(count)
	return t.grants(t.fold(count), howWritten, t.wrote)
}

// join makes one grant of two between which something was moved or linked: the folder
// around both. From one mount to another no kernel does that (rename(2), EXDEV).
func (t *tree) join(count map[string]int) {
	tops := t.tops(count)
	for _, move := range t.moves {
		from, to := cmp.Or(tops.from(move[0]), move[0]), tops.from(move[1])
		if to == "" || from == to || t.root(from) != t.root(to) {
			continue
		}
		both := common(from, to)
		t.dirs[both] = true
		if why := t.withheld(both); why != "" {
			t.open = append(t.open, fmt.Sprintf("moving from %s to %s was seen, which takes %s as a whole; it is not granted unless you name it: %s", shellword.Text(move[0]), shellword.Text(move[1]), shellword.Text(both), why))
			continue
		}
		count[both] += count[from] + count[to]
		tops = t.tops(count)
	}
}

// common is the folder around two paths.
func common(a, b string) string {
	same := 0 // the end of a name in both, as far as they are the same
	for i := 0; i <= len(a) && i <= len(b); i++ {
		endA, endB := i == len(a) || a[i] == '/', i == len(b) || b[i] == '/'
		if endA && endB {
			same = i
		}
		if i == len(a) || i == len(b) || a[i] != b[i] {
			break
		}
	}
	return cmp.Or(a[:same], "/")
}

// fold leaves the outermost paths.
func (t *tree) fold(count map[string]int) map[string]int {
	folded, tops := map[string]int{}, t.tops(count)
	for p, n := range count {
		folded[tops.from(p)] += n
	}
	return folded
}

// gather makes a folder of many things in it, and that again, from the inside out; what
// lies in another is left out. A folder that is written to as a whole has nothing else in
// it, and one that is read no keys that were not.
func (t *tree) gather(count map[string]int, writable bool) map[string]int {
	count = t.fold(count)
	in := map[string]int{}
	depths := map[int][]string{}
	note := func(p string) {
		if p == t.root(p) {
			return
		}
		dir := parent(p)
		if in[dir]++; in[dir] == 1 {
			depths[depth(dir)] = append(depths[depth(dir)], dir)
		}
	}
	for p := range count {
		note(p)
	}
	counted := func(p string) bool { _, ok := count[p]; return ok }
	harmless := func(dir string) bool { return !private(t.opened(dir, counted)) }
	if writable {
		harmless = func(dir string) bool { return t.alone(dir, counted) }
	}
	for at := slices.Max(append(slices.Collect(maps.Keys(depths)), 0)); at > 0; at-- {
		for _, dir := range depths[at] {
			if in[dir] >= t.enough && t.keeps(dir) == "" && !t.missing(dir) && harmless(dir) {
				count[dir] += 0
				t.dirs[dir] = true
				note(dir)
			}
		}
	}
	return t.fold(count)
}

// depth is how many names a path has.
func depth(p string) int { return strings.Count(strings.TrimSuffix(p, "/"), "/") }
