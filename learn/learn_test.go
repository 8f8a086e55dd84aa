package learn

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
	"golang.org/x/sys/unix"
)

var update = flag.Bool("update", false, "rewrite testdata")

// watched is a run in a box that shows /proj, writable, in which given uses were
// seen.
func watched(uses ...jail.PathUse) Watched {
	for i := range uses {
		u := &uses[i]
		if u.Real == "" {
			u.Real = u.Path
		}
		if u.Kind == "" {
			u.Kind, u.Source = jail.MountRW, u.Real
		}
		u.Count = max(u.Count, 1)
	}
	memory, pids, code := int64(50<<20), int64(9), 0
	return Watched{
		Spec:  jail.Spec{Dir: "/proj", Net: jail.NetLoopback, View: []jail.Mount{{Kind: jail.MountRW, Source: "/proj", Target: "/proj"}, {Kind: jail.MountRO, Source: "/proj/main.py", Target: "/proj/main.py"}}},
		Given: jail.Spec{View: []jail.Mount{{Kind: jail.MountRO, Source: "/proj/main.py", Target: "/proj/main.py"}, {Kind: jail.MountRO, Source: "/proj/tool", Target: "/proj/tool"}}},
		Result: jail.Result{Reason: jail.ReasonOK, OK: true, ExitCode: &code, Used: &jail.Used{Paths: uses},
			Usage: jail.Usage{WallMS: 2300, MemoryPeakBytes: &memory, PidsPeak: &pids}, Stdout: jail.Output{Bytes: 70000}},
	}
}

func read(p string) jail.PathUse   { return jail.PathUse{Path: p, Read: true} }
func list(p string) jail.PathUse   { return jail.PathUse{Path: p, Dir: true, Read: true} }
func looked(p string) jail.PathUse { return jail.PathUse{Path: p, Dir: true, Used: true} }
func wrote(p string) jail.PathUse  { return jail.PathUse{Path: p, Written: true} }
func made(p string) jail.PathUse   { return jail.PathUse{Path: p, Made: true, Written: true} }
func anew(p string) jail.PathUse   { return jail.PathUse{Path: p, Written: true, Anew: true} }
func madeDir(p string) jail.PathUse {
	return jail.PathUse{Path: p, Made: true}
}

// What is made of uses of files: each file by itself, many of one folder the folder,
// what is installed as a whole as a whole, nothing of what was made meanwhile.
func TestPaths(t *testing.T) {
	for _, c := range []struct {
		name     string
		uses     []jail.PathUse
		ro, rw   []string
		openWant int
	}{
		{"two files read, one made", []jail.PathUse{read("/proj/a"), read("/proj/data/b"), made("/proj/out/c")}, []string{"/proj/a", "/proj/data/b"}, []string{"/proj/out"}, 0},
		{"a file written that was there", []jail.PathUse{wrote("/proj/db/x.db"), read("/proj/db/x.db")}, nil, []string{"/proj/db/x.db"}, 0},
		{"a file written anew, that an earlier run may have made", []jail.PathUse{anew("/proj/out/x.txt")}, nil, []string{"/proj/out"}, 0},
		{"the same, read before", []jail.PathUse{read("/proj/bin/x"), anew("/proj/bin/x")}, nil, []string{"/proj/bin"}, 0},
		{"made at the top", []jail.PathUse{read("/proj/a"), made("/proj/c")}, []string{"/proj/main.py"}, []string{"/proj"}, 0},
		{"below what was made", []jail.PathUse{madeDir("/proj/out/2024"), made("/proj/out/2024/x"), read("/proj/out/2024/x")}, nil, []string{"/proj/out"}, 0},
		{"many of one folder", []jail.PathUse{read("/proj/src/a"), read("/proj/src/b"), read("/proj/src/c"), read("/proj/src/d"), read("/proj/x/y")}, []string{"/proj/src", "/proj/x/y"}, nil, 0},
		{"three of one folder", []jail.PathUse{read("/proj/src/a"), read("/proj/src/b"), read("/proj/src/c")}, []string{"/proj/src/a", "/proj/src/b", "/proj/src/c"}, nil, 0},
		{"many folders of one", []jail.PathUse{list("/proj/p/1"), list("/proj/p/2"), list("/proj/p/3"), list("/proj/p/4")}, []string{"/proj/p"}, nil, 0},
		{"a package", []jail.PathUse{read("/proj/node_modules/left/index.js"), read("/proj/node_modules/left/node_modules/pad/x.js"), looked("/proj/node_modules")}, []string{"/proj/node_modules"}, nil, 0},
		{"a folder in a package that is written to", []jail.PathUse{made("/proj/node_modules/.cache/x/y1"), read("/proj/node_modules/a.js")}, nil, []string{"/proj/node_modules"}, 0},
		{"names that pass", []jail.PathUse{read("/proj/cache/3f9a1c77d0e2/x"), read("/proj/run/worker-48213.lock"), read("/proj/t/tmpa8x9s2")}, []string{"/proj/cache/3f9a1c77d0e2/x", "/proj/run", "/proj/t"}, nil, 0},
		{"looked at alone", []jail.PathUse{looked("/proj"), looked("/proj/src")}, []string{"/proj/src"}, nil, 0},
		{"listed", []jail.PathUse{list("/proj/src"), read("/proj/src/a")}, []string{"/proj/src"}, nil, 0},
		{"what comes with the command", []jail.PathUse{{Path: "/proj/main.py", Kind: jail.MountRO, Source: "/proj/main.py", Read: true}}, nil, nil, 0},
		{"what comes with the command, shown with all else", []jail.PathUse{read("/proj/tool"), wrote("/proj/tool")}, nil, []string{"/proj/tool"}, 0},
		{"the same, only read", []jail.PathUse{read("/proj/tool")}, nil, nil, 0},
		{"of the box's own", []jail.PathUse{{Path: "/tmp/x", Kind: jail.MountTmpfs, Read: true}, {Path: "/usr/bin/env", Kind: jail.MountSystem, Source: "/usr/bin/env", Executed: true}}, nil, nil, 0},
		{"a link", []jail.PathUse{{Path: "/proj/cur/x", Real: "/proj/v1/x", Read: true}}, []string{"/proj/v1/x", "/proj/v1/x:/proj/cur/x"}, nil, 0},
		{"a link in a folder that is shown", []jail.PathUse{{Path: "/proj/cur/x", Real: "/proj/v1/x", Read: true}, list("/proj/cur")}, []string{"/proj/cur", "/proj/v1/x"}, nil, 0},
		{"a name that no profile has", []jail.PathUse{read("/proj/a:/b"), read("/proj/\xff")}, nil, nil, 2},
	} {
		l := From("base", []string{"x"}, []Watched{watched(c.uses...)})
		compare(t, c.name+": read-only", l.ReadOnly, c.ro)
		compare(t, c.name+": writable", l.Writable, c.rw)
		if len(l.Open) != c.openWant {
			t.Errorf("%s: %q left open, want %d", c.name, l.Open, c.openWant)
		}
	}
}

