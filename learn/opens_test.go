package learn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
)

// project makes a folder of the host's with files in it; what ends in a slash is a folder.
func project(t *testing.T, files ...string) (dir string, at func(p string) string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at = func(p string) string { return filepath.Join(dir, p) }
	for _, f := range files {
		if err := os.MkdirAll(filepath.Dir(at(f+"x")), 0o755); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(f, "/") {
			if err := os.WriteFile(at(f), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir, at
}

// learnedOf is what a run is learned from that used this of a writable folder.
func learnedOf(dir string, uses ...jail.PathUse) *Learned {
	m := mount(jail.MountRW, dir, dir)
	for i, u := range uses {
		uses[i] = shownAt(m, u)
		uses[i].Count = 1
	}
	return From("base", []string{"x"}, []Watched{{Spec: jail.Spec{View: []jail.Mount{m}}, Result: jail.Result{Used: &jail.Used{Paths: uses}}}})
}

// inDir are paths of a folder.
func inDir(at func(p string) string, names ...string) (list []string) {
	for _, n := range names {
		list = append(list, at(n))
	}
	return list
}

// Many things that are written to make a folder writable only if it has nothing else in
// it, and what a folder opens besides is told.
func TestMergingOpensNothing(t *testing.T) {
	four := []string{"st/a", "cache/a", "log/a", "t/a"}
	uses := func(at func(string) string, more ...jail.PathUse) []jail.PathUse {
		for _, f := range four {
			more = append(more, made(at(f)))
		}
		return more
	}
	all := inDir(func(p string) string { return p }, "cache", "log", "st", "t")
	for _, c := range []struct {
		name  string
		files []string
		more  func(at func(string) string) []jail.PathUse
		want  []string
	}{
		{"nothing else", nil, nil, []string{"w"}},
		{"a file that was made besides, and removed", nil, func(at func(string) string) []jail.PathUse { return []jail.PathUse{madeDir(at("new"))} }, []string{"."}},
		{"a file that was read", []string{"w/in.txt"}, nil, all},
		{"a file that was never touched", []string{"w/secret.txt"}, nil, all},
		{"git's", []string{"w/.git/hooks/"}, nil, all},
	} {
		dir, at := project(t, append([]string{"w/st/", "w/cache/", "w/log/", "w/t/"}, c.files...)...)
		in := func(p string) string { return at("w/" + p) }
		list := uses(in)
		if len(c.files) > 0 && c.files[0] == "w/in.txt" {
			list = append(list, read(in("in.txt")))
		}
		want := inDir(in, c.want...)
		if c.more != nil {
			list, want = append(list, c.more(at)...), inDir(at, c.want...)
		}
		if c.want[0] == "w" {
			want = inDir(at, "w")
		}
		compare(t, c.name, learnedOf(dir, list...).Writable, want)
	}
}

// What a folder opens besides what was written to is in its comment, keys and what is
// hidden first.
func TestCommentsTellWhatOpens(t *testing.T) {
	dir, at := project(t, "a/in.txt", "b", "c", "d", ".env", "id_rsa", ".git/hooks/", "out/x")
	g := learnedOf(dir, made(at("new")), read(at("a/in.txt")), wrote(at("out/x"))).Writable
	if len(g) != 1 || g[0].Host != dir || !strings.HasSuffix(g[0].Why, "; opens besides: .env, id_rsa, .git and 4 more") {
		t.Errorf("%+v, want what it opens", g)
	}
	dir, at = project(t, "out/x")
	if g := learnedOf(dir, made(at("out/y")), wrote(at("out/x"))).Writable; len(g) != 1 || strings.Contains(g[0].Why, "opens") {
		t.Errorf("%+v, want that it opens nothing besides", g)
	}
}

// Four files that are read make no folder that has keys besides, unless these were read.
func TestMergingReadsNoKeys(t *testing.T) {
	files := []string{"a", "b", "c", "d"}
	dir, at := project(t, "s/a", "s/b", "s/c", "s/d", "s/.env", "s/other")
	var uses []jail.PathUse
	for _, f := range files {
		uses = append(uses, read(at("s/"+f)))
	}
	compare(t, "keys", learnedOf(dir, append([]jail.PathUse{}, uses...)...).ReadOnly, inDir(at, "s/a", "s/b", "s/c", "s/d"))
	compare(t, "keys that were read", learnedOf(dir, append([]jail.PathUse{read(at("s/.env"))}, uses...)...).ReadOnly, inDir(at, "s"))
}

// A folder with keys in it is not granted to be listed where nobody saw the program run
// without, and where the program needs its names the comment tells of the keys.
func TestListingsTellOfKeys(t *testing.T) {
	dir, at := project(t, ".env", "id_rsa", "out/x", "plain/a")
	l := learnedOf(dir, list(dir), list(at("plain")), wrote(at("out/x")))
	if g := l.ReadOnly; len(g) != 1 || g[0].Host != dir || !strings.Contains(g[0].Why, "opens all that it holds; opens besides: .env, id_rsa; read of it: nothing") {
		t.Errorf("%+v, want the folder, and its keys told", g)
	}
	u := l.Untried()
	compare(t, "untried", u.ReadOnly, []string{at("plain")})
	if len(u.Open) != 1 || !strings.HasPrefix(u.Open[0], `listing "`+dir+`": not granted`) || !strings.Contains(u.Open[0], "which opens all (.env, id_rsa): view.ro") {
		t.Errorf("%q, want the listing left open", u.Open)
	}
	decodes(t, u.TOML())
}
