package learn

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/jail"
)

func linkAt(p string) jail.PathUse { return jail.PathUse{Path: p, Link: true, Used: true} }
func removed(p string) jail.PathUse {
	return jail.PathUse{Path: p, Written: true, Removed: true}
}
func by(name string, u jail.PathUse) jail.PathUse {
	u.Path, u.Real = name, u.Path
	return u
}

// What is learned gives the program what it had: links as links, folders that it looked
// at, one mount for what it moved.
func TestReplays(t *testing.T) {
	for _, c := range []struct {
		name   string
		uses   []jail.PathUse
		moves  [][2]string
		ro, rw []string
	}{
		{"a link is looked at", []jail.PathUse{linkAt("/proj/sub/l")}, nil, []string{"/proj/sub"}, nil},
		{"a link is looked at and followed", []jail.PathUse{linkAt("/proj/sub/l"), by("/proj/sub/l", read("/proj/x"))}, nil, []string{"/proj/sub", "/proj/x"}, nil},
		{"a link in a linked folder", []jail.PathUse{by("/proj/cur/l", linkAt("/proj/v1/l"))}, nil, []string{"/proj/v1", "/proj/v1:/proj/cur"}, nil},
		{"a link where files are made", []jail.PathUse{linkAt("/proj/out/l"), made("/proj/out/x")}, nil, nil, []string{"/proj/out"}},
		{"a link that is removed", []jail.PathUse{{Path: "/proj/out/l", Link: true, Written: true, Removed: true}}, nil, nil, []string{"/proj/out"}},
		{"a link whose owner is changed", []jail.PathUse{{Path: "/proj/out/l", Link: true, Written: true}}, nil, nil, []string{"/proj/out"}},
		{"a socket", []jail.PathUse{{Path: "/proj/run/s", Special: true, Used: true}}, nil, []string{"/proj/run"}, nil},
		{"a file that is removed", []jail.PathUse{read("/proj/d/x"), removed("/proj/d/x")}, nil, nil, []string{"/proj/d"}},
		{"folders that are looked at", []jail.PathUse{looked("/proj"), looked("/proj/a"), looked("/proj/a/b"), looked("/proj/c"), read("/proj/c/x")}, nil, []string{"/proj/a/b", "/proj/c/x"}, nil},
		{"a folder that is looked at by a link", []jail.PathUse{by("/proj/cur", looked("/proj/v1"))}, nil, []string{"/proj/v1:/proj/cur"}, nil},
		{"a folder that is looked at by a link of the program's own", []jail.PathUse{by("/tmp/l", looked("/proj/v1"))}, nil, []string{"/proj/v1"}, nil},
		{"a folder that is looked at in one that is granted", []jail.PathUse{list("/proj/a"), looked("/proj/a/b")}, nil, []string{"/proj/a"}, nil},
		{"a folder that was made", []jail.PathUse{madeDir("/proj/a/b"), looked("/proj/a/b")}, nil, nil, []string{"/proj/a"}},
		{"a linked folder that is entered", []jail.PathUse{{Path: "/proj/a/cur", Real: "/proj/v1", Dir: true, Entered: true, Used: true}, made("/proj/v1/x")}, nil, []string{"/proj/a"}, []string{"/proj/v1"}},
		{"the same, and nothing else", []jail.PathUse{{Path: "/proj/a/cur", Real: "/proj/v1", Dir: true, Entered: true, Used: true}}, nil, []string{"/proj/a", "/proj/v1"}, nil},
		{"a folder that is listed by a link", []jail.PathUse{by("/proj/cur", list("/proj/v1"))}, nil, []string{"/proj/v1", "/proj/v1:/proj/cur"}, nil},
		{"written by a link", []jail.PathUse{by("/proj/cur/log", wrote("/proj/v1/log"))}, nil, nil, []string{"/proj/v1/log", "/proj/v1/log:/proj/cur/log"}},
		{"made in a linked folder", []jail.PathUse{by("/proj/cur/a/x", made("/proj/v1/a/x"))}, nil, nil, []string{"/proj/v1/a", "/proj/v1/a:/proj/cur/a"}},
		{"moved between folders", []jail.PathUse{removed("/proj/x/in/f"), made("/proj/x/out/f")}, [][2]string{{"/proj/x/in", "/proj/x/out"}}, nil, []string{"/proj/x"}},
		{"moved on", []jail.PathUse{removed("/proj/x/a/f"), made("/proj/x/b/f"), removed("/proj/x/b/f"), made("/proj/y/f")}, [][2]string{{"/proj/x/b", "/proj/y"}, {"/proj/x/a", "/proj/x/b"}}, []string{"/proj/main.py"}, []string{"/proj"}},
		{"linked from a folder that is read", []jail.PathUse{read("/proj/x/in/f"), made("/proj/x/out/f")}, [][2]string{{"/proj/x/in", "/proj/x/out"}}, nil, []string{"/proj/x"}},
		{"four names that lead elsewhere", []jail.PathUse{by("/proj/l/a", read("/proj/x/1")), by("/proj/l/b", read("/proj/x/2")), by("/proj/l/c", read("/proj/x/3")), by("/proj/l/d", read("/proj/x/4"))}, nil, []string{"/proj/l", "/proj/x"}, nil},
	} {
		w := watched(c.uses...)
		w.Result.Used.Moves = c.moves
		l := From("base", []string{"x"}, []Watched{w})
		compare(t, c.name+": read-only", l.ReadOnly, c.ro)
		compare(t, c.name+": writable", l.Writable, c.rw)
		if len(l.Open) > 0 {
			t.Errorf("%s: %q left open", c.name, l.Open)
		}
	}
}

