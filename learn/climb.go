package learn

import (
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/jail"
)

// How many paths there are and how deep they lie is the program's choice: what is asked of
// each on its way up is remembered for the folders there, which others share.

// A climb remembers what was found on the way up from paths.
type climb[T any] struct {
	known map[string]T
	// step is what is found from a path on up, from what was found from the folder on that
	// it lies in.
	step func(p string, above T) T
}

func newClimb[T any](step func(p string, above T) T) *climb[T] {
	return &climb[T]{map[string]T{}, step}
}

func (c *climb[T]) from(p string) T {
	var way []string
	found, ok := c.known[p]
	for !ok {
		if way = append(way, p); p == "/" {
			break
		}
		p = parent(p)
		found, ok = c.known[p]
	}
	for _, at := range slices.Backward(way) {
		found = c.step(at, found)
		c.known[at] = found
	}
	return found
}

// parent is path.Dir of a clean, absolute path, at the cost of its last name.
func parent(p string) string {
	if i := strings.LastIndexByte(p, '/'); i > 0 {
		return p[:i]
	}
	return "/"
}

// within says whether a path is a folder or lies below it.
func within(p, dir string) bool {
	dir = strings.TrimSuffix(dir, "/")
	return p == dir || len(p) > len(dir) && p[len(dir)] == '/' && p[:len(dir)] == dir
}

// A cover is the deepest of some mounts that shows a path of the box.
type cover struct {
	mount jail.Mount
	ok    bool
}

func covers(mounts map[string]jail.Mount) *climb[cover] {
	return newClimb(func(p string, above cover) cover {
		if m, ok := mounts[p]; ok {
			return cover{m, true}
		}
		return above
	})
}

// outermost is the outermost path on the way up, within the grant that a path lies in, of
// which something holds.
func (t *tree) outermost(holds func(p string) bool) *climb[string] {
	return newClimb(func(p, above string) string {
		if p == t.root(p) {
			above = ""
		}
		if above == "" && holds(p) {
			return p
		}
		return above
	})
}

// tops are the outermost of some paths that a folder lies in, or is, within its grant.
func (t *tree) tops(paths map[string]int) *climb[string] {
	return t.outermost(func(p string) bool { _, ok := paths[p]; return ok })
}
