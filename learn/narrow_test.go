package learn

import (
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
)

// access is what a mount lets happen to the host's files.
func access(k jail.MountKind) int {
	return map[jail.MountKind]int{jail.MountRO: 1, jail.MountSystem: 1, jail.MountRW: 2}[k]
}

func covering(mounts map[string]jail.Mount, p string) (jail.Mount, bool) {
	c := covers(mounts).from(p)
	return c.mount, c.ok
}

// shown is by file of the host what a box lets happen to it, at any of some paths.
func shown(view []jail.Mount, paths []string) map[string]int {
	at, most := map[string]jail.Mount{}, map[string]int{}
	for _, m := range view {
		at[m.Target] = m
	}
	for _, p := range paths {
		if m, ok := covering(at, p); ok && ofHost(m) {
			most[host(m, p)] = max(most[host(m, p)], access(m.Kind))
		}
	}
	return most
}

// accessTo is what a box lets happen to a file of the host's, wherever it has that.
func accessTo(at map[string]jail.Mount, file string) (most int) {
	for _, m := range at {
		if !ofHost(m) || !within(file, m.Source) {
			continue
		}
		if over, _ := covering(at, path.Join(m.Target, strings.TrimPrefix(file, m.Source))); over == m {
			most = max(most, access(m.Kind))
		}
	}
	return most
}

// Whatever a program makes the watcher see, the profile lets happen to no file of the
// host's more than the watching box did.
func TestNeverWiderThanWatched(t *testing.T) {
	view := []jail.Mount{
		mount(jail.MountRW, "/w", "/w"), mount(jail.MountRO, "/w/d/h", "/w/d/h"), mount(jail.MountRW, "/w/d/h/log", "/w/d/h/log"), tmpfs("/w/d/s"),
		mount(jail.MountRO, "/data", "/m"), tmpfs("/m/x"), mount(jail.MountRO, "/deep", "/m/x/deep"), mount(jail.MountRO, "/w/run.py", "/w/run.py"), mount(jail.MountSystem, "/w/venv", "/w/venv"), mount(jail.MountRW, "/o", "/w/o"),
	}
	given := []jail.Mount{view[7], view[8]}
	var paths []string
	for _, dir := range []string{"/w", "/w/d", "/w/d/h", "/w/d/h/log", "/w/d/s", "/m", "/m/x", "/m/x/deep", "/m/y", "/w/o", "/w/e", "/w/venv", "/w/e/cur", "/w/cur"} {
		paths = append(paths, dir)
		for _, name := range []string{"a", "b", "c", "h", "s", "log"} {
			paths = append(paths, dir+"/"+name)
		}
	}
	paths = append(paths, "/w/run.py")
	kinds := map[string]jail.Mount{}
	for _, m := range view {
		kinds[m.Target] = m
	}
	random := rand.New(rand.NewPCG(1, 2))
	yes := func() bool { return random.IntN(3) == 0 }
	for round := range 400 {
		used := &jail.Used{}
		for range 1 + random.IntN(12) {
			real := paths[random.IntN(len(paths))]
			m, _ := covering(kinds, real)
			u := jail.PathUse{Path: real, Real: real, Kind: m.Kind, Dir: yes(), Read: yes(), Written: yes(), Made: yes(), Removed: yes(), Entered: yes(), Used: yes(), Count: 1}
			if ofHost(m) {
				u.Source = host(m, real)
			}
			if !u.Dir {
				u.Link, u.Special = yes(), yes()
			}
			if yes() {
				u.Path = paths[random.IntN(len(paths))]
			}
			used.Paths = append(used.Paths, u)
		}
		for range random.IntN(3) {
			used.Moves = append(used.Moves, [2]string{paths[random.IntN(len(paths))], paths[random.IntN(len(paths))]})
		}
		w := Watched{Spec: jail.Spec{View: view}, Given: jail.Spec{View: given}, Result: jail.Result{Used: used}}
		l := From("base", []string{"x"}, []Watched{w})
		if at := slices.Sorted(slices.Values(texts(append(places(l.ReadOnly), places(l.Writable)...)))); len(slices.Compact(at)) != len(l.ReadOnly)+len(l.Writable) {
			t.Fatalf("round %d: of %+v it learned ro %q rw %q: a place twice", round, used, texts(l.ReadOnly), texts(l.Writable))
		}
		for _, g := range append(l.ReadOnly, l.Writable...) {
			if !path.IsAbs(g.Host) || g.Host == "/" {
				t.Fatalf("round %d: of %+v it learned %+v", round, used, g)
			}
		}
		for _, own := range [][]jail.Mount{l.Spec().View, values(l.mounts(nil))} { // with the command and without
			for file, a := range shown(own, paths) {
				if had := accessTo(kinds, file); a > had {
					t.Fatalf("round %d: %s: %d, and %d in the watching box; of %+v it learned ro %q rw %q", round, file, a, had, used, texts(l.ReadOnly), texts(l.Writable))
				}
			}
		}
	}
}

