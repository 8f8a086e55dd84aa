package profiles

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const elf = "\x7fELF, as far as a name and an execute bit go"

// pyenvShim is what matters of the shell script that pyenv installs.
const pyenvShim = "#!/usr/bin/env bash\nprogram=\"${0##*/}\"\nexport PYENV_ROOT=\"ROOT/home/.pyenv\"\nexec \"ROOT/home/.pyenv/libexec/pyenv\" exec \"$program\" \"$@\"\n"

// TestInterpreters lays out homes as version managers do, and looks at what is
// started and what of the home is granted.
func TestInterpreters(t *testing.T) {
	pyenv := map[string]string{
		"home/.pyenv/shims/python3":                         pyenvShim,
		"home/.pyenv/version":                               "3.11.7\n",
		"home/.pyenv/versions/3.11.7/bin/python3":           "-> python3.11",
		"home/.pyenv/versions/3.11.7/bin/python3.11":        elf,
		"home/.pyenv/versions/3.11.7/lib/python3.11/os.py":  "",
		"home/.pyenv/versions/3.9.18/bin/python3":           elf,
		"home/.pyenv/versions/3.9.18/lib/":                  "",
		"home/.pyenv/versions/3.9.2/bin/python3":            elf,
		"home/.pyenv/versions/3.9.2/lib/":                   "",
		"home/.pyenv/versions/2.7.18/bin/python":            elf,
		"home/.pyenv/versions/mine":                         "-> 3.11.7/envs/mine",
		"home/.pyenv/versions/3.11.7/envs/mine/bin/p":       "",
		"home/.pyenv/versions/3.11.7/envs/mine/bin/python3": "-> ROOT/home/.pyenv/versions/3.11.7/bin/python3.11",
		"home/.pyenv/versions/3.11.7/envs/mine/pyvenv.cfg":  "home = ROOT/home/.pyenv/versions/3.11.7/bin\n",
		"sys/bin/python3":                                   elf,
		"sys/lib/":                                          "",
		"proj/.python-version":                              "3.9\n",
		"proj/deep/er/":                                     "",
		"evil/.python-version":                              "../../../beside\n",
		"comment/.python-version":                           "# none\n\n  3.9.2 3.11.7\n",
		"two/.python-version":                               "2.7.18:3.11.7\n",
		"gone/.python-version":                              "3.14\n",
		"sysver/.python-version":                            "system\n",
		"empty/.python-version":                             "\n",
		"beside/bin/python3":                                elf,
		"beside/lib/":                                       "",
		"home/.pyenv/beside/bin/python":                     elf,
	}
	const shims = "ROOT/home/.pyenv/shims"
	const v = "ROOT/home/.pyenv/versions/"
	for _, tt := range []struct {
		name    string
		files   map[string]string
		profile string
		path    string // PATH
		dir     string
		env     string
		o       func(root string) Overrides
		want    string // program
		view    string
		fault   string
	}{
		{name: "pyenv, global", files: pyenv, path: shims, want: v + "3.11.7/bin/python3.11", view: "system " + v + "3.11.7"},
		{name: "pyenv, variable", files: pyenv, path: shims, env: "PYENV_VERSION=3.9.18", want: v + "3.9.18/bin/python3", view: "system " + v + "3.9.18"},
		{name: "pyenv, file above, newest of a line", files: pyenv, path: shims, dir: "proj/deep/er", want: v + "3.9.18/bin/python3", view: "system " + v + "3.9.18"},
		{name: "pyenv, comments and several", files: pyenv, path: shims, dir: "comment", want: v + "3.9.2/bin/python3", view: "system " + v + "3.9.2"},
		{name: "pyenv, first that has it", files: pyenv, path: shims, dir: "two", want: v + "3.11.7/bin/python3.11", view: "system " + v + "3.11.7"},
		{name: "pyenv, empty file", files: pyenv, path: shims, dir: "empty", want: v + "3.11.7/bin/python3.11", view: "system " + v + "3.11.7"},
		{name: "pyenv, system", files: pyenv, path: shims + ":ROOT/sys/bin", dir: "sysver", want: "ROOT/sys/bin/python3", view: "system ROOT/sys"},
		{name: "pyenv, only system", files: pyenv, path: shims, dir: "sysver", fault: `run.interpreter: "python3, python": an interpreter that is in PATH`},
		{name: "pyenv, a version that is a path", files: pyenv, path: shims, dir: "evil",
			fault: `run.interpreter: "ROOT/home/.pyenv/shims/python3": an installed version; pyenv chooses ../../../beside (ROOT/evil/.python-version), which has no python3`},
		{name: "pyenv, not installed", files: pyenv, path: shims, dir: "gone",
			fault: `run.interpreter: "ROOT/home/.pyenv/shims/python3": an installed version; pyenv chooses 3.14 (ROOT/gone/.python-version), which has no python3`},
		{name: "pyenv-virtualenv", files: pyenv, path: shims, env: "PYENV_VERSION=mine",
			want: v + "3.11.7/envs/mine/bin/python3", view: "system " + v + "3.11.7/envs/mine\nsystem " + v + "3.11.7"},
		{name: "nodenv", profile: "node", path: "ROOT/home/.nodenv/shims", dir: "proj", files: map[string]string{
			"home/.nodenv/shims/node":                "#!/usr/bin/env bash\nexport NODENV_ROOT=\"x\"\n",
			"home/.nodenv/versions/20.1.0/bin/node":  elf,
			"home/.nodenv/versions/20.1.0/lib/":      "",
			"home/.nodenv/versions/20.10.0/bin/node": elf,
			"home/.nodenv/versions/20.10.0/lib/":     "",
			"proj/.node-version":                     "20",
		}, want: "ROOT/home/.nodenv/versions/20.10.0/bin/node", view: "system ROOT/home/.nodenv/versions/20.10.0"},
		{name: "nvm in PATH", profile: "node", path: "ROOT/home/.nvm/versions/node/v20.1.0/bin", files: map[string]string{
			"home/.nvm/versions/node/v20.1.0/bin/node":          elf,
			"home/.nvm/versions/node/v20.1.0/lib/node_modules/": "",
		}, want: "ROOT/home/.nvm/versions/node/v20.1.0/bin/node", view: "system ROOT/home/.nvm/versions/node/v20.1.0"},
		{name: "nvm's alias", profile: "node", path: "/nowhere", files: map[string]string{
			"home/.nvm/alias/default":                   "lts/*\n",
			"home/.nvm/alias/lts/*":                     "lts/iron\n",
			"home/.nvm/alias/lts/iron":                  "v20\n",
			"home/.nvm/versions/node/v20.1.0/bin/node":  elf,
			"home/.nvm/versions/node/v20.1.0/lib/":      "",
			"home/.nvm/versions/node/v20.11.1/bin/node": elf,
			"home/.nvm/versions/node/v20.11.1/lib/":     "",
			"home/.nvm/versions/node/v22.0.0/bin/node":  elf,
		}, want: "ROOT/home/.nvm/versions/node/v20.11.1/bin/node", view: "system ROOT/home/.nvm/versions/node/v20.11.1"},
		{name: "nvm elsewhere, newest", profile: "node", path: "/nowhere", env: "NVM_DIR=ROOT/nvm", files: map[string]string{
			"nvm/alias/default":                  "node",
			"nvm/versions/node/v9.9.9/bin/node":  elf,
			"nvm/versions/node/v20.1.0/bin/node": elf,
		}, want: "ROOT/nvm/versions/node/v20.1.0/bin/node", view: "system ROOT/nvm/versions/node/v20.1.0/bin/node"},
		{name: "asdf", profile: "node", path: "ROOT/home/.asdf/shims", dir: "proj/sub", files: map[string]string{
			"home/.asdf/shims/node":                      "#!/usr/bin/env bash\n# asdf-plugin: nodejs 18.0.0\n# asdf-plugin: nodejs 20.1.0\nexec asdf exec \"node\" \"$@\"\n",
			"home/.asdf/installs/nodejs/20.1.0/bin/node": elf,
			"home/.asdf/installs/nodejs/20.1.0/lib/":     "",
			"home/.tool-versions":                        "nodejs 18.0.0\n",
			"proj/.tool-versions":                        "# tools\npython 3.11\nnodejs ../x 20.1.0\n",
			"proj/sub/":                                  "",
		}, want: "ROOT/home/.asdf/installs/nodejs/20.1.0/bin/node", view: "system ROOT/home/.asdf/installs/nodejs/20.1.0"},
		{name: "asdf, nothing chosen", profile: "node", path: "ROOT/home/.asdf/shims", files: map[string]string{
			"home/.asdf/shims/node": "#!/bin/sh\n# asdf-plugin: nodejs 18.0.0\n",
		}, fault: `run.interpreter: "ROOT/home/.asdf/shims/node": an installed version; asdf chooses '' for nodejs (ASDF_NODEJS_VERSION), which has no node`},
		{name: "mise", profile: "node", path: "ROOT/home/shims", files: map[string]string{
			"home/shims/node": "-> ../bin/mise", "home/bin/mise": elf,
		}, fault: `run.interpreter: "ROOT/home/shims/node": the interpreter itself; ROOT/home/shims/node is a shim of mise: put the folder of the real one first in PATH`},
		{name: "a script of one's own", profile: "node", path: "ROOT/bin", files: map[string]string{"bin/node": "#!/bin/sh\nexec /opt/node \"$@\"\n"},
			fault: `run.interpreter: "ROOT/bin/node": the interpreter itself; ROOT/bin/node is a script that starts it: put the folder of the real one first in PATH`},
		{name: "a chain of links", profile: "node", path: "ROOT/home/bin", files: map[string]string{
			"home/bin/node":     "-> ../.local/bin/node",
			"home/.local/bin":   "-> ROOT/opt/current/bin",
			"opt/current":       "-> node-v20",
			"opt/node-v20/lib/": "", "opt/node-v20/bin/node": elf,
		}, want: "ROOT/opt/node-v20/bin/node", view: "system ROOT/opt/node-v20"},
		{name: "shims in a circle", path: "ROOT/a/shims", env: "PYENV_VERSION=x", files: map[string]string{
			"a/shims/python3": "#!/bin/sh\nPYENV_ROOT", "a/versions/x/bin": "-> ../../shims",
		}, fault: `run.interpreter: "ROOT/a/shims/python3": an interpreter; shims lead to one another in a circle`},
		{name: "no prefix of its own", profile: "node", path: "ROOT/tools", files: map[string]string{"tools/node": elf, "tools/beside": ""},
			want: "ROOT/tools/node", view: "system ROOT/tools/node"},
		{name: "the home is no prefix", profile: "node", path: "ROOT/home/bin", files: map[string]string{"home/bin/node": elf, "home/lib/x": ""},
			want: "ROOT/home/bin/node", view: "system ROOT/home/bin/node"},
		{name: "nor is .local", path: "ROOT/home/.local/bin", files: map[string]string{
			"home/.local/bin/python3": "-> python3.12", "home/.local/bin/python3.12": elf,
			"home/.local/lib/python3.12/os.py": "", "home/.local/lib/libpython3.12.so.1.0": "", "home/.local/lib/other/x": "",
		}, want: "ROOT/home/.local/bin/python3.12", view: "system ROOT/home/.local/bin/python3.12\nsystem ROOT/home/.local/lib/libpython3.12.so.1.0\nsystem ROOT/home/.local/lib/python3.12"},
		{name: "covered by a grant", profile: "node", path: "ROOT/opt/bin", files: map[string]string{"opt/bin/node": elf, "opt/lib/": ""},
			o:    func(root string) Overrides { return Overrides{RO: []Grant{{Host: root + "/opt"}}} },
			want: "ROOT/opt/bin/node", view: "ro ROOT/opt"},
		{name: "nowhere", profile: "node", path: "relative::ROOT/none", files: map[string]string{"cwd/": ""},
			fault: `run.interpreter: "node, nodejs": an interpreter that is in PATH`},
		{name: "not executable", profile: "node", path: "ROOT/bin", files: map[string]string{"bin/node": "x"},
			fault: `run.interpreter: "node, nodejs": an interpreter that is in PATH`},
		{name: "the second name", profile: "node", path: "ROOT/bin", files: map[string]string{"bin/nodejs": elf},
			want: "ROOT/bin/nodejs", view: "system ROOT/bin/nodejs"},

		{name: "venv", path: "ROOT/proj/env/bin", files: map[string]string{
			"proj/env/pyvenv.cfg":  "home = ROOT/opt/py/bin\nversion = 3.12\n",
			"proj/env/bin/python3": "-> python", "proj/env/bin/python": "-> ROOT/opt/py/bin/python3",
			"opt/py/bin/python3": "-> python3.12", "opt/py/bin/python3.12": elf, "opt/py/lib/python3.12/os.py": "",
		}, want: "ROOT/proj/env/bin/python3", view: "system ROOT/opt/py\nsystem ROOT/proj/env"},
		{name: "venv with a copy", path: "ROOT/proj/env/bin", files: map[string]string{
			"proj/env/pyvenv.cfg": "home=ROOT/opt/py/bin\n", "proj/env/bin/python3": elf,
			"opt/py/bin/python3": elf, "opt/py/lib/python3.12/os.py": "",
		}, want: "ROOT/proj/env/bin/python3", view: "system ROOT/opt/py\nsystem ROOT/proj/env"},
		{name: "venv of the system's", path: "ROOT/proj/env/bin", files: map[string]string{
			"proj/env/pyvenv.cfg": "home = /usr/bin\n", "proj/env/bin/python3": "-> /usr/bin/env",
		}, want: "ROOT/proj/env/bin/python3", view: "system ROOT/proj/env"},
		{name: "venv whose Python is gone", path: "ROOT/proj/env/bin", files: map[string]string{
			"proj/env/pyvenv.cfg": "home = ROOT/none\n", "proj/env/bin/python3": elf,
		}, fault: `run.interpreter: "ROOT/proj/env/bin/python3": a virtual environment whose Python is there; that of ROOT/proj/env is gone: readlink ROOT/none: no such file or directory`},
		{name: "uv", path: "ROOT/proj/.venv/bin", files: map[string]string{
			"proj/.venv/pyvenv.cfg":                                           "home = ROOT/home/.local/share/uv/python/cpython-3.12/bin\nuv = 0.5\n",
			"proj/.venv/bin/python3":                                          "-> ROOT/home/.local/share/uv/python/cpython-3.12/bin/python3.12",
			"home/.local/share/uv/python/cpython-3.12":                        "-> cpython-3.12.7",
			"home/.local/share/uv/python/cpython-3.12.7/bin/python3.12":       elf,
			"home/.local/share/uv/python/cpython-3.12.7/lib/python3.12/os.py": "",
		}, want: "ROOT/proj/.venv/bin/python3", view: "link cpython-3.12.7 ROOT/home/.local/share/uv/python/cpython-3.12\nsystem ROOT/home/.local/share/uv/python/cpython-3.12.7\nsystem ROOT/proj/.venv"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := tree(t, tt.files)
			put := func(s string) string { return strings.ReplaceAll(s, "ROOT", root) }
			h := Host{Path: put(tt.path), Home: root + "/home", Dir: filepath.Join(root, tt.dir), Env: []string{put(tt.env)}}
			var o Overrides
			if tt.o != nil {
				o = tt.o(root)
			}
			profile := tt.profile
			if profile == "" {
				profile = "python"
			}
			spec, err := load(t, profile, h).Spec([]string{"--version"}, o, h)
			want := tt.fault
			if want != "" {
				want += "\n"
			}
			if got := faultLines(err, root); got != want {
				t.Fatalf("faults: %swant: %s", got, want)
			}
			if err != nil {
				return
			}
			if got := inBox(spec.Args[:1], root); got != tt.want {
				t.Errorf("program = %s, want %s", got, tt.want)
			}
			if got := sortLines(grants(spec, root)); got != sortLines(tt.view) {
				t.Errorf("view:\n%s\nwant:\n%s", got, tt.view)
			}
		})
	}
}

