package learn

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail"
)

func mount(kind jail.MountKind, host, box string) jail.Mount {
	return jail.Mount{Kind: kind, Source: host, Target: box}
}

func tmpfs(box string) jail.Mount { return jail.Mount{Kind: jail.MountTmpfs, Target: box} }

// shownAt is a use of a file below a mount.
func shownAt(m jail.Mount, u jail.PathUse) jail.PathUse {
	u.Real, u.Kind, u.Source = u.Path, m.Kind, host(m, u.Path)
	return u
}

// What the watching box does not show, or shows read-only, within what is granted in
// the end, the profile does not show either, or read-only.
func TestHolesAreKept(t *testing.T) {
	rw, ro := mount(jail.MountRW, "/w", "/w"), mount(jail.MountRO, "/w", "/w")
	moved := mount(jail.MountRO, "/data", "/mnt")
	hooks := mount(jail.MountRO, "/w/.hooks", "/w/.hooks")
	deep := mount(jail.MountRW, "/w/.hooks/log", "/w/.hooks/log")
	other := mount(jail.MountRW, "/o", "/w/o")
	four := func(m jail.Mount, f func(string) jail.PathUse) (uses []jail.PathUse) {
		for _, n := range []string{"a", "b", "c", "d"} {
			uses = append(uses, shownAt(m, f(m.Target+"/"+n)))
		}
		return uses
	}
	for _, c := range []struct {
		name   string
		given  []jail.Mount
		view   []jail.Mount
		uses   []jail.PathUse
		ro, rw []string
		tmpfs  []string
	}{
		{"read-only and tmpfs in a writable folder", nil, []jail.Mount{rw, hooks, tmpfs("/w/secret")}, four(rw, made), []string{"/w/.hooks"}, []string{"/w"}, []string{"/w/secret"}},
		{"tmpfs in a folder that is read", nil, []jail.Mount{ro, tmpfs("/w/secret")}, four(ro, read), []string{"/w"}, nil, []string{"/w/secret"}},
		{"tmpfs in a folder that is listed", nil, []jail.Mount{ro, tmpfs("/w/secret")}, []jail.PathUse{shownAt(ro, list("/w"))}, []string{"/w"}, nil, []string{"/w/secret"}},
		{"a hole beside what is granted", nil, []jail.Mount{ro, tmpfs("/w/secret")}, []jail.PathUse{shownAt(ro, read("/w/sub/a"))}, []string{"/w/sub/a"}, nil, nil},
		{"a hole in a grant elsewhere in the box", nil, []jail.Mount{moved, tmpfs("/mnt/secret")}, four(moved, read), []string{"/data:/mnt"}, nil, []string{"/mnt/secret"}},
		{"read-only in what is read-only", nil, []jail.Mount{ro, hooks}, four(ro, read), []string{"/w"}, nil, nil},
		{"what is read of a hole", nil, []jail.Mount{rw, hooks}, append(four(rw, made), shownAt(hooks, read("/w/.hooks/x"))), []string{"/w/.hooks"}, []string{"/w"}, nil},
		{"writable in a hole", nil, []jail.Mount{rw, hooks, deep}, append(four(rw, made), shownAt(deep, made("/w/.hooks/log/x"))), []string{"/w/.hooks"}, []string{"/w", "/w/.hooks/log"}, nil},
		{"writable in a hole and not written to", nil, []jail.Mount{rw, hooks, deep}, four(rw, made), []string{"/w/.hooks"}, []string{"/w"}, nil},
		{"a folder that is listed and one in it that is written to", nil, []jail.Mount{rw}, []jail.PathUse{shownAt(rw, list("/w")), shownAt(rw, made("/w/out/x"))}, []string{"/w"}, []string{"/w/out"}, nil},
		{"something else in a grant that is written to", nil, []jail.Mount{rw, other}, append(four(rw, made), shownAt(other, wrote("/w/o/x"))), []string{"/o:/w/o"}, []string{"/o/x:/w/o/x", "/w"}, nil},
		{"something else in a grant", nil, []jail.Mount{rw, other}, four(rw, made), []string{"/o:/w/o"}, []string{"/w"}, nil},
		{"a hole in what the profile grants", []jail.Mount{rw}, []jail.Mount{rw, hooks, tmpfs("/w/secret")}, nil, []string{"/w/.hooks"}, nil, []string{"/w/secret"}},
		{"a hole in the system", []jail.Mount{mount(jail.MountSystem, "/usr", "/usr")}, []jail.Mount{mount(jail.MountSystem, "/usr", "/usr"), tmpfs("/usr/x")}, nil, nil, nil, []string{"/usr/x"}},
		{"a hole that the profile has", []jail.Mount{rw, hooks}, []jail.Mount{rw, hooks}, nil, nil, nil, nil},
		{"a hole that can't be written", nil, []jail.Mount{rw, mount(jail.MountRO, "/w/\xff", "/w/\xff")}, four(rw, made), nil, nil, nil},
	} {
		l := From("base", []string{"x"}, []Watched{{Spec: jail.Spec{View: c.view}, Given: jail.Spec{View: c.given}, Result: jail.Result{Used: &jail.Used{Paths: c.uses}}}})
		compare(t, c.name+": read-only", l.ReadOnly, c.ro)
		compare(t, c.name+": writable", l.Writable, c.rw)
		if !slices.Equal(l.Tmpfs, c.tmpfs) {
			t.Errorf("%s: tmpfs %q, want %q", c.name, l.Tmpfs, c.tmpfs)
		}
		seen := map[string]bool{}
		for _, g := range slices.Concat(l.ReadOnly, l.Writable) {
			if seen[g.at()] {
				t.Errorf("%s: %s is granted twice", c.name, g.at())
			}
			seen[g.at()] = true
		}
		for _, p := range c.tmpfs {
			if view := l.Spec().View; !slices.Contains(view, tmpfs(p)) {
				t.Errorf("%s: the trial's view %v is without %s", c.name, view, p)
			}
		}
		decodes(t, l.TOML())
	}
}

