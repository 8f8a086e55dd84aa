package profiles

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/jail"
)

func grant(s string) Grant {
	g, err := ParseGrant(s)
	if err != nil {
		panic(err)
	}
	return g
}

func grantList(list ...string) []Grant {
	var gs []Grant
	for _, s := range list {
		gs = append(gs, grant(s))
	}
	return gs
}

func TestGrants(t *testing.T) {
	root := tree(t, map[string]string{
		"data/file":       "x",
		"data/sub/in":     "x",
		"data/out":        "-> ROOT/other",
		"other/file":      "x",
		"link":            "-> data",
		"a b\n\xff:c/x":   "x",
		"home/out/x":      "x",
		"data/mount/":     "",
		"data/mountfile":  "",
		"data/mountlink":  "-> mount",
		"other/alsolink/": "",
	})
	h := Host{Dir: root, Home: root + "/home"}
	for _, tt := range []struct {
		name   string
		o      Overrides
		h      Host
		want   string // mounts
		faults string
	}{
		{name: "nothing"},
		{name: "absolute", o: Overrides{RO: grantList(root + "/data")}, want: "ro ROOT/data"},
		{name: "relative", o: Overrides{RO: grantList("data/../data/.")}, want: "ro ROOT/data"},
		{name: "a file", o: Overrides{RW: grantList("data/file")}, want: "rw ROOT/data/file"},
		{name: "the kernel's dot-dot", o: Overrides{RO: grantList("data/out/../data/file:/f")}, faults: `--ro: "data/out/../data/file:/f": ` + planted("ROOT/data/out", "ROOT/data/file")},
		{name: "elsewhere", o: Overrides{RO: grantList("data:/x"), RW: grantList("other:/y/z")}, want: "ro ROOT/data /x\nrw ROOT/other /y/z"},
		{name: "odd names", o: Overrides{RO: []Grant{{Host: "a b\n\xff:c"}}}, want: "ro ROOT/a b\n\xff:c"},
		{name: "missing is left to the box", o: Overrides{RO: grantList("nosuch")}, want: "ro ROOT/nosuch"},
		{name: "twice the same", o: Overrides{RO: grantList("data", "other/../data:"+root+"/data")}, want: "ro ROOT/data"},
		{name: "read-only in writable", o: Overrides{RW: grantList("data"), RO: grantList("data/sub")}, want: "ro ROOT/data/sub\nrw ROOT/data"},
		{name: "writable in read-only", o: Overrides{RO: grantList("data"), RW: grantList("data/sub")}, want: "ro ROOT/data\nrw ROOT/data/sub"},
		{name: "another folder in a granted one", o: Overrides{RO: grantList("data:/d", "other:/d/mount")}, want: "ro ROOT/data /d\nro ROOT/other /d/mount"},
		{name: "a system part again", o: Overrides{RO: grantList("/usr")}},
		{name: "another system part", o: Overrides{RO: grantList("data:/usr")}, want: "ro ROOT/data /usr"},
		{name: "a made-up file replaced", o: Overrides{RO: grantList("data/file:/etc/hosts")}, want: "ro ROOT/data/file /etc/hosts"},
		{name: "tmpfs", o: Overrides{Tmpfs: []Tmpfs{{"/scratch", 1 << 20}, {"/tmp/x", 0}}}, want: "tmpfs  /scratch\ntmpfs  /tmp/x"},
		{name: "workspace", o: Overrides{Workspace: "data"}, want: "rw ROOT/data"},

		{name: "no working directory", o: Overrides{RO: grantList("data")}, h: Host{Path: "/"},
			faults: `--ro: "data": an absolute path, because the working directory is gone`},
		{name: "root", o: Overrides{RO: grantList("/"), RW: grantList("/..:/x")}, faults: `
--ro: "/": a folder below /; a grant of / would leave nothing of the box
--rw: "/..:/x": a folder below /; a grant of / would leave nothing of the box`},
		{name: "over the root", o: Overrides{RO: grantList("data:/")}, faults: `--ro: "data:/": a BOX below /, which is the box's own root`},
		{name: "the kernel's own", o: Overrides{RO: grantList("/proc", "/proc/self/root", "/sys/kernel", "/dev/null:/n", "data:/dev/x", "data:/proc")}, faults: `
--ro: "/proc": a path outside /proc, which is the kernel's own; the box has one of its own
--ro: "/proc/self/root": a path without symbolic links, which an earlier run may have left behind: /proc/self is one, and leads to /: the whole file system is never granted
--ro: "/sys/kernel": a path outside /sys, which is the kernel's own; the box has one of its own
--ro: "/dev/null:/n": a path outside /dev, which is the kernel's own; the box has one of its own
--ro: "data:/dev/x": a BOX outside /dev, which the box has of its own
--ro: "data:/proc": a BOX outside /proc, which the box has of its own`},
		{name: "relative BOX", o: Overrides{RO: []Grant{{"data", "x"}}}, faults: `--ro: "data:x": ` + wantGrant},
		{name: "empty", o: Overrides{RO: []Grant{{}}}, faults: `--ro: "": ` + wantGrant},
		{name: "NUL", o: Overrides{RO: []Grant{{Host: "a\x00b"}}}, faults: `--ro: "a\x00b": a path without NUL`},
		{name: "conflict", o: Overrides{RO: grantList("data"), RW: grantList("data"), Workspace: "data"}, faults: `
--rw: "data": one grant for one path in the box; ROOT/data is already granted read-only from ROOT/data
--workspace: "data": one grant for one path in the box; ROOT/data is already granted read-only from ROOT/data`},
		{name: "two things at one path", o: Overrides{RO: grantList("data:/x", "other:/x"), Tmpfs: []Tmpfs{{Box: "/x"}}}, faults: `
--ro: "other:/x": one grant for one path in the box; /x is already granted read-only from ROOT/data
--tmpfs: "/x": one grant for one path in the box; /x is already granted read-only from ROOT/data`},
		{name: "writable system", o: Overrides{RW: grantList("/usr", "/opt:/x", "/usr/bin:/usr")}, faults: `
--rw: "/usr": a folder below /usr, which is the system's: links in it decide what is granted
--rw: "/opt:/x": a folder below /opt, which is the system's: links in it decide what is granted
--rw: "/usr/bin:/usr": a path of your own; /usr is a part of the system, which is never writable`},
		{name: "tmpfs on tmp", o: Overrides{Tmpfs: []Tmpfs{{Box: "/tmp"}}}, faults: `--tmpfs: "/tmp": another path: every box has a /tmp, whose size is --tmp-size`},
		{name: "no mount point", o: Overrides{RO: grantList("data:/d", "other:/d/new", "other/file:/d/mount", "other:/d/mountfile", "other:/d/mountlink")}, faults: `
--ro: "other:/d/new": a BOX that exists as a folder in ROOT/data, which is granted around it; nothing is created in a granted tree
--ro: "other/file:/d/mount": a BOX that exists as a file in ROOT/data, which is granted around it; nothing is created in a granted tree
--ro: "other:/d/mountfile": a BOX that exists as a folder in ROOT/data, which is granted around it; nothing is created in a granted tree
--ro: "other:/d/mountlink": a BOX that exists as a folder in ROOT/data, which is granted around it; nothing is created in a granted tree`},
		{name: "below a file", o: Overrides{RO: grantList("data:/etc/hosts/x")}, faults: `--ro: "data:/etc/hosts/x": a path that is not below a file; /etc/hosts is a file`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			host := h
			if tt.h.Path != "" {
				host = tt.h
			}
			spec, err := load(t, "base", host).Spec([]string{"true"}, tt.o, host)
			if got := strings.TrimSpace(faultLines(err, root)); got != strings.TrimSpace(tt.faults) {
				t.Fatalf("faults:\n%s\nwant:\n%s", got, tt.faults)
			}
			if got := grants(spec, root); tt.faults == "" && got != tt.want {
				t.Errorf("view:\n%s\nwant:\n%s", got, tt.want)
			}
		})
	}
}

