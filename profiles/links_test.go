package profiles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Links of an earlier run's making choose nothing: they are a fault for every
// kind of grant, in whatever place of the path they stand.
func TestPlantedLinks(t *testing.T) {
	root := tree(t, map[string]string{
		"beside/it":    "key",
		"beside/d/x":   "",
		"ws/out":       "-> ROOT/beside",
		"ws/deep/in":   "-> ../../beside/it",
		"ws/again":     "-> out",
		"ws/dangling":  "-> ROOT/nowhere/x",
		"ws/loop":      "-> loop",
		"ws/inside":    "-> deep",
		"home/cfg":     "-> ROOT/beside",
		"rw.toml":      "extends = \"base\"\nview.rw = [\"ROOT/ws/out:/out\"]\n",
		"homely.toml":  "extends = \"base\"\nview.ro = [\"~/cfg:/out\"]\n",
		"ws/deep/file": "",
	})
	h := Host{Dir: root, Home: root + "/home"}
	ws := grantList("ws")
	for _, tt := range []struct {
		profile string
		o       Overrides
		want    string
	}{
		{"base", Overrides{RO: grantList("ws/out:/x")}, `--ro: "ws/out:/x": ` + planted("ROOT/ws/out", "ROOT/beside")},
		{"base", Overrides{RW: grantList("ws/out")}, `--rw: "ws/out": ` + planted("ROOT/ws/out", "ROOT/beside")},
		{"base", Overrides{RW: grantList("ws/out/d")}, `--rw: "ws/out/d": ` + planted("ROOT/ws/out", "ROOT/beside/d")},
		{"base", Overrides{RW: ws, RO: grantList("ws/deep/in:/x")}, `--ro: "ws/deep/in:/x": ` + planted("ROOT/ws/deep/in", "ROOT/beside/it")},
		{"base", Overrides{Workspace: "ws/again"}, `--workspace: "ws/again": ` + planted("ROOT/ws/again", "ROOT/beside")},
		{"base", Overrides{RW: grantList("ws/dangling")}, `--rw: "ws/dangling": ` + "a path that leads to something; the symbolic link ROOT/ws/dangling leads to ROOT/nowhere/x, where nothing is"},
		{"base", Overrides{RO: grantList("ws/loop")}, `--ro: "ws/loop": ` + "a path that leads to something; the symbolic link ROOT/ws/loop leads in a circle"},
		// One that stays in its folder today may lead elsewhere tomorrow.
		{"base", Overrides{RW: ws, RO: grantList("ws/inside:/x")}, `--ro: "ws/inside:/x": ` + planted("ROOT/ws/inside", "ROOT/ws/deep")},
		{"rw.toml", Overrides{}, `view.rw: "ROOT/ws/out:/out": ` + planted("ROOT/ws/out", "ROOT/beside")},
		{"homely.toml", Overrides{}, `view.ro: "ROOT/home/cfg:/out": ` + planted("ROOT/home/cfg", "ROOT/beside")},
	} {
		spec, err := load(t, tt.profile, h).Spec([]string{"true"}, tt.o, h)
		if got := strings.TrimSpace(faultLines(err, root)); got != tt.want {
			t.Errorf("%s %+v:\n%s\nwant:\n%s", tt.profile, tt.o, got, tt.want)
		}
		if got := grants(spec, root); strings.Contains(got, "beside") {
			t.Errorf("%s %+v: granted: %s", tt.profile, tt.o, got)
		}
	}
}