// What the watching box was lower in, or denied, or demanded, stays; what it was
// higher in is not learned.
func TestNarrowerSettingsAreKept(t *testing.T) {
	w := watched(read("/proj/a"))
	w.Spec.Seccomp.Deny, w.Given.Seccomp.Deny = []string{"connect", "sync"}, []string{"sync"}
	w.Spec.Require, w.Spec.Net, w.Given.Net = []string{"landlock>=4"}, jail.NetNone, jail.NetLoopback
	w.Spec.Limits = jail.Limits{NoFile: 32, FileSize: 1 << 20, TmpSize: 8 << 20, CPUs: 0.5, CPUTime: 3 * time.Second, IdleTimeout: time.Second, Memory: 64 << 20, Pids: 10, Output: 80 << 10, Timeout: 6 * time.Second}
	got := From("base", []string{"x"}, []Watched{w}).TOML()
	for _, line := range []string{"deny = [\"connect\"]", "require = [\"landlock>=4\"]", "mode = \"none\"", "nofile = 32 #", "file_size = \"1M\" #", "tmp_size = \"8M\" #", "cpus = 0.5 #",
		"cpu_time = \"3s\" #", "idle_timeout = \"1s\" #", "memory = \"64M\" # what the watching box had", "pids = 10 # what the", "output = \"80K\" # what the", "timeout = \"6s\" # what the"} {
		if !strings.Contains(got, "\n"+line) {
			t.Errorf("no line %q in\n%s", line, got)
		}
	}
	decodes(t, got)
	w = watched(read("/proj/a"))
	w.Spec.Limits, w.Result.Usage.MemoryPeakBytes, w.Result.Usage.PidsPeak = jail.Limits{Memory: 64 << 20, Pids: 10}, nil, nil
	if got := From("base", []string{"x"}, []Watched{w}).TOML(); !strings.Contains(got, "\nmemory = \"64M\" #") || !strings.Contains(got, "\npids = 10 #") {
		t.Errorf("what was not measured is not kept: %s", got)
	}
	w.Spec.Limits = Watching(jail.Limits{}, jail.Limits{CPUs: 4, NoFile: 1 << 16})
	if got := From("base", []string{"x"}, []Watched{w}).Kept; got.Limits != (jail.Limits{}) || len(got.Deny)+len(got.Require) > 0 || got.NoNet {
		t.Errorf("%+v is kept of a watching box that is wider", got)
	}
}