func values(mounts map[string]jail.Mount) (list []jail.Mount) {
	for _, m := range mounts {
		list = append(list, m)
	}
	return list
}

// places are grants by where the box has them.
func places(grants []Grant) (list []Grant) {
	for _, g := range grants {
		list = append(list, Grant{Host: g.at()})
	}
	return list
}

func texts(grants []Grant) (list []string) {
	for _, g := range grants {
		list = append(list, g.value())
	}
	return list
}

// What seems to be written where the watching box only reads is no grant to write.
func TestReadOnlyStaysReadOnly(t *testing.T) {
	rw, ro, hooks := mount(jail.MountRW, "/w", "/w"), mount(jail.MountRO, "/r", "/r"), mount(jail.MountRO, "/w/.hooks", "/w/.hooks")
	uses := []jail.PathUse{shownAt(ro, wrote("/r/config")), shownAt(ro, made("/r/new")), shownAt(hooks, wrote("/w/.hooks/pre-commit")), shownAt(hooks, read("/w/.hooks/pre-commit")),
		shownAt(rw, made("/w/a")), shownAt(ro, jail.PathUse{Path: "/r/pipe", Written: true})}
	l := From("base", []string{"x"}, []Watched{{Spec: jail.Spec{View: []jail.Mount{rw, ro, hooks}}, Result: jail.Result{Used: &jail.Used{Paths: uses}}}})
	compare(t, "read-only", l.ReadOnly, []string{"/w/.hooks"})
	compare(t, "writable", l.Writable, []string{"/w"})
	other := shownAt(rw, wrote("/w/x"))
	other.Source = "/elsewhere/x" // the box has it there by a link of its own
	l = From("base", []string{"x"}, []Watched{{Spec: jail.Spec{View: []jail.Mount{rw}}, Result: jail.Result{Used: &jail.Used{Paths: []jail.PathUse{other}}}}})
	if len(l.Writable)+len(l.ReadOnly) > 0 || len(l.Open) != 1 || !strings.Contains(l.Open[0], "a link of the box's leads to it") {
		t.Errorf("%q, %q, %q: want nothing granted of what lies elsewhere than the Spec says", texts(l.ReadOnly), texts(l.Writable), l.Open)
	}
}

// What the command brings along, read-only, is so in the profile if what is around it is
// writable: the next command may be another one.
func TestGivenStaysReadOnly(t *testing.T) {
	rw, script, venv := mount(jail.MountRW, "/w", "/w"), mount(jail.MountRO, "/w/run.py", "/w/run.py"), mount(jail.MountSystem, "/w/venv", "/w/venv")
	uses := []jail.PathUse{shownAt(rw, made("/w/a"))}
	w := Watched{Spec: jail.Spec{View: []jail.Mount{rw, script, venv}}, Given: jail.Spec{View: []jail.Mount{script, venv}}, Result: jail.Result{Used: &jail.Used{Paths: uses}}}
	l := From("base", []string{"x"}, []Watched{w})
	compare(t, "read-only", l.ReadOnly, []string{"/w/run.py", "/w/venv"})
	compare(t, "writable", l.Writable, []string{"/w"})
	w.Result.Used.Paths = []jail.PathUse{shownAt(rw, made("/w/out/a"))}
	if l := From("base", []string{"x"}, []Watched{w}); len(l.ReadOnly) > 0 || !slices.Equal(texts(l.Writable), []string{"/w/out"}) {
		t.Errorf("%q, %q: want the folder beside them alone", texts(l.ReadOnly), texts(l.Writable))
	}
}

// Names in a comment are told from the words around them, and none is unseen.
func TestNamesInCommentsAreQuoted(t *testing.T) {
	dir := "/proj/many/"
	got := From("base", []string{"x"}, []Watched{watched(read(dir+"a, nothing"), read(dir+"b\u3164"), read(dir+"c\x1b[m"), read(dir+"plain"))}).TOML()
	if !strings.Contains(got, `folder, read 4 times: 'a, nothing', $'b\343\205\244', $'c\033[m' and 1 more`) || strings.ContainsAny(got, "\u3164\x1b") {
		t.Errorf("want the names of what was read quoted in\n%+q", got)
	}
	decodes(t, got)
}
