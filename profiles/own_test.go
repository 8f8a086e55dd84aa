package profiles

import (
	"path/filepath"
	"strings"
	"testing"
)

// Who believes what a program answers gets no interpreter that an earlier run could
// have written, and a virtual environment is Python's alone.
func TestOwnInterpreter(t *testing.T) {
	files := map[string]string{
		"opt/lib/python3.12/os.py": "",
		"opt/bin/python3":          elf, "opt/bin/node": elf, "opt/bin/sh": elf, "opt/bin/jaild": elf,
		"ws/.venv/pyvenv.cfg":  "home = ROOT/opt/bin\n",
		"ws/.venv/bin/python3": "-> ROOT/opt/bin/python3",
		"ws/.venv/bin/node":    elf, "ws/.venv/bin/sh": elf, "ws/.venv/bin/jaild": elf,
	}
	root := tree(t, files)
	venv := root + "/ws/.venv"
	for _, tt := range []struct {
		profile, path string
		ro            []Grant
		own, bad      bool
		want          string
	}{
		{profile: "python", own: true, want: "ws/.venv/bin/python3"},
		{profile: "python", want: "opt/bin/python3"},
		{profile: "python", path: venv + "/bin:", bad: true},
		{profile: "python", path: venv + "/bin:", ro: []Grant{{Host: venv}}, want: "ws/.venv/bin/python3"},
		{profile: "python", path: venv + "/bin:", ro: []Grant{{Host: venv + "/bin"}}, bad: true},
		{profile: "node", own: true, want: "opt/bin/node"},
		{profile: "node", want: "opt/bin/node"},
		{profile: "node", path: venv + "/bin:", bad: true},
		{profile: "wasm", own: true, want: "opt/bin/jaild"},
		{profile: "wasm", want: "opt/bin/jaild"},
	} {
		h := Host{Path: tt.path + root + "/opt/bin", Dir: root}
		args := []string{"-c", "1"}
		if tt.profile != "python" && tt.profile != "sh" {
			args = []string{"-"}
		}
		spec, err := load(t, tt.profile, h).Spec(args, Overrides{Workspace: "ws", RO: tt.ro, OwnInterpreter: tt.own}, h)
		if tt.bad {
			if got := faultLines(err, root); !strings.Contains(got, "an interpreter that the box can't change, and the grant ROOT/ws is writable") {
				t.Errorf("%s with PATH %s, own %v: %v", tt.profile, h.Path, tt.own, got)
			}
			continue
		}
		if err != nil || spec.Args[0] != root+"/"+tt.want {
			t.Errorf("%s with PATH %s, own %v: program %q, %v, want %s", tt.profile, h.Path, tt.own, spec.Args, err, tt.want)
		}
	}
}

