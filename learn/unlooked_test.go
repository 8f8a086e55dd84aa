package learn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/internal/withheld"
	"github.com/seed-75010da9/jail/jail"
)

// What a program used of a folder does not have the folder granted that nobody could look
// into any more: it may have kept the time for that short itself.
func TestNoFolderUnlooked(t *testing.T) {
	dir := t.TempDir()
	backup := filepath.Join(dir, "backup")
	if err := os.MkdirAll(filepath.Join(backup, ".ssh"), 0o755); err != nil {
		t.Fatal(err)
	}
	var used []jail.PathUse
	for _, name := range []string{"a", "b", "c", "d", "sub/x", "sub/y", "sub/z", "sub/node_modules/m/x.js"} {
		p := filepath.Join(backup, name)
		os.MkdirAll(filepath.Dir(p), 0o755)
		os.WriteFile(p, nil, 0o644)
		used = append(used, jail.PathUse{Path: p, Real: p, Kind: jail.MountRO, Source: p, Read: true, Count: 1})
	}
	sub := filepath.Join(backup, "sub")
	used = append(used, jail.PathUse{Path: sub, Real: sub, Kind: jail.MountRO, Source: sub, Read: true, Dir: true, Count: 1})
	spec := jail.Spec{View: []jail.Mount{{Kind: jail.MountRO, Source: dir, Target: dir}}}
	runs := []Watched{{Spec: spec, Result: jail.Result{Used: &jail.Used{Paths: used}}}}
	tree := newTree(runs, listAll, newJudge())
	tree.hints = withheld.NewFor(0)
	l := fromTree("base", []string{"x"}, runs, tree)
	for _, g := range l.ReadOnly {
		if rel, _ := filepath.Rel(backup, g.Host); !strings.Contains(" a b c d sub/x sub/y sub/z sub/node_modules/m/x.js ", " "+rel+" ") {
			t.Errorf("%s is granted (%s), and nobody looked into it", g.Host, g.Why)
		}
	}
	if len(l.ReadOnly) != 8 || len(l.Open) != 2 || !strings.Contains(l.Open[0], unlooked) {
		t.Errorf("granted %v, left open %q; want eight files, and two folders left open", l.ReadOnly, l.Open)
	}
}