// What the host does not have any more is no grant, with which no box would start; nor is
// what has become a link.
func TestGoneIsNotGranted(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(p string) string { return filepath.Join(dir, p) }
	os.WriteFile(at("there"), nil, 0o644)
	os.Symlink("there", at("turned"))
	m := mount(jail.MountRW, dir, dir)
	uses := []jail.PathUse{shownAt(m, read(at("there"))), shownAt(m, read(at("gone"))), shownAt(m, wrote(at("turned"))), shownAt(m, looked(at("folder")))}
	l := From("base", []string{"x"}, []Watched{{Spec: jail.Spec{View: []jail.Mount{m}}, Result: jail.Result{Used: &jail.Used{Paths: uses}}}})
	compare(t, "read-only", l.ReadOnly, []string{at("there")})
	compare(t, "writable", l.Writable, nil)
	if len(l.Open) != 3 || !strings.Contains(l.Open[0], "has nothing there any more") {
		t.Errorf("%q left open, want the three", l.Open)
	}
}

// What was in memory gets twice its peak, where that is more than there would be.
func TestTmpSize(t *testing.T) {
	for peak, want := range map[int64]string{0: "", 20 << 20: "", 33 << 20: "80M", 120 << 20: "240M", 400 << 20: "512M"} {
		w := watched()
		w.Spec.Limits = Watching(jail.Limits{}, jail.Limits{})
		w.Result.Used.TmpPeakBytes = peak
		got := From("base", []string{"x"}, []Watched{w}).TOML()
		if _, rest, ok := strings.Cut(got, "\ntmp_size = \""); ok != (want != "") || want != "" && !strings.HasPrefix(rest, want+"\"") {
			t.Errorf("%d bytes: want tmp_size %q in\n%s", peak, want, got)
		}
		decodes(t, got)
	}
}

// However many files there are, by however many links, the work is bounded, and so is
// what is made of it.
func TestManyPaths(t *testing.T) {
	var uses []jail.PathUse
	for i := range 16 << 10 {
		file := fmt.Sprintf("/proj/%d/%d/%d", i%7, i/3, i%3)
		uses = append(uses, by(file+".l", read(file)))
	}
	w := watched(uses...)
	began := time.Now()
	l := From("base", []string{"x"}, []Watched{w})
	if took := time.Since(began); took > 20*time.Second { // two, if nothing else runs; it was minutes
		t.Errorf("%v", took)
	}
	if got := l.TOML(); len(got) > MostText {
		t.Errorf("a profile of %d bytes", len(got))
	} else {
		decodes(t, got)
	}
}

// A profile that is too long takes folders as wholes sooner, and its notes are bounded.
func TestTextFits(t *testing.T) {
	var uses []jail.PathUse
	for i := range 1500 {
		uses = append(uses, read(fmt.Sprintf("/proj/%d/a%s", i/2, strings.Repeat("x", i%2*40))), read(fmt.Sprintf("/proj/strange:/%d", i)))
	}
	for range 4 {
		uses = append(uses, read("/proj/long/"+strings.Repeat("ü/", 1500+len(uses)%7)+"x"))
	}
	l := From("base", []string{"x"}, []Watched{watched(uses...)})
	got := l.TOML()
	if len(got) > MostText || !strings.Contains(got, " more\n") {
		t.Errorf("%d bytes; want notes that end in how many more there are", len(got))
	}
	decodes(t, got)
}