// A file that chooses a version chooses none where an earlier run may have written it,
// and the box may write to no part of what interprets but its packages.
func TestNothingPlantedChooses(t *testing.T) {
	const v = "home/.pyenv/versions/"
	files := map[string]string{
		"home/.pyenv/shims/python3": pyenvShim, "home/.pyenv/version": "3.11.7\n",
		v + "3.11.7/bin/python3.11": elf, v + "3.11.7/bin/python3": "-> python3.11", v + "3.11.7/lib/python3.11/os.py": "", v + "3.11.7/lib/python3.11/site-packages/": "",
		v + "3.9.18/bin/python3": elf, v + "3.9.18/lib/": "",
		"home/.nodenv/shims/node": "#!/bin/bash\nNODENV_ROOT", "home/.nodenv/version": "20.1.0", "home/.nodenv/versions/20.1.0/bin/node": elf, "home/.nodenv/versions/18.0.0/bin/node": elf,
		"home/.asdf/shims/node": "#!/bin/bash\n# asdf-plugin: nodejs 20.1.0\n", "home/.tool-versions": "nodejs 20.1.0\n",
		"home/.asdf/installs/nodejs/20.1.0/bin/node": elf, "home/.asdf/installs/nodejs/18.0.0/bin/node": elf,
		"home/.nvm/alias/default": "18", "home/.nvm/versions/node/v18.0.0/bin/node": elf,
		"ws/.python-version": "3.9.18\n", "ws/.node-version": "18.0.0\n", "ws/.tool-versions": "nodejs 18.0.0\n", "ws/in/": "",
		"env/pyvenv.cfg": "home = ROOT/ws/in\n", "env/bin/python3": "-> ROOT/" + v + "3.11.7/bin/python3.11",
		"project/pyvenv.cfg": "home = ROOT/" + v + "3.11.7/bin\n", "project/bin/python3": "-> ROOT/" + v + "3.11.7/bin/python3.11", "project/src/": "",
		"linked/.python-version": "-> ROOT/ws/.python-version", "mine/.python-version": "3.9.18\n",
	}
	root := tree(t, files)
	const pyenv, newer, older = "home/.pyenv/shims", v + "3.11.7/bin/python3.11", v + "3.9.18/bin/python3"
	const writable, part = "an interpreter that the box can't change, and the grant ROOT/", " is writable, in ROOT/" + v + "3.11.7/lib, which is a part of this one"
	for _, tt := range []struct {
		profile, path, dir string
		o                  Overrides
		want               string // program, or a part of the fault
	}{
		{"python", pyenv, "ws", Overrides{}, older},
		{"python", pyenv, "mine", Overrides{Workspace: "../ws"}, older},
		{"python", pyenv, "ws", Overrides{Workspace: "."}, newer},
		{"python", pyenv, "ws/in", Overrides{Workspace: ".."}, newer},
		{"python", pyenv, "ws/in", Overrides{Workspace: "."}, older},
		{"python", pyenv, "ws", Overrides{RW: []Grant{{Host: ".python-version"}}}, newer},
		{"python", pyenv, "ws", Overrides{Workspace: ".", RO: []Grant{{Host: ".python-version"}}}, older},
		{"python", pyenv, "linked", Overrides{RW: []Grant{{Host: "../ws"}}}, newer},
		{"python", pyenv, "ws", Overrides{Workspace: ".", OwnInterpreter: true}, older},
		{"python", pyenv, "ws", Overrides{Workspace: ".", RW: []Grant{{Host: root + "/home/.pyenv/version"}}}, "an interpreter that is in PATH"},
		{"node", "home/.nodenv/shims", "ws", Overrides{}, "home/.nodenv/versions/18.0.0/bin/node"},
		{"node", "home/.nodenv/shims", "ws", Overrides{Workspace: "."}, "home/.nodenv/versions/20.1.0/bin/node"},
		{"node", "home/.asdf/shims", "ws", Overrides{}, "home/.asdf/installs/nodejs/18.0.0/bin/node"},
		{"node", "home/.asdf/shims", "ws", Overrides{Workspace: "."}, "home/.asdf/installs/nodejs/20.1.0/bin/node"},
		{"node", "none", "ws", Overrides{}, "home/.nvm/versions/node/v18.0.0/bin/node"},
		{"node", "none", "ws", Overrides{RW: []Grant{{Host: root + "/home/.nvm/alias"}}}, "an interpreter that is in PATH"},

		{"python", pyenv, "mine", Overrides{RW: []Grant{{Host: root + "/" + v + "3.9.18/lib"}}}, writable + v + "3.9.18/lib is writable, in ROOT/" + v + "3.9.18/lib,"},
		{"python", "project/bin", "project/src", Overrides{Workspace: "."}, "project/bin/python3"},
		{"python", "project/bin", "project", Overrides{RW: []Grant{{Host: "pyvenv.cfg"}}}, writable + "project/pyvenv.cfg is writable, in ROOT/project/pyvenv.cfg,"},
		{"python", "project/bin", "project", Overrides{RW: []Grant{{Host: "src", Box: root + "/project"}}}, writable + "project/src is writable, in ROOT/project, which"},
		{"python", v + "3.11.7/bin", "ws", Overrides{RW: []Grant{{Host: root + "/" + v + "3.11.7/lib/python3.11"}}}, writable + v + "3.11.7/lib/python3.11" + part},
		{"python", v + "3.11.7/bin", "ws", Overrides{RW: []Grant{{Host: ".", Box: root + "/" + v + "3.11.7/lib/python3.11/json"}}}, writable + "ws" + part},
		{"python", v + "3.11.7/bin", "ws", Overrides{RW: []Grant{{Host: root + "/" + v + "3.11.7/lib/python3.11"}}, OwnInterpreter: true}, newer},
		{"python", v + "3.11.7/bin", "ws", Overrides{RW: []Grant{{Host: root + "/" + v + "3.11.7/lib/python3.11/site-packages"}}}, newer},
		{"python", v + "3.11.7/bin", "ws", Overrides{RW: []Grant{{Host: ".", Box: "/usr/lib"}}}, writable + "ws is writable, in /usr/lib, which"},
		{"python", v + "3.11.7/bin", "ws", Overrides{RW: []Grant{{Host: ".", Box: "/usr/src"}}}, newer},
		{"python", "env/bin", "mine", Overrides{Workspace: "../ws"}, writable + "ws is writable: put another first in PATH"},
		{"python", "env/bin", "mine", Overrides{}, "env/bin/python3"},
		{"sh", "/bin", "ws", Overrides{RW: []Grant{{Host: ".", Box: "/usr/local/bin"}}}, writable + "ws is writable, in /usr/local/bin, which"},
	} {
		h := Host{Path: filepath.Join(root, tt.path), Home: root + "/home", Dir: filepath.Join(root, tt.dir)}
		if filepath.IsAbs(tt.path) {
			h.Path = tt.path
		}
		args := []string{"-c", "1"}
		if tt.profile == "node" {
			args = []string{"-"}
		}
		spec, err := load(t, tt.profile, h).Spec(args, tt.o, h)
		if got := faultLines(err, root); err != nil && !strings.Contains(got, tt.want) || err == nil && inBox(spec.Args[:1], root) != "ROOT/"+tt.want {
			t.Errorf("%s in %s with %+v: program %q, faults %q, want %s", tt.profile, tt.dir, tt.o, inBox(spec.Args[:min(1, len(spec.Args))], root), got, tt.want)
		}
	}
}
