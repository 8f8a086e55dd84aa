package profiles

import (
	"strings"
	"testing"
)

// Homes are not granted as a whole, whatever the environment says, and a
// virtual environment adds nothing but itself and a Python installation.
func TestHomesAreNoPrefixes(t *testing.T) {
	files := map[string]string{
		"u/anna/bin/node":          elf,
		"u/anna/lib/x":             "",
		"u/anna/bin/python3":       "-> ROOT/opt/py/bin/python3",
		"u/anna/pyvenv.cfg":        "home = ROOT/opt/py/bin\n",
		"u/bin/node":               elf,
		"u/lib/x":                  "",
		"who/dan/bin/node":         elf,
		"who/dan/lib/x":            "",
		"who/dan/.ssh/":            "",
		"srv/home/eve/bin/node":    elf,
		"srv/home/eve/lib/x":       "",
		"u/bob/.local/bin/node":    elf,
		"u/bob/.local/lib/x":       "",
		"real/carl/bin/node":       elf,
		"real/carl/lib/x":          "",
		"h":                        "-> real",
		"opt/node/bin/node":        elf,
		"opt/node/lib/x":           "",
		"opt/py/bin/python3":       elf,
		"opt/py/lib/python3/os.py": "",
		"theirs/tool":              elf,
		"theirs/bin/python3":       elf,
		"theirs/lib/x":             "",
		"repo/.venv/bin/python3":   "-> ROOT/theirs/tool",
		"repo/.venv/pyvenv.cfg":    "home = ROOT/theirs\n",
		"repo/home/bin/python3":    elf,
		"repo/home/pyvenv.cfg":     "home = ROOT/theirs/bin\n",
		"repo/both/bin/python3":    "-> ROOT/opt/py/bin/python3",
		"repo/both/pyvenv.cfg":     "home = ROOT/theirs/bin\n",
		"repo/bin/node":            "-> ROOT/theirs/tool",
		"repo/good/bin/python3":    "-> ROOT/opt/py/bin/python3",
		"repo/good/pyvenv.cfg":     "home = ROOT/opt/py/bin\n",
		"passwd":                   "root:x:0:0:root:/root:/bin/sh\nx:x:1:1::/:\nanna:x:4242:1::ROOT/u/anna:/bin/sh\nbob:x:4243:1::ROOT/u/bob/:\ncarl:x:4244:1::ROOT/h/carl:\nbroken:x\n\n",
	}
	const other = "which is another program: put the folder of the real one first in PATH"
	for _, tt := range []struct{ name, profile, path, home, view, fault string }{
		{"no HOME", "node", "ROOT/u/anna/bin", "", "system ROOT/u/anna/bin/node", ""},
		{"another's HOME", "node", "ROOT/u/anna/bin", "/root", "system ROOT/u/anna/bin/node", ""},
		{"what holds homes", "node", "ROOT/u/bin", "", "system ROOT/u/bin/node", ""},
		{"behind a link", "node", "ROOT/real/carl/bin", "", "system ROOT/real/carl/bin/node", ""},
		{"HOME alone says so", "node", "ROOT/opt/node/bin", "ROOT/opt/node", "system ROOT/opt/node/bin/node", ""},
		{"~/.local", "node", "ROOT/u/bob/.local/bin", "", "system ROOT/u/bob/.local/bin/node", ""},
		{"keys in it", "node", "ROOT/who/dan/bin", "", "system ROOT/who/dan/bin/node", ""},
		{"in a folder of homes", "node", "ROOT/srv/home/eve/bin", "", "system ROOT/srv/home/eve/bin/node", ""},
		{"a prefix", "node", "ROOT/opt/node/bin", "ROOT/u/anna", "system ROOT/opt/node", ""},
		{"a link to another program", "node", "ROOT/repo/bin", "", "",
			`run.interpreter: "ROOT/repo/bin/node": the interpreter itself; ROOT/repo/bin/node leads to ROOT/theirs/tool, ` + other},

		{"a home that is an environment", "python", "ROOT/u/anna/bin", "", "",
			`run.interpreter: "ROOT/u/anna/bin/python3": a virtual environment in a folder of its own; ROOT/u/anna is a home, holds one, or lies right below /: grant what is needed of it with --ro`},
		{"an environment", "python", "ROOT/repo/good/bin", "", "system ROOT/repo/good\nsystem ROOT/opt/py", ""},
		{"made from no Python", "python", "ROOT/repo/.venv/bin", "", "",
			`run.interpreter: "ROOT/repo/.venv/bin/python3": a virtual environment that was made from a Python installation; that of ROOT/repo/.venv leads to ROOT/theirs/tool, which is in none: grant that with --ro if it is right`},
		{"home is none", "python", "ROOT/repo/home/bin", "", "",
			`run.interpreter: "ROOT/repo/home/bin/python3": a virtual environment that was made from a Python installation; that of ROOT/repo/home leads to ROOT/theirs/bin/python3, which is in none: grant that with --ro if it is right`},
		{"home is another, and none", "python", "ROOT/repo/both/bin", "", "system ROOT/repo/both\nsystem ROOT/opt/py", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := tree(t, files)
			put := func(s string) string { return strings.ReplaceAll(s, "ROOT", root) }
			h := Host{Path: put(tt.path), Home: put(tt.home), Dir: root, passwd: root + "/passwd"}
			spec, err := load(t, tt.profile, h).Spec([]string{"--version"}, Overrides{}, h)
			if got := strings.TrimSpace(faultLines(err, root)); got != tt.fault {
				t.Fatalf("faults: %s\nwant: %s", got, tt.fault)
			}
			if got := grants(spec, root); err == nil && got != tt.view {
				t.Errorf("view:\n%s\nwant:\n%s", got, tt.view)
			}
		})
	}
}

func TestMayBeRoot(t *testing.T) {
	root := tree(t, map[string]string{"passwd": "a:x:1000:1::/data/a:\nd:x:33:1::/var/www:\n", "opt/x/": ""})
	b := &builder{h: Host{passwd: root + "/passwd"}}
	for dir, want := range map[string]bool{
		"/": false, "/opt": false, "/tmp": false, "/data": false, "/data/a": false, "/var/www": false, "/home/x": false,
		"/data/a/tool": true, "/home/x/tool": true, root + "/opt/x": true,
	} {
		if got := b.mayBeRoot(dir); got != want {
			t.Errorf("mayBeRoot(%s) = %v, want %v", dir, got, want)
		}
	}
}

func TestSameProgram(t *testing.T) {
	for _, tt := range []struct {
		wanted, real string
		want         bool
	}{
		{"python3", "python3.11", true}, {"python", "python2.7", true}, {"python3", "pypy3.10", true},
		{"node", "node", true}, {"nodejs", "node", true}, {"node", "nodejs", true}, {"ruby", "ruby3.1", true},
		{"python3", "tool", false}, {"node", "id_rsa", false}, {"node", "1", false}, {"node", ".", false}, {"python3", "p", false}, {"sh", "sh", true},
	} {
		if got := sameProgram(tt.wanted, tt.real); got != tt.want {
			t.Errorf("sameProgram(%s, %s) = %v, want %v", tt.wanted, tt.real, got, tt.want)
		}
	}
}
