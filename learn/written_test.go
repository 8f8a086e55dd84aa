package learn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
)

// What was written on the host in the watching box, and is not enforced, is a difference
// even if the program ends the same.
func TestCompareTellsOfWrites(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(p string) string { return filepath.Join(dir, p) }
	if err := os.WriteFile(at("replaced"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	all := mount(jail.MountRW, dir, dir)
	own := func(p string) jail.PathUse { return jail.PathUse{Path: p, Real: p, Made: true, Written: true} }
	both := func(p string) jail.PathUse {
		u := shownAt(all, made(at(p)))
		u.Removed = true
		return u
	}
	for _, c := range []struct {
		name     string
		watched  []jail.PathUse
		view     []jail.Mount
		start    string
		enforced []jail.PathUse
		want     []string
	}{
		{"written there too", []jail.PathUse{shownAt(all, made(at("out")))}, []jail.Mount{all}, dir, []jail.PathUse{shownAt(all, made(at("out")))}, nil},
		{"by another name", []jail.PathUse{shownAt(all, made(at("out-17")))}, []jail.Mount{all}, dir, []jail.PathUse{shownAt(all, made(at("out-18")))}, nil},
		{"made before, and not again", []jail.PathUse{shownAt(all, made(at("cache/x")))}, []jail.Mount{all}, dir, nil, nil},
		{"in memory", []jail.PathUse{shownAt(all, made(at("out")))}, nil, dir, []jail.PathUse{own(at("out"))}, []string{"out: memory view.rw"}},
		{"in memory, where it started elsewhere", []jail.PathUse{shownAt(all, made(at("out")))}, nil, "", []jail.PathUse{own("/tmp/out")}, []string{"out: memory view.rw"}},
		{"in memory, by a mount in what is writable", []jail.PathUse{shownAt(all, made(at("d/out")))}, []jail.Mount{all, tmpfs(at("d"))}, dir, []jail.PathUse{own(at("d/out"))}, []string{"d/out: memory view.rw"}},
		{"nowhere", []jail.PathUse{shownAt(all, wrote(at("log")))}, []jail.Mount{mount(jail.MountRO, dir, dir)}, dir, nil, []string{"log: view.rw"}},
		{"a folder with all in it", []jail.PathUse{shownAt(all, made(at("d/x/y"))), shownAt(all, madeDir(at("d"))), shownAt(all, made(at("d.txt")))}, nil, dir, nil, []string{"d.txt: view.rw", "d: view.rw"}},
		{"for a while alone", []jail.PathUse{both("scratch")}, nil, dir, []jail.PathUse{own(at("scratch"))}, nil},
		{"removed and made anew", []jail.PathUse{both("replaced")}, nil, dir, []jail.PathUse{own(at("replaced"))}, []string{"replaced: memory view.rw"}},
		{"in memory when watched", []jail.PathUse{own("/tmp/x")}, nil, dir, []jail.PathUse{own("/tmp/x")}, nil},
	} {
		result := func(uses []jail.PathUse) jail.Result { return jail.Result{Used: &jail.Used{Paths: uses}} }
		got := Compare(jail.Spec{Dir: dir, View: []jail.Mount{all}}, result(c.watched), jail.Spec{Dir: c.start, View: c.view}, result(c.enforced))
		if len(got.Differences) != len(c.want) || got.Same != (len(c.want) == 0) {
			t.Errorf("%s: %q, want %q", c.name, got.Differences, c.want)
			continue
		}
		for i, want := range c.want {
			name, words, _ := strings.Cut(want, ": ")
			text := got.Differences[i]
			if !strings.HasPrefix(text, `"`+at(name)+`" was written on the host`) {
				t.Errorf("%s: %q, want %q", c.name, text, want)
			}
			for _, word := range []string{"memory", "view.rw"} {
				if strings.Contains(text, word) != strings.Contains(words, word) {
					t.Errorf("%s: %q, want %q", c.name, text, want)
				}
			}
		}
	}
}
