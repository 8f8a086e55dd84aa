package learn

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/seed-75010da9/jail/internal/shellword"
)

// writable is where something was written: a file that was there before, or the
// folder in which something was made or removed, as far as that was there before.
func (t *tree) writable() []Grant {
	count := map[string]int{}
	for p, n := range t.wrote {
		root := t.root(p)
		at := p
		if t.made[p] && p != root {
			at = path.Dir(p)
		}
		for at != root && (t.made[at] || passing(path.Base(at))) {
			at = path.Dir(at)
		}
		if pack := packOf(at, root); pack != "" && !t.made[pack] {
			at = pack
		}
		count[at] += n
		if at != p {
			t.dirs[at] = true
		}
	}
	count = t.gather(count)
	t.join(count)
	return t.grants(t.fold(count), "written to", t.wrote)
}

// join makes one grant of two between which something was moved or linked: the folder
// around both. From one mount to another no kernel does that (rename(2), EXDEV).
func (t *tree) join(count map[string]int) {
	for _, move := range t.moves {
		from, to := cmp.Or(t.top(count, move[0]), move[0]), t.top(count, move[1])
		if to == "" || from == to || t.root(from) != t.root(to) {
			continue
		}
		both := common(from, to)
		if why := t.keeps(both); why != "" && why != t.keeps(t.root(both)) {
			t.open = append(t.open, fmt.Sprintf("moving from %s to %s was seen, which takes %s as a whole; it is not granted unless you name it: %s", shellword.Text(move[0]), shellword.Text(move[1]), shellword.Text(both), why))
			continue
		}
		count[both] += count[from] + count[to]
		t.dirs[both] = true
	}
}

// top is the outermost of some paths that a folder lies in, or is, within its grant, or
// "".
func (t *tree) top(paths map[string]int, p string) (top string) {
	root := t.root(p)
	for at := p; within(at, root); at = path.Dir(at) {
		if _, ok := paths[at]; ok {
			top = at
		}
		if at == root {
			break
		}
	}
	return top
}

// common is the folder around two paths.
func common(a, b string) string {
	for !within(b, a) {
		a = path.Dir(a)
	}
	return a
}

// fold leaves the outermost paths.
func (t *tree) fold(count map[string]int) map[string]int {
	folded := map[string]int{}
	for p, n := range count {
		folded[t.top(count, p)] += n
	}
	return folded
}

// gather makes a folder of many things in it, and that again, from the inside out; what
// lies in another is left out.
func (t *tree) gather(count map[string]int) map[string]int {
	count = t.fold(count)
	in := map[string]int{}
	depths := map[int][]string{}
	note := func(p string) {
		if p == t.root(p) {
			return
		}
		dir := path.Dir(p)
		if in[dir]++; in[dir] == 1 {
			depths[depth(dir)] = append(depths[depth(dir)], dir)
		}
	}
	for p := range count {
		note(p)
	}
	for at := slices.Max(append(slices.Collect(maps.Keys(depths)), 0)); at > 0; at-- {
		for _, dir := range depths[at] {
			if in[dir] >= t.enough && t.keeps(dir) == "" && !t.missing(dir) {
				count[dir] += 0
				t.dirs[dir] = true
				note(dir)
			}
		}
	}
	return t.fold(count)
}

// depth is how many names a path has.
func depth(p string) int {
	n := 0
	for ; p != "/" && p != "."; p = path.Dir(p) {
		n++
	}
	return n
}