func compare(t *testing.T, what string, grants []Grant, want []string) {
	t.Helper()
	var got []string
	for _, g := range grants {
		s := g.Host
		if g.Box != "" {
			s += ":" + g.Box
		}
		got = append(got, s)
	}
	if len(got) != len(want) {
		t.Errorf("%s: %q, want %q", what, got, want)
		return
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("%s: %q, want %q", what, got, want)
			return
		}
	}
}

func TestPassing(t *testing.T) {
	for name, want := range map[string]bool{
		"tmp1a2b": true, "tmpfile": false, "temporary": false, "main.py": false, "3f9a1c77d0e2.o": true, "deadbeef": false, "worker-48213.lock": true, "v1.24": false,
		"report-20240131.csv": false, "x.swp": true, "aB3dE9": true, "README": false, "python3.12": false, "libc.so.6": false, "data2024": false, "1700000000": true,
	} {
		if got := passing(name); got != want {
			t.Errorf("passing(%q) = %v, want %v", name, got, want)
		}
	}
}

// Several runs are one profile: what any of them used, and the most that any took.
func TestGolden(t *testing.T) {
	one := watched(read("/proj/in.csv"), made("/proj/out/r1"), list("/proj/lib"))
	two := watched(read("/proj/in.csv"), read("/proj/extra.csv"), made("/proj/out/r2"))
	two.Result.Usage.WallMS = 4100
	two.Result.Used.Families = []int{unix.AF_INET, unix.AF_UNIX}
	two.Result.Used.Calls = []string{"flock"}
	two.Result.Denials = []jail.Denial{
		{Layer: jail.LayerSeccomp, What: "ptrace(PTRACE_ATTACH, 1, …)", Count: 2, Errno: "EPERM", Grant: "--allow-syscall ptrace", Setting: `seccomp.allow = ["ptrace"]`},
		{Layer: jail.LayerRoot, What: "reading \"/srv/x\u202e\"", Count: 1, Errno: "ENOENT", Grant: "--ro /srv/x", Setting: `view.ro = ["/srv/x"]`},
		{Layer: jail.LayerSeccomp, What: "mount(…)", Count: 2, Errno: "EPERM", Never: "mounts and roots"},
	}
	got := From("python", []string{"main.py", "--mode", "it's\n"}, []Watched{one, two}).TOML()
	file := filepath.Join("testdata", "two_runs.toml")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || got != string(want) {
		t.Errorf("%v; got\n%s\nwant\n%s", err, got, want)
	}
	decodes(t, got)
}

// decodes checks that a text is a profile.
func decodes(t *testing.T, text string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "p.toml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := profiles.Load(file, profiles.CurrentHost()); err != nil {
		t.Errorf("%v, of\n%s", err, text)
	}
}

// Whatever a program names its files, what comes of it is a profile that grants no
// more than those.
func FuzzTOML(f *testing.F) {
	f.Add("a", "b\"\n]\nrw = [\"/\"]", "x\\")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		l := From("base", []string{"x" + a, b}, []Watched{watched(read("/proj/"+filepath.Clean("/" + a)[1:]), made("/proj/o/"+filepath.Clean("/" + b)[1:]), read("/proj/z/"+filepath.Clean("/" + c)[1:]))})
		for _, g := range append(l.ReadOnly, l.Writable...) {
			if !within(g.Host, "/proj") {
				t.Errorf("grants %q", g.Host)
			}
		}
		decodes(t, l.TOML())
	})
}

func TestCompare(t *testing.T) {
	zero, one := 0, 1
	good := jail.Result{Reason: jail.ReasonOK, ExitCode: &zero}
	bad := jail.Result{Reason: jail.ReasonExecutionFailed, ExitCode: &one, Denials: []jail.Denial{{What: `reading "/x"`, Errno: "ENOENT", Setting: "view.ro"}}}
	if c := Compare(jail.Spec{}, good, jail.Spec{}, good); !c.Same || len(c.Differences) != 0 {
		t.Errorf("%+v, want the same", c)
	}
	if c := Compare(jail.Spec{}, good, jail.Spec{}, bad); c.Same || len(c.Differences) != 2 || len(c.Denials) != 1 {
		t.Errorf("%+v, want the end and a denial", c)
	}
	if c := Compare(jail.Spec{}, bad, jail.Spec{}, bad); !c.Same {
		t.Errorf("%+v: what was refused in both is no difference", c)
	}
}