// What was there and is not, or is something else, is a difference, even if the program
// ends the same.
func TestCompareTellsOfPaths(t *testing.T) {
	zero := 0
	run := func(refused []string, uses ...jail.PathUse) jail.Result {
		r := watched(uses...).Result
		r.ExitCode, r.Used.Refused = &zero, refused
		return r
	}
	none := []jail.Denial(nil)
	for _, c := range []struct {
		name, start       string
		watched, enforced jail.Result
		want              string
	}{
		{"a folder that is not there where it started elsewhere", "", run(nil, looked("/proj/a")), run([]string{"/tmp/a"}), `"/proj/a" was not there`},
		{"the same", "/proj", run(nil, looked("/proj/a"), linkAt("/proj/l")), run(nil, looked("/proj/a"), linkAt("/proj/l")), ""},
		{"a folder that is not there", "/proj", run(nil, looked("/proj/a")), run([]string{"/proj/a"}), `"/proj/a" was not there`},
		{"what was not there before either", "/proj", run([]string{"/proj/a"}, looked("/proj/a")), run([]string{"/proj/a"}), ""},
		{"what it made", "/proj", run(nil, looked("/proj/a"), made("/proj/a")), run([]string{"/proj/a"}), ""},
		{"a link that is none", "/proj", run(nil, linkAt("/proj/l")), run(nil, read("/proj/l")), `"/proj/l" is no link`},
		{"a link that is followed as well", "/proj", run(nil, linkAt("/proj/l"), by("/proj/l", read("/proj/x"))), run(nil, linkAt("/proj/l"), by("/proj/l", read("/proj/x"))), ""},
		{"a folder that is a file", "/proj", run(nil, looked("/proj/a")), run(nil, read("/proj/a")), `"/proj/a" is a file; in the watching box: a folder`},
		{"of the box's own", "/proj", run(nil, jail.PathUse{Path: "/tmp/x", Kind: jail.MountTmpfs, Used: true}), run([]string{"/tmp/x"}), ""},
	} {
		c.watched.Denials, c.enforced.Denials = none, none
		got := Compare(jail.Spec{Dir: "/proj"}, c.watched, jail.Spec{Dir: c.start, View: []jail.Mount{mount(jail.MountRW, "/proj", "/proj")}}, c.enforced)
		if got.Same != (c.want == "") || c.want != "" && !strings.HasPrefix(got.Differences[0], c.want) {
			t.Errorf("%s: %+v, want %q", c.name, got.Differences, c.want)
		}
	}
}

// A name that leads somewhere for the program alone, since it made the link, or put a
// folder of its own in the place of one, is no name in the profile.
func TestLinksAreTheHosts(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(p string) string { return filepath.Join(dir, p) }
	for _, p := range []string{"v1", "trusted"} {
		os.Mkdir(at(p), 0o755)
		os.WriteFile(at(p+"/x"), nil, 0o644)
	}
	os.Symlink("v1", at("cur"))
	m := mount(jail.MountRW, dir, dir)
	os.Symlink("../v1/x", at("trusted/y"))
	wrote := by(at("trusted/y"), shownAt(m, jail.PathUse{Path: at("v1/x"), Written: true}))
	made := shownAt(m, jail.PathUse{Path: at("v1/y"), Made: true})
	os.WriteFile(at("v1/y"), nil, 0o644)
	l := From("base", []string{"x"}, []Watched{{Spec: jail.Spec{View: []jail.Mount{m}}, Result: jail.Result{Used: &jail.Used{Paths: []jail.PathUse{wrote, made}}}}})
	compare(t, "a link to a file of the folder that is written to", l.Writable, []string{at("v1"), at("v1/x") + ":" + at("trusted/y")})
	for name, want := range map[string][]string{"cur/x": {at("v1/x"), at("v1/x") + ":" + at("cur/x")}, "trusted/x": {at("v1/x")}, "trusted": {at("v1/x")}} {
		uses := []jail.PathUse{by(at(name), shownAt(m, read(at("v1/x")))), shownAt(m, read(at("v1/x")))}
		l := From("base", []string{"x"}, []Watched{{Spec: jail.Spec{View: []jail.Mount{m}}, Result: jail.Result{Used: &jail.Used{Paths: uses}}}})
		compare(t, name, l.ReadOnly, want)
		if len(want)+len(l.Open) != 2 {
			t.Errorf("%s: %q left open", name, l.Open)
		}
	}
}