// The system's own links are what they lead to, under the path as named.
func TestSystemLinks(t *testing.T) {
	for _, tt := range []struct {
		path string
		want bool
	}{
		{"/bin", true}, {"/lib", true}, {"/var/run", true}, {"/proc/self", false}, {"/dev/fd", false}, {"/tmp", false},
	} {
		if _, err := os.Readlink(tt.path); err != nil {
			continue
		}
		if got := isSystemLink(tt.path); got != tt.want {
			t.Errorf("isSystemLink(%s) = %v, want %v", tt.path, got, tt.want)
		}
	}
	link := tree(t, map[string]string{"link": "-> /usr"}) + "/link"
	if isSystemLink(link) {
		t.Errorf("isSystemLink(%s), whoever made it", link)
	}
	real, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil || !isSystemLink("/bin") {
		t.Skip("no /bin/sh behind a link")
	}
	if got, err := (Host{}).RealPath("/bin/../bin/sh"); err == nil && got != real {
		t.Errorf("RealPath(/bin/sh) = %s, want %s", got, real)
	}
	spec, err := load(t, "base", Host{}).Spec([]string{"true"}, Overrides{RO: grantList("/bin/env:/x")}, Host{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range spec.View {
		if m.Kind == "ro" {
			got = append(got, m.Source+" "+m.Target)
		}
	}
	if got := strings.Join(got, ", "); got != "/usr/bin/env /x" {
		t.Errorf("granted %s", got)
	}
}

func TestRealPath(t *testing.T) {
	root := tree(t, map[string]string{"d/file": "", "link": "-> d", "d/out": "-> /etc/passwd"})
	h := Host{Dir: root}
	for _, tt := range []struct{ path, want, err string }{
		{"d/file", "ROOT/d/file", ""},
		{"d/../d//./new", "ROOT/d/new", ""},
		{"no/such/../file", "ROOT/no/file", ""},
		{"/etc/passwd", "/etc/passwd", ""},
		{"link/file", "", "must be " + planted("ROOT/link", "ROOT/d/file")},
		{"d/out", "", "must be " + planted("ROOT/d/out", "/etc/passwd")},
		{"", "", "no such file or directory"},
	} {
		got, err := h.RealPath(tt.path)
		text := ""
		if err != nil {
			text = strings.ReplaceAll(err.Error(), root, "ROOT")
		}
		if got = strings.ReplaceAll(got, root, "ROOT"); got != tt.want || text != tt.err {
			t.Errorf("RealPath(%q) = %q, %q, want %q, %q", tt.path, got, text, tt.want, tt.err)
		}
	}
	if _, err := (Host{}).RealPath("d"); err == nil {
		t.Error("a relative path without a working directory")
	}
}

// Where a link of an earlier run's leads is named to be given like any hint: not to
// secrets, nor, to be written, to what the caller runs.
func TestPlantedLinksLeadToNoSecrets(t *testing.T) {
	root := tree(t, map[string]string{"me/.ssh/id_rsa": "", "me/tools/x": "", "me/job/x": "", "ws/keys": "-> ROOT/me/.ssh", "ws/key": "-> ROOT/me/.ssh/id_rsa", "ws/home": "-> ROOT/me", "ws/shadow": "-> /etc/shadow",
		"ws/tools": "-> ROOT/me/tools", "ws/job": "-> ROOT/me/job", "ws/run": "-> /run"})
	t.Setenv("HOME", root+"/me")
	t.Setenv("PATH", root+"/me/tools:/usr/bin")
	h := Host{Dir: root}
	for name, c := range map[string]struct{ ro, rw bool }{"keys": {}, "key": {}, "home": {}, "shadow": {}, "run": {}, "tools": {ro: true}, "job": {true, true}} {
		for kind, o := range map[bool]Overrides{false: {RO: grantList("ws/" + name)}, true: {RW: grantList("ws/" + name)}} {
			_, err := load(t, "base", h).Spec([]string{"true"}, o, h)
			given := c.ro
			if kind {
				given = c.rw
			}
			if got := wants(err); strings.Contains(got, "if it is right, give ") != given || !strings.Contains(got, "ws/"+name+" is one") || strings.Contains(got, "not hinted") == given {
				t.Errorf("%s, to be written %v: %q, want it named: %v", name, kind, got, given)
			}
		}
	}
}

// What an environment's files name is named to be granted by the same rule.
func TestWhatIsNamedInFilesIsNoSecret(t *testing.T) {
	root := tree(t, map[string]string{"me/.keys/python3": "", "me/job/python3": ""})
	t.Setenv("HOME", root+"/me")
	for p, given := range map[string]bool{"me/.keys/python3": false, "me/job/python3": true, "me": false} {
		if got := ifRight(root + "/" + p); (got == "grant that with --ro if it is right") != given || !given && strings.Contains(got, "--ro") {
			t.Errorf("ifRight(%s) = %q, want it named: %v", p, got, given)
		}
	}
}

// A command that is a link to a program of another name is not to be called by that.
func TestCalledByName(t *testing.T) {
	root := tree(t, map[string]string{"cargo/bin/rustup": elf, "cargo/bin/tool-1.2": elf})
	for link, to := range map[string]string{"rustc": "rustup", "tool": "tool-1.2"} {
		if err := os.Symlink(to, root+"/cargo/bin/"+link); err != nil {
			t.Fatal(err)
		}
	}
	h := Host{Dir: root, Home: root, Path: root + "/cargo/bin"}
	for name, want := range map[string]string{
		"rustc":           `the program itself; in PATH it is a symbolic link to ROOT/cargo/bin/rustup, which does by its name what it does: put the folder of the real rustc first in PATH`,
		"tool":            planted("ROOT/cargo/bin/tool", "ROOT/cargo/bin/tool-1.2"),
		"cargo/bin/rustc": planted("ROOT/cargo/bin/rustc", "ROOT/cargo/bin/rustup"),
	} {
		_, err := load(t, "exec", h).Spec([]string{name}, Overrides{}, h)
		if got := faultLines(err, root); got != `command: "`+name+`": `+want+"\n" {
			t.Errorf("%s: faults %q, want %q", name, got, want)
		}
	}
}
