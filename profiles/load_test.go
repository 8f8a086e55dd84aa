package profiles

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func TestLoadBuiltins(t *testing.T) {
	for _, name := range Names() {
		p := load(t, name, Host{})
		if p.Name != name || p.Description == "" || !strings.HasPrefix(p.Digest, "sha256:") || len(p.Digest) != 71 {
			t.Errorf("Load(%q) = %q, %q, %q", name, p.Name, p.Description, p.Digest)
		}
		if name == "wasm" { // its box holds the engine alone
			continue
		}
		if len(p.settings.view.system) == 0 || p.settings.env.set["PATH"] == "" {
			t.Errorf("%s does not extend base", name)
		}
	}
	if _, ok := Source("nosuch"); ok {
		t.Error("Source(nosuch) is there")
	}
}

func TestLoadUserProfiles(t *testing.T) {
	root := tree(t, map[string]string{
		"cfg/jail/profiles/mine.toml":  "extends = \"node\"\ndescription = \"mine\"\n[limits]\nmemory = \"1G\"\n",
		"cfg/jail/profiles/child.toml": "extends = \"mine\"\n[limits]\npids = 9\n[env.set]\nTZ = \"UTC\"\n[view]\nro = [\"/opt/x\"]\n",
		"work/rel.toml":                "extends = \"sub/up.toml\"\n",
		"work/sub/up.toml":             "extends = \"../other.toml\"\n",
		"work/other.toml":              "description = \"other\"\n",
		"work/link.toml":               "-> other.toml",
	})
	h := Host{ConfigHome: root + "/cfg", Dir: root + "/work"}
	p := load(t, "child", h)
	s := p.settings
	if s.limits.Memory != 1<<30 || s.limits.Pids != 9 || s.run.heap != heapV8 || s.env.set["TZ"] != "UTC" || s.env.set["PATH"] == "" {
		t.Errorf("child: %+v", s)
	}
	if p.Description != "" {
		t.Errorf("child has the description of its parent: %q", p.Description)
	}
	want := []string{root + "/cfg/jail/profiles/mine.toml", root + "/cfg/jail/profiles/child.toml"}
	if !slices.Equal(p.files, want) {
		t.Errorf("files = %q, want %q", p.files, want)
	}
	for _, name := range []string{"rel.toml", "./rel.toml", root + "/work/rel.toml", "sub/../rel.toml"} {
		if p := load(t, name, h); len(p.files) != 3 {
			t.Errorf("Load(%q): files %q", name, p.files)
		}
	}
	if p := load(t, "link.toml", h); p.Description != "other" || p.files[0] != root+"/work/link.toml" {
		t.Errorf("link: %+v", p)
	}
	names, err := UserNames(h)
	if err != nil || !slices.Equal(names, []string{"child", "mine"}) {
		t.Errorf("UserNames = %q, %v", names, err)
	}
	if names, err := UserNames(Host{ConfigHome: root + "/none"}); err != nil || names != nil {
		t.Errorf("UserNames without a folder = %q, %v", names, err)
	}
	if err := Check("rel.toml", h); err != nil {
		t.Errorf("Check(rel.toml): %v", err)
	}
}

// A digest changes with every byte of the chain, and with nothing else.
func TestDigest(t *testing.T) {
	const base = "sha256:f4e246133f18c5bf41f2a5be3589290160e63d877f05f6e56612fa503cb0161d"
	if got := load(t, "base", Host{}).Digest; got != base {
		t.Errorf("digest of base = %s, want %s: did its text change?", got, base)
	}
	digest := func(child, parent string) string {
		root := tree(t, map[string]string{"c.toml": child, "p.toml": parent})
		return load(t, root+"/c.toml", Host{}).Digest
	}
	const child = "extends = \"p.toml\"\n"
	one := digest(child, "# a\n")
	if again := digest(child, "# a\n"); again != one {
		t.Errorf("the same texts elsewhere: %s and %s", one, again)
	}
	if digest(child, "# b\n") == one || digest(child+"\n", "# a\n") == one || digest(child+"# a\n", "") == one {
		t.Error("other texts, same digest")
	}
}

