package profiles

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail"
)

// hostile is a name that does something where a shell reads it, and that is in sight
// wherever it stands as it is.
const hostile = "a\n;touch INJ1;echo $(touch INJ2)"

// What faults say is copied into shells. In none does a name of a program's or of an
// earlier run's making stand but as a word.
func TestHostileNamesAreWords(t *testing.T) {
	root := hostileTree(t)
	h := Host{Dir: root, Home: root + "/home"}
	evil := root + "/" + hostile
	box := "/" + hostile
	for _, tt := range []struct {
		name, profile, path string
		o                   Overrides
		args                []string
	}{
		{name: "a link to it", o: Overrides{RO: grantList("ws/link")}},
		{name: "a link of that name", o: Overrides{RO: grantList("ws/" + hostile)}},
		{name: "a circle of links", o: Overrides{RO: grantList("ws/loop" + hostile)}},
		{name: "a link to nothing", o: Overrides{RO: grantList("ws/gone")}},
		{name: "granted twice", o: Overrides{RO: []Grant{{Host: evil, Box: "/x"}}, RW: []Grant{{Host: root + "/plain", Box: "/x"}}}},
		{name: "writable twice", o: Overrides{RW: []Grant{{Host: evil, Box: "/x"}, {Host: root + "/plain", Box: "/x"}}}},
		{name: "at one place", o: Overrides{RO: []Grant{{Host: root + "/plain", Box: box}, {Host: root + "/ws", Box: box}}}},
		{name: "below a file", o: Overrides{RO: []Grant{{Host: evil + "/file", Box: box}, {Host: root + "/plain", Box: box + "/x"}}}},
		{name: "made in a grant", o: Overrides{RO: []Grant{{Host: evil, Box: "/x"}}, Tmpfs: []Tmpfs{{Box: "/x/none"}}}},
		{name: "no BOX", o: Overrides{RO: grantList("plain:" + hostile)}},
		{name: "over a made-up file", o: Overrides{RO: []Grant{{Host: evil, Box: "/etc"}}}},
		{name: "the profile in a writable grant", profile: evil + "/p.toml", o: Overrides{RW: []Grant{{Host: evil}}}},
		{name: "a program that leads to another", profile: "python", path: evil + "/bin", args: []string{"-"}},
		{name: "a shim", profile: "python", path: evil + "/shims", args: []string{"-"}},
		{name: "an environment of it", profile: "python", path: root + "/venv/bin", args: []string{"-"}},
		{name: "an environment without a Python", profile: "python", path: evil + "venv/bin", args: []string{"-"}},
		{name: "an option", profile: "python", path: root + "/sys/bin", args: []string{"-" + hostile + ".py"}},
		{name: "a script of no interpreter's", profile: "exec", args: []string{"python3", hostile + "/file"}},
	} {
		h := h
		h.Path = tt.path
		profile, args := tt.profile, tt.args
		if profile == "" {
			profile = "base"
		}
		if args == nil {
			args = []string{"true"}
		}
		_, err := load(t, profile, h).Spec(args, tt.o, h)
		got := wants(err)
		if got == "" || strings.Contains(got, "\n") {
			t.Errorf("%s: %q, want a fault, and the name in it as a word", tt.name, got)
		}
		if !strings.Contains(got, `\012`) {
			t.Errorf("%s: %q does not name it", tt.name, got)
		}
	}
	h.Path, h.Dir = root+"/home/.pyenv/shims", root+"/chosen"
	_, err := load(t, "python", h).Spec([]string{"-"}, Overrides{}, h)
	if got := wants(err); !strings.Contains(got, "pyenv chooses ';touch:$(touch)' (") {
		t.Errorf("a version: %q", got)
	}
}

// hostileTree has that name wherever something may have one.
func hostileTree(t *testing.T) string {
	t.Helper()
	return tree(t, map[string]string{
		hostile + "/p.toml":                   "extends = \"base\"\n",
		hostile + "/d/":                       "",
		hostile + "/file":                     "",
		hostile + "/bin/python3":              "-> " + "other",
		hostile + "/bin/other":                elf,
		"-" + hostile + ".py":                 "",
		hostile + "/shims/python3":            "#!/bin/sh\n# pyenv\n",
		"plain/":                              "",
		"ws/link":                             "-> ROOT/" + hostile,
		"ws/" + hostile:                       "-> ROOT/plain",
		"ws/loop" + hostile:                   "-> loop" + hostile,
		"ws/gone":                             "-> ROOT/" + hostile + "/nothing",
		"venv/bin/python3":                    "-> ROOT/" + hostile + "/bin/other",
		"venv/pyvenv.cfg":                     "home = ROOT/plain\n",
		hostile + "venv/bin/python3":          elf,
		hostile + "venv/pyvenv.cfg":           "home = ROOT/nowhere\n",
		"sys/bin/python3":                     elf,
		"sys/lib/":                            "",
		"home/.pyenv/shims/python3":           pyenvShim,
		"home/.pyenv/versions/3.1/bin/python": elf,
		"chosen/.python-version":              ";touch:$(touch)\n",
	})
}

// wants is what faults say besides the values that they quote.
func wants(err error) string {
	var list []string
	faults, _ := err.(jail.Faults)
	for _, f := range faults {
		list = append(list, f.Want)
	}
	return strings.Join(list, "; ")
}

// A program says itself where its libraries are.
func TestHostileLibraryFolder(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no gcc")
	}
	const runpath = "/opt/a;touch INJ1;echo $(touch INJ2)"
	root := tree(t, map[string]string{"a.c": "int a(void) { return 0; }", "main.c": "int a(void); int main(void) { return a(); }"})
	for _, args := range [][]string{{"-shared", "-fPIC", "-o", "liba.so", "a.c"},
		{"-o", "prog", "main.c", "-L.", "-la", "-Wl,--enable-new-dtags", "-Wl,-rpath," + runpath},
		{"-o", "loader", "a.c", "-nostartfiles", "-Wl,-e,a", "-Wl,--dynamic-linker=" + runpath}} {
		cmd := exec.Command("gcc", args...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("gcc %q: %v\n%s", args, err, out)
		}
	}
	os.Remove(root + "/liba.so")
	h := Host{Dir: root}
	for prog, want := range map[string]string{
		"prog":   brings + "looks for liba.so in " + shellword.Quote(runpath) + ": give --ro " + shellword.Quote(runpath+"/liba.so") + " if that is right",
		"loader": brings + "names the dynamic loader " + shellword.Quote(runpath) + ": give --ro " + shellword.Quote(runpath) + " if that is right",
	} {
		_, err := load(t, "exec", h).Spec([]string{"./" + prog}, Overrides{}, h)
		if got := wants(err); got != want {
			t.Errorf("%s: %q, want %q", prog, got, want)
		}
	}
}
