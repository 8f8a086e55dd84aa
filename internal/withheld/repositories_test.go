package withheld

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Who stands in a folder around a repository, grants one, or names it to the program, is
// hinted at nothing to be written that its settings name.
func TestHintsAreNotForWhatSettingsBelowName(t *testing.T) {
	dir := closedTree(t, "me/x", "src/deep/r/.git/HEAD", "src/hooks/x", "src/inc/x", "src/tree/x", "src/data/x", "bare/HEAD", "bare/objects/x", "bare/refs/x", "far/x", "named/.git/HEAD", "else/x", "src/node_modules/p/.git/HEAD", "src/p/x")
	for file, text := range map[string]string{
		"src/deep/r/.git/config":         "[core]\n\thooksPath = ../../hooks\n\tworktree = ../../../tree\n[include]\n\tpath = ../../../inc/x\n",
		"bare/config":                    "[core]\n\tbare = true\n\thooksPath = " + dir + "/far\n",
		"named/.git/config":              "[core]\n\thooksPath = " + dir + "/else\n",
		"src/node_modules/p/.git/config": "[core]\n\thooksPath = " + dir + "/src/p\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	read := func(at string) Box { return Box{Read: []string{filepath.Join(dir, at)}} }
	written := func(at string) Box { return Box{Written: []string{filepath.Join(dir, at)}} }
	for _, c := range []struct {
		stands string
		has    Box
		named  string
		kept   []string
	}{
		{"me", Box{}, "", nil},
		{"src", Box{}, "", []string{"src/hooks", "src/hooks/x", "src/inc/x", "src/inc", "src/tree", "src/tree/x"}},
		{"me", read("src"), "", []string{"src/hooks", "src/hooks/x", "src/inc/x", "src/inc", "src/tree", "src/tree/x"}},
		{"me", written("src/deep"), "", []string{"src/hooks", "src/hooks/x", "src/inc/x", "src/inc", "src/tree", "src/tree/x"}},
		{"me", read("bare"), "", []string{"far", "far/x"}},
		{"bare/refs", Box{}, "", []string{"far", "far/x"}},
		{"me", Box{}, "named/.git", []string{"else", "else/x"}},
	} {
		t.Chdir(filepath.Join(dir, c.stands))
		if c.named != "" {
			c.has.Named = []string{filepath.Join(dir, c.named)}
		}
		h := For(c.has)
		for _, p := range []string{"src/hooks", "src/hooks/x", "src/inc/x", "src/inc", "src/tree", "src/tree/x", "src/data", "src/data/x", "src/p", "far", "far/x", "else", "else/x"} {
			kept := false
			for _, k := range c.kept {
				kept = kept || k == p
			}
			f, ok := h.At(filepath.Join(dir, p))
			if why := h.Why(f, Write); !ok || (why != "") != kept || kept && !strings.Contains(why, "git") {
				t.Errorf("from %s with %v and %q: unhintable(%s) to be written = %q, want kept back: %v", c.stands, c.has, c.named, p, why, kept)
			}
			if why := h.Why(f, Read); why != "" {
				t.Errorf("from %s: unhintable(%s) to be read = %q", c.stands, p, why)
			}
		}
	}
}

// What was granted to be read and could not be looked through for repositories may hold
// any; what else is looked through may be whatever the caller has.
func TestHintsAreNotForWhatUnseenSettingsMayName(t *testing.T) {
	dir := closedTree(t, "me/x", "many/x", "out/x")
	for i := range 70 {
		os.MkdirAll(filepath.Join(dir, "many", strings.Repeat("r", i+1), ".git"), 0o755)
	}
	t.Chdir(dir + "/me")
	many := []string{dir + "/many"}
	for _, c := range []struct {
		has  Box
		kept bool
	}{{Box{Read: many}, true}, {Box{Written: many}, false}} {
		h, kept := For(c.has), c.kept
		f, _ := h.At(dir + "/out")
		if why := h.Why(f, Write); strings.Contains(why, "not all repositories") != kept || !kept && why != "" {
			t.Errorf("unhintable of what lies outside of %+v with too many repositories = %q, want kept back: %v", c.has, why, kept)
		}
	}
}