func TestLoadFaults(t *testing.T) {
	files := map[string]string{
		"cfg/jail/profiles/node.toml": "",
		"cfg/jail/profiles/a.toml":    "extends = \"b\"\n",
		"cfg/jail/profiles/b.toml":    "# first line\nextends = \"a\"\n",
		"cfg/jail/profiles/ok.toml":   "",
		"over.toml":                   "extends = \"node\"\n",
		"dir.toml/":                   "",
		"dangling.toml":               "-> nowhere",
		"loop.toml":                   "-> loop.toml",
		"big.toml":                    strings.Repeat("# 0123456789\n", 6<<10),
	}
	for i := range 10 {
		files["deep/"+string(rune('a'+i))+".toml"] = "extends = \"./" + string(rune('b'+i)) + ".toml\"\n"
	}
	root := tree(t, files)
	if err := syscall.Mkfifo(root+"/fifo.toml", 0o600); err != nil {
		t.Fatal(err)
	}
	h := Host{ConfigHome: root + "/cfg", Dir: root}
	there := "; there is base, sh, node, python, wasm, exec, a, b, node, ok\n"
	for _, tt := range []struct {
		name string
		h    Host
		want string
	}{
		{"nosuch", h, `profile: "nosuch": the name of a profile, or the path of a profile file` + there},
		{"", h, `profile: "": the name of a profile, or the path of a profile file` + there},
		{"..", h, `profile: "..": the name of a profile, or the path of a profile file` + there},
		{"no such\n", h, `profile: "no such\n": the name of a profile, or the path of a profile file` + there},
		{"nosuch", Host{}, `profile: "nosuch": the name of a profile, or the path of a profile file; there is base, sh, node, python, wasm, exec` + "\n"},
		{"node", h, `profile: "node": a name that stands for one profile; ROOT/cfg/jail/profiles/node.toml has the name of a built-in one, rename it` + "\n"},
		{"over.toml", h, `over.toml:1: extends: "node": a name that stands for one profile; ROOT/cfg/jail/profiles/node.toml has the name of a built-in one, rename it` + "\n"},
		{"a", h, `ROOT/cfg/jail/profiles/b.toml:2: extends: "a": profiles that don't extend one another in a circle: ROOT/cfg/jail/profiles/a.toml extends ROOT/cfg/jail/profiles/b.toml extends ROOT/cfg/jail/profiles/a.toml` + "\n"},
		{"deep/a.toml", h, `./h.toml:1: extends: "./i.toml": at most 8 profiles that extend one another` + "\n"},
		{"dir.toml", h, `profile: "dir.toml": a profile file; this is not a regular file` + "\n"},
		{"fifo.toml", h, `profile: "fifo.toml": a profile file; this is not a regular file` + "\n"},
		{"/dev/zero", h, `profile: "/dev/zero": a profile file; this is not a regular file` + "\n"},
		{"big.toml", h, `profile: "big.toml": a profile file of at most 64 KiB` + "\n"},
		{"dangling.toml", h, `profile: "dangling.toml": a readable profile file: lstat ROOT/nowhere: no such file or directory` + "\n"},
		{"loop.toml", h, `profile: "loop.toml": a readable profile file: EvalSymlinks: too many links` + "\n"},
		{"x.toml", Host{}, `profile: "x.toml": an absolute path, because the working directory is gone` + "\n"},
	} {
		_, err := Load(tt.name, tt.h)
		if got := faultLines(err, root); got != tt.want {
			t.Errorf("Load(%q):\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}

func TestCurrentHost(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", "relative/is/ignored")
	t.Setenv("HOME", "/home/someone")
	dir := t.TempDir()
	t.Chdir(dir)
	h := CurrentHost()
	if h.ConfigHome != "/home/someone/.config" || h.Home != "/home/someone" || h.Dir != dir || len(h.Env) == 0 {
		t.Errorf("CurrentHost() = %+v", h)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if h := CurrentHost(); h.Dir != "" {
		t.Errorf("in a deleted folder, Dir = %q", h.Dir)
	}
	t.Setenv("XDG_CONFIG_HOME", "/etc/xdg")
	if h := CurrentHost(); h.profileDir() != filepath.Join("/etc/xdg", "jail", "profiles") {
		t.Errorf("profileDir() = %q", h.profileDir())
	}
}