func TestPolicyIsNotWritable(t *testing.T) {
	root := tree(t, map[string]string{
		"work/policy/own.toml":        "extends = \"../up.toml\"\n",
		"work/up.toml":                "extends = \"base\"\n",
		"work/src/x":                  "",
		"work/linked.toml":            "-> ../else/real.toml",
		"work/sub/linked.toml":        "-> ROOT/else/real.toml",
		"else/real.toml":              "extends = \"base\"\n",
		"link":                        "-> work",
		"home/cfg/jail/profiles/":     "",
		"home/src/x":                  "",
		"work/policy/grants.toml":     "extends = \"base\"\nview.rw = [\"ROOT/work/policy\"]\n",
		"elsewhere/jail/profiles/":    "",
		"home/cfg/jail/other.toml":    "",
		"home/cfg/jail/profiles/a.md": "",
	})
	h := Host{Dir: root + "/work", Home: root + "/home", ConfigHome: root + "/home/cfg"}
	const tail = ": the program could rewrite its own policy; grant a folder beside it\n"
	for _, tt := range []struct {
		name, profile string
		o             Overrides
		want          string
	}{
		{"beside", "policy/own.toml", Overrides{RW: grantList("src"), RO: grantList("policy")}, ""},
		{"around", "policy/own.toml", Overrides{RW: grantList("policy")}, `--rw: "ROOT/work/policy": a grant without the profile file ROOT/work/policy/own.toml` + tail},
		{"the parent's", "policy/own.toml", Overrides{RW: grantList("up.toml")}, `--rw: "ROOT/work/up.toml": a grant without the profile file ROOT/work/up.toml` + tail},
		{"through a link", "policy/own.toml", Overrides{Workspace: root + "/link/policy"}, `--workspace: "ROOT/link/policy": ` + planted("ROOT/link", "ROOT/work/policy") + "\n"},
		{"by itself", "policy/grants.toml", Overrides{}, `--rw: "ROOT/work/policy": a grant without the profile file ROOT/work/policy/grants.toml` + tail},
		{"the user's folder", "base", Overrides{Workspace: root + "/home"}, `--rw: "ROOT/home": a grant without the folder of your profiles, ROOT/home/cfg/jail/profiles (XDG_CONFIG_HOME names another)` + tail},
		{"a profile by a link", "linked.toml", Overrides{RW: grantList("linked.toml:/x")}, `--rw: "linked.toml:/x": ` + planted("ROOT/work/linked.toml", "ROOT/else/real.toml") + "\n"},
		{"a folder with such a link", "sub/linked.toml", Overrides{RW: grantList("sub")}, `--rw: "ROOT/work/sub": a grant without the profile file ROOT/work/sub/linked.toml` + tail},
		{"read-only home", "base", Overrides{RO: grantList(root + "/home"), RW: grantList(root + "/home/src")}, ""},
	} {
		_, err := load(t, tt.profile, h).Spec([]string{"true"}, tt.o, h)
		if got := faultLines(err, root); got != tt.want {
			t.Errorf("%s:\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}

// The folder of the user's profiles need not be there to be protected: what can
// make it can fill it.
func TestPolicyThatIsNotThereYet(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
		cfg   string // ConfigHome
		rw    string
		held  bool
	}{
		{"the folder around it", map[string]string{"cfg/x": ""}, "cfg", "cfg", true},
		{"further up", map[string]string{"home/x": ""}, "home/.config", "home", true},
		{"the folder in it", map[string]string{"cfg/jail/x": ""}, "cfg", "cfg/jail", true},
		{"by a link", map[string]string{"dot/x": "", "home/.config": "-> ../dot"}, "home/.config", "dot", true},
		{"the link itself", map[string]string{"dot/x": "", "home/.config": "-> ../dot"}, "home/.config", "home", true},
		{"a link to what is not there", map[string]string{"ws/x": "", "home/.config/jail": "-> ROOT/ws/new"}, "home/.config", "ws", true},
		{"all there, and a link", map[string]string{"dot/jail/profiles/": "", "home/.config": "-> ROOT/dot"}, "home/.config", "home", true},
		{"beside it", map[string]string{"cfg/x": "", "cfg/src/x": ""}, "cfg", "cfg/src", false},
		{"elsewhere", map[string]string{"ws/x": ""}, "none", "ws", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := tree(t, tt.files)
			h := Host{Dir: root, ConfigHome: root + "/" + tt.cfg}
			_, err := load(t, "base", h).Spec([]string{"true"}, Overrides{RW: grantList(tt.rw)}, h)
			want := ""
			if tt.held {
				want = `--rw: "ROOT/` + tt.rw + `": a grant without the folder of your profiles, ROOT/` + tt.cfg +
					"/jail/profiles (XDG_CONFIG_HOME names another): the program could rewrite its own policy; grant a folder beside it\n"
			}
			if got := faultLines(err, root); got != want {
				t.Errorf("faults: %swant: %s", got, want)
			}
		})
	}
}

func TestSpecFields(t *testing.T) {
	root := tree(t, map[string]string{
		"ws/sub/": "",
		"p.toml": `extends = "base"
optional = ["landlock"]
require = ["landlock>=2"]
[limits]
memory = "1G"
pids = 7
output_mode = "truncate"
[net]
mode = "loopback"
unix = true
[seccomp]
policy = "default"
allow = ["ptrace"]
`})
	h := Host{Dir: root}
	p := load(t, "p.toml", h)
	spec, err := p.Spec([]string{"true", "a"}, Overrides{
		Name: "n", CgroupParent: "c", Limits: jail.Limits{Pids: 9, Timeout: time.Second},
		Optional: []jail.LayerName{jail.LayerCgroup}, Require: []string{"landlock>=3"}, Deny: []string{"chmod"},
	}, h)
	if err != nil {
		t.Fatal(err)
	}
	if spec.Name != "n" || spec.CgroupParent != "c" || inBox(spec.Args, root) != "true a" || spec.Dir != "" {
		t.Errorf("spec = %+v", spec)
	}
	if want := (jail.Limits{Memory: 1 << 30, Pids: 9, Timeout: time.Second}); spec.Limits != want {
		t.Errorf("limits = %+v, want %+v", spec.Limits, want)
	}
	if spec.Net != jail.NetLoopback || !spec.Unix || spec.OutputMode != jail.OutputTruncate {
		t.Errorf("net = %v, unix = %v, output mode = %v", spec.Net, spec.Unix, spec.OutputMode)
	}
	if len(spec.Optional) != 2 || len(spec.Require) != 2 || spec.Seccomp.Policy != "default" || spec.Seccomp.Deny[0] != "chmod" {
		t.Errorf("optional %v, require %v, seccomp %+v", spec.Optional, spec.Require, spec.Seccomp)
	}
	if spec.Profile.Name != "p.toml" || spec.Profile.Digest != p.Digest {
		t.Errorf("profile = %+v", spec.Profile)
	}
	for _, tt := range []struct{ workspace, cwd, want string }{
		{"", "", ""}, {"ws", "", "ROOT/ws"}, {"ws", "sub", "ROOT/ws/sub"}, {"ws", "/x/../y", "/y"}, {"", "ws", "ROOT/ws"},
	} {
		spec, err := p.Spec([]string{"true"}, Overrides{Workspace: tt.workspace, Cwd: tt.cwd}, h)
		if got := strings.ReplaceAll(spec.Dir, root, "ROOT"); err != nil || got != tt.want {
			t.Errorf("workspace %q, cwd %q: dir = %q, %v, want %q", tt.workspace, tt.cwd, got, err, tt.want)
		}
	}
	// Profiles are shared: a Spec's lists are its own.
	spec.Optional[0] = "changed"
	if again, _ := p.Spec([]string{"true"}, Overrides{}, h); again.Optional[0] != jail.LayerLandlock {
		t.Error("one Spec changed the next")
	}
}

// Ten thousand grants take a time that grows with their number, not with its
// square: the bound is a hundred times what it takes.
func TestManyGrants(t *testing.T) {
	h := Host{Dir: t.TempDir()}
	o := manyGrants(t, h.Dir, 10000)
	start := time.Now()
	spec, err := load(t, "base", h).Spec([]string{"true"}, o, h)
	if err != nil || len(spec.View) < 10000 {
		t.Fatalf("%d mounts, %v", len(spec.View), err)
	}
	if d := time.Since(start); d > time.Minute {
		t.Errorf("10,000 grants took %v", d)
	}
}

// One Profile serves many goroutines; the race detector watches.
func TestSpecConcurrently(t *testing.T) {
	h := Host{Dir: t.TempDir()}
	p := load(t, "base", h)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			o := Overrides{Env: []string{"A=1"}, RO: grantList(h.Dir), Optional: []jail.LayerName{jail.LayerCgroup}}
			if _, err := p.Spec([]string{"true"}, o, h); err != nil {
				t.Errorf("Spec: %v", err)
			}
		})
	}
	wg.Wait()
}