func sortLines(s string) string {
	lines := strings.Split(s, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// What an earlier run could have written into a writable grant adds nothing to
// what a later run is granted.
func TestInterpretersInWritableGrants(t *testing.T) {
	files := map[string]string{
		"ws/.venv/pyvenv.cfg":                                       "home = ROOT/opt/py/bin\n",
		"ws/.venv/bin/python3":                                      "-> ROOT/opt/py/bin/python3",
		"opt/py/bin/python3":                                        elf,
		"opt/py/lib/python3.12/os.py":                               "",
		"beside/bin/python3":                                        elf,
		"beside/lib/python3.12/os.py":                               "",
		"evil/.venv/pyvenv.cfg":                                     "home = ROOT/beside/bin\n",
		"evil/.venv/bin/python3":                                    elf,
		"link/.venv/pyvenv.cfg":                                     "home = ROOT/opt/py/bin\n",
		"link/.venv/bin/python3":                                    "-> ROOT/beside/bin/python3",
		"home/.pyenv/versions/3/lib/python3/os.py":                  "",
		"home/.pyenv/versions/3/bin/a":                              "",
		"home/.pyenv/versions/3/bin/python3":                        elf,
		"pyenv/.venv/pyvenv.cfg":                                    "home = ROOT/home/.pyenv/versions/3/bin\n",
		"pyenv/.venv/bin/python3":                                   "-> ROOT/home/.pyenv/versions/3/bin/python3",
		"own/bin/python3":                                           elf,
		"own/lib/":                                                  "",
		"outlink/bin/python3":                                       "-> ROOT/beside/bin/python3",
		"uv/.venv/pyvenv.cfg":                                       "home = ROOT/home/.local/share/uv/python/cpython-3.12/bin\n",
		"uv/.venv/bin/python3":                                      "-> ROOT/home/.local/share/uv/python/cpython-3.12/bin/python3.12",
		"home/.local/share/uv/python/cpython-3.12":                  "-> cpython-3.12.7",
		"home/.local/share/uv/python/cpython-3.12.7/bin/python3.12": elf,
		"home/.local/share/uv/python/cpython-3.12.7/lib/python3.12/os.py": "",
		"binlink":                "-> far/bin",
		"far/bin":                "-> ROOT/beside/bin",
		"tell/.venv/pyvenv.cfg":  "home = /usr/bin\n",
		"tell/.venv/bin/python3": "-> ROOT/home/theirs",
		"home/theirs":            "-> /usr/bin/env",
		"x.py":                   "",
		"trap/.venv/pyvenv.cfg":  "home = ROOT/beside\n",
		"trap/.venv/bin/python3": "-> ROOT/beside/bin/python3",
		"script/python3":         "#!/bin/sh\n",
	}
	const refused = `an interpreter that does not depend on files in the writable grant `
	for _, tt := range []struct {
		name, ws, path string
		want, view     string
		fault          string
	}{
		{"the PATH's own Python", "ws", "ROOT/opt/py/bin", "ROOT/ws/.venv/bin/python3", "rw ROOT/ws\nsystem ROOT/opt/py", ""},
		{"a version manager's", "pyenv", "ROOT/opt/py/bin", "ROOT/pyenv/.venv/bin/python3", "rw ROOT/pyenv\nsystem ROOT/home/.pyenv/versions/3", ""},
		{"no venv", "own", "ROOT/opt/py/bin", "ROOT/opt/py/bin/python3", "rw ROOT/own\nsystem ROOT/opt/py", ""},
		{"its own program", "own", "ROOT/own/bin", "ROOT/own/bin/python3", "rw ROOT/own", ""},
		{"uv's", "uv", "ROOT/opt/py/bin", "ROOT/uv/.venv/bin/python3",
			"rw ROOT/uv\nsystem ROOT/home/.local/share/uv/python/cpython-3.12.7\nlink cpython-3.12.7 ROOT/home/.local/share/uv/python/cpython-3.12", ""},
		{"a link of the host's is not told", "tell", "ROOT/opt/py/bin", "ROOT/tell/.venv/bin/python3", "rw ROOT/tell", ""},
		{"a link in the middle", "far", "ROOT/binlink", "", "",
			`run.interpreter: "ROOT/binlink/python3": ` + refused + `ROOT/far: they name ROOT/beside; grant that with --ro if it is right`},
		{"home elsewhere", "evil", "ROOT/opt/py/bin", "", "",
			`run.interpreter: "ROOT/evil/.venv/bin/python3": ` + refused + `ROOT/evil: they name ROOT/beside; grant that with --ro if it is right`},
		{"link elsewhere", "link", "ROOT/opt/py/bin", "", "",
			`run.interpreter: "ROOT/link/.venv/bin/python3": ` + refused + `ROOT/link: they name ROOT/beside; grant that with --ro if it is right`},
		{"another candidate that is none", "trap", "ROOT/script:ROOT/opt/py/bin", "", "",
			`run.interpreter: "ROOT/trap/.venv/bin/python3": ` + refused + `ROOT/trap: they name ROOT/beside; grant that with --ro if it is right`},
		{"a link in PATH", "outlink", "ROOT/outlink/bin:ROOT/opt/py/bin", "", "",
			`run.interpreter: "ROOT/outlink/bin/python3": ` + refused + `ROOT/outlink: they name ROOT/beside; grant that with --ro if it is right`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := tree(t, files)
			h := Host{Path: strings.ReplaceAll(tt.path, "ROOT", root), Home: root + "/home", Dir: root}
			spec, err := load(t, "python", h).Spec([]string{"-c", "1"}, Overrides{Workspace: tt.ws, OwnInterpreter: true}, h)
			if got := strings.TrimSpace(faultLines(err, root)); got != tt.fault {
				t.Fatalf("faults: %s\nwant: %s", got, tt.fault)
			}
			if err != nil {
				if strings.Contains(grants(spec, root), "beside") {
					t.Errorf("view: %s", grants(spec, root))
				}
				return
			}
			if got := inBox(spec.Args[:1], root); got != tt.want {
				t.Errorf("program = %s, want %s", got, tt.want)
			}
			if got := grants(spec, root); got != tt.view {
				t.Errorf("view:\n%s\nwant:\n%s", got, tt.view)
			}
		})
	}
}

// The interpreters of this machine, whatever they are, are found, and are the
// ones that the shell would have started.
func TestRealInterpreters(t *testing.T) {
	for _, tt := range []struct{ profile, name, flag, ask string }{
		{"python", "python3", "-c", "import sys, os; print(os.path.realpath(sys.executable))"},
		{"node", "node", "-p", "require('fs').realpathSync(process.execPath)"},
	} {
		path, err := exec.LookPath(tt.name)
		if err != nil {
			t.Logf("no %s here", tt.name)
			continue
		}
		out, err := exec.Command(path, tt.flag, tt.ask).Output()
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		h := CurrentHost()
		spec, err := load(t, tt.profile, h).Spec([]string{tt.flag, "1"}, Overrides{}, h)
		if err != nil {
			t.Errorf("%s: %v", tt.profile, err)
			continue
		}
		got, err := walk(spec.Args[0])
		if want := strings.TrimSpace(string(out)); err != nil || got.real != want {
			t.Errorf("%s: program %s is %s, %v, want %s", tt.profile, spec.Args[0], got.real, err, want)
		}
		if isScript(got.real) {
			t.Errorf("%s: %s is a script", tt.profile, got.real)
		}
		for _, m := range spec.View {
			if m.Source == h.Home {
				t.Errorf("%s: the whole home is granted", tt.profile)
			}
		}
	}
}

// A shim that is granted as a program finds nothing to start: the fault names
// the profile that follows it.
func TestShimAsProgram(t *testing.T) {
	root := tree(t, map[string]string{
		"home/.pyenv/shims/python3":               pyenvShim,
		"home/.pyenv/shims/pip":                   pyenvShim,
		"home/.pyenv/version":                     "3.11.7\n",
		"home/.pyenv/versions/3.11.7/bin/python3": elf,
		"home/.pyenv/versions/3.11.7/bin/pip":     "#!/bin/sh\n",
		"home/.pyenv/libexec/pyenv":               "#!/bin/sh\n",
		"own/shims/tool":                          "#!/bin/sh\n",
	})
	h := Host{Dir: root, Home: root + "/home", Path: root + "/home/.pyenv/shims:" + root + "/own/shims"}
	fault := func(name, what string) string {
		return `command: "` + name + `": the program itself; ROOT/home/.pyenv/shims/` + name +
			" is a version manager's shim, and what it starts is not in the box: " + what + "\n"
	}
	for _, tt := range []struct {
		name string
		ro   []Grant
		want string
	}{
		{"python3", nil, fault("python3", "use --profile python, which finds the real one")},
		{"pip", nil, fault("pip", "grant the manager's folder with --ro")},
		{"tool", nil, ""},
		{"python3", []Grant{{Host: root + "/home/.pyenv"}}, ""},
		{"python3", []Grant{{Host: root + "/home/.pyenv/libexec"}}, ""},
	} {
		_, err := load(t, "exec", h).Spec([]string{tt.name}, Overrides{RO: tt.ro}, h)
		if got := faultLines(err, root); got != tt.want {
			t.Errorf("%s with %v: faults %q, want %q", tt.name, tt.ro, got, tt.want)
		}
	}
}