// A folder that was merely listed is told apart from what was read, and the profile
// without it says so.
func TestListings(t *testing.T) {
	w := watched(list("/proj/src"), read("/proj/src/a"), list("/proj/sub"))
	l := From("base", []string{"x"}, []Watched{w})
	compare(t, "with listings", l.ReadOnly, []string{"/proj/src", "/proj/sub"})
	if text := l.TOML(); !strings.Contains(text, "granted to be listed, which opens all that it holds; read of it: a\n") || !strings.Contains(text, "; read of it: nothing\n") {
		t.Errorf("the comments do not say what a listing opens:\n%s", text)
	}
	lean := l.WithoutListings()
	compare(t, "without", lean.ReadOnly, []string{"/proj/src/a"})
	if len(lean.Open) != 2 || !strings.Contains(lean.Open[0], `listing "/proj/src": it ran the same`) {
		t.Errorf("%q: want both listings left open", lean.Open)
	}
	if s := lean.Spec(); len(s.View) != 3 || s.Dir != "/proj" {
		t.Errorf("%+v, %s: want what the lean profile shows", s.View, s.Dir)
	}
	if From("base", []string{"x"}, []Watched{watched(read("/proj/a"))}).WithoutListings() != nil {
		t.Errorf("a profile without listings has one without them")
	}
}

// What a reviewer sees of a name is that name.
func TestTextShowsWhatIsUnseen(t *testing.T) {
	for in, want := range map[string]string{
		"plain ä 日": `"plain ä 日"`, "a\u202egpj.exe": `"a\u202Egpj.exe"`, "z\u200bw": `"z\u200Bw"`, "\u2066x": `"\u2066x"`, "t\U000e0041g": `"t\U000E0041g"`, "q\"\\\n\x7f": `"q\"\\\u000A\u007F"`, "n\u00a0b": `"n\u00A0b"`,
	} {
		if got := shellword.TOML(in); got != want {
			t.Errorf("shellword.TOML(%q) = %s, want %s", in, got, want)
		}
	}
	got := From("base", []string{"x"}, []Watched{watched(read("/proj/bidi \u202egpj.exe"))}).TOML()
	if strings.ContainsAny(got, "\u202e\u200b") || !strings.Contains(got, `\u202E`) {
		t.Errorf("raw in the profile: %q", got)
	}
	decodes(t, got)
}

// What a home holds is learned file by file, and its keys not at all, unless the
// watching box was given them by name.
func TestPrivateIsNotLearned(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", dir)
	for _, f := range []string{".ssh/id_rsa", "a", "b", "c", "d", "job/1", "job/2", "job/3", "job/4"} {
		os.MkdirAll(filepath.Dir(filepath.Join(dir, f)), 0o755)
		os.WriteFile(filepath.Join(dir, f), nil, 0o644)
	}
	at := func(p string) string { return filepath.Join(dir, p) }
	uses := func(m jail.Mount, names ...string) (list []jail.PathUse) {
		for _, n := range names {
			list = append(list, shownAt(m, read(at(n))))
		}
		return list
	}
	os.Symlink(".ssh/id_rsa", at("innocent"))
	home, keys := mount(jail.MountRO, dir, dir), mount(jail.MountRO, at(".ssh"), at(".ssh"))
	learn := func(m jail.Mount, names ...string) *Learned {
		return From("base", []string{"x"}, []Watched{{Spec: jail.Spec{View: []jail.Mount{m}}, Result: jail.Result{Used: &jail.Used{Paths: uses(m, names...)}}}})
	}
	l := learn(home, "a", "b", "c", "d", ".ssh/id_rsa", "job/1", "job/2", "job/3", "job/4")
	compare(t, "a home", l.ReadOnly, []string{at("a"), at("b"), at("c"), at("d"), at("job")})
	if len(l.Open) != 1 || !strings.Contains(l.Open[0], "/.ssh/id_rsa\" was used, and is not granted unless you name it: it is where somebody's keys") {
		t.Errorf("%q left open, want the key", l.Open)
	}
	l = From("base", []string{"x"}, []Watched{{Spec: jail.Spec{View: []jail.Mount{home}}, Result: jail.Result{Used: &jail.Used{Paths: []jail.PathUse{{Path: at("innocent"), Real: at(".ssh/id_rsa"), Kind: home.Kind, Source: at(".ssh/id_rsa"), Read: true}}}}}})
	compare(t, "a key by a link", l.ReadOnly, nil)
	compare(t, "a key by name", learn(mount(jail.MountRO, at(".ssh/id_rsa"), at(".ssh/id_rsa")), ".ssh/id_rsa").ReadOnly, []string{at(".ssh/id_rsa")})
	compare(t, "a key of a folder by name", learn(keys, ".ssh/id_rsa").ReadOnly, []string{at(".ssh/id_rsa")})
	compare(t, "listed by name", From("base", []string{"x"}, []Watched{{Spec: jail.Spec{View: []jail.Mount{keys}}, Result: jail.Result{Used: &jail.Used{Paths: []jail.PathUse{shownAt(keys, list(at(".ssh")))}}}}}).ReadOnly, []string{at(".ssh")})
}
