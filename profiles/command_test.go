package profiles

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-75010da9/jail/jail"
)

func TestSplitLine(t *testing.T) {
	node := &load(t, "node", Host{}).settings.run
	python := &load(t, "python", Host{}).settings.run
	sh := &load(t, "sh", Host{}).settings.run
	for _, tt := range []struct {
		run    *runSettings
		args   string
		opts   string // options | script | rest; no script is "."
		script string
		rest   string
	}{
		{node, "x.js", "", "x.js", ""},
		{node, "x.js -e --flag", "", "x.js", "-e --flag"},
		{node, "--no-warnings x.js a", "--no-warnings", "x.js", "a"},
		{node, "-r ./hook.js x.js", "-r ./hook.js", "x.js", ""},
		{node, "--import=./hook.js x.js", "--import=./hook.js", "x.js", ""},
		{node, "-e code x.js", "", ".", "-e code x.js"},
		{node, "--eval=code x.js", "", ".", "--eval=code x.js"},
		{node, "-pe code", "", ".", "-pe code"},
		{node, "-r m -p code", "-r m", ".", "-p code"},
		{node, "- a", "", ".", "- a"},
		{node, "-- -x.js -- b", "--", "-x.js", "-- b"},
		{node, "--", "--", ".", ""},
		{node, "-r", "-r", ".", ""},
		{node, "--version", "--version", ".", ""},
		{node, "", "", ".", ""},
		{python, "-u x.py", "-u", "x.py", ""},
		{python, "-W error -X dev x.py", "-W error -X dev", "x.py", ""},
		{python, "-Werror -Xdev x.py", "-Werror -Xdev", "x.py", ""},
		{python, "-uW error x.py", "-uW error", "x.py", ""},
		{python, "-Wc x.py", "-Wc", "x.py", ""},
		{python, "-m http.server 80", "", ".", "-m http.server 80"},
		{python, "-um pkg x.py", "", ".", "-um pkg x.py"},
		{python, "-cprint(1) x.py", "", ".", "-cprint(1) x.py"},
		{python, "-Ic code x.py", "", ".", "-Ic code x.py"},
		{python, "--check-hash-based-pycs never x.py", "--check-hash-based-pycs never", "x.py", ""},
		{python, "-i", "-i", ".", ""},
		{sh, "-e x.sh", "-e", "x.sh", ""},
		{sh, "-ec cmd", "", ".", "-ec cmd"},
		{sh, "-o pipefail x.sh", "-o pipefail", "x.sh", ""},
		{sh, "-euo pipefail x.sh a", "-euo pipefail", "x.sh", "a"},
		{sh, "+e x.sh", "+e", "x.sh", ""},
		{sh, "-s a b", "", ".", "-s a b"},
	} {
		got := splitLine(tt.run, strings.Fields(tt.args))
		script := got.script
		if !got.hasScript {
			script = "."
		}
		opts, rest := strings.Join(got.options, " "), strings.Join(got.rest, " ")
		if opts != tt.opts || script != tt.script || rest != tt.rest {
			t.Errorf("splitLine(%q) = %q, %q, %q, want %q, %q, %q", tt.args, opts, script, rest, tt.opts, tt.script, tt.rest)
		}
	}
}

// TestScripts names scripts in every way, and looks at what of the host the
// box sees then. The interpreter is /bin/sh, which every host has.
func TestScripts(t *testing.T) {
	root := tree(t, map[string]string{
		"cwd/x.sh":             "echo",
		"cwd/-x.sh":            "echo",
		"cwd/a b\nc.sh":        "echo",
		"cwd/\xff\xfe.sh":      "echo",
		"cwd/link.sh":          "-> ../lib/real.sh",
		"cwd/chain":            "-> dirlink/real.sh",
		"cwd/dirlink":          "-> ROOT/lib",
		"cwd/usrlink":          "-> /usr/bin/env",
		"cwd/dangling":         "-> nowhere",
		"cwd/dir/":             "",
		"cwd/wslink":           "-> ../ws",
		"lib/real.sh":          "echo",
		"lib/x.sh":             "echo",
		"ws/main.sh":           "echo",
		"ws/sub/x.sh":          "echo",
		"ws/inside":            "-> sub/x.sh",
		"ws/out":               "-> ../beside/it",
		"ws/outdir":            "-> ../beside",
		"ws/absolute":          "-> ROOT/ws/main.sh",
		"beside/it":            "key",
		"ws/cwd/x.sh":          "echo",
		"unreadable/locked.sh": "echo",
	})
	if err := syscall.Mkfifo(root+"/cwd/fifo", 0o600); err != nil {
		t.Fatal(err)
	}
	h := Host{Dir: root + "/cwd"}
	ws := Overrides{Workspace: root + "/ws"}
	for _, tt := range []struct {
		name   string
		args   []string
		o      Overrides
		want   string
		view   string
		faults string
	}{
		{"by itself", []string{"x.sh", "-a", "b c"}, Overrides{}, "/bin/sh ROOT/cwd/x.sh -a b c", "ro ROOT/cwd/x.sh", ""},
		{"absolute", []string{root + "/cwd/../cwd/x.sh"}, Overrides{}, "/bin/sh ROOT/cwd/x.sh", "ro ROOT/cwd/x.sh", ""},
		{"space and newline", []string{"a b\nc.sh"}, Overrides{}, "/bin/sh ROOT/cwd/a b\nc.sh", "ro ROOT/cwd/a b\nc.sh", ""},
		{"not UTF-8", []string{"\xff\xfe.sh"}, Overrides{}, "/bin/sh ROOT/cwd/\xff\xfe.sh", "ro ROOT/cwd/\xff\xfe.sh", ""},
		{"leading dash", []string{"./-x.sh"}, Overrides{}, "/bin/sh ROOT/cwd/-x.sh", "ro ROOT/cwd/-x.sh", ""},
		{"behind --", []string{"--", "-x.sh"}, Overrides{}, "/bin/sh -- ROOT/cwd/-x.sh", "ro ROOT/cwd/-x.sh", ""},
		{"a link", []string{"link.sh"}, Overrides{}, "", "", `script: "link.sh": ` + planted("ROOT/cwd/link.sh", "ROOT/lib/real.sh")},
		{"a chain of links", []string{"chain"}, Overrides{}, "", "", `script: "chain": ` + planted("ROOT/cwd/chain", "ROOT/lib/real.sh")},
		{"dot-dot behind a link", []string{"dirlink/../lib/x.sh"}, Overrides{}, "", "", `script: "dirlink/../lib/x.sh": ` + planted("ROOT/cwd/dirlink", "ROOT/lib/x.sh")},
		{"a link into the system", []string{"usrlink"}, Overrides{}, "/bin/sh ROOT/cwd/usrlink", "ro /usr/bin/env ROOT/cwd/usrlink", ""},
		{"in the system", []string{"/usr/bin/env"}, Overrides{}, "/bin/sh /usr/bin/env", "", ""},
		{"code", []string{"-c", "ls /", "x.sh"}, Overrides{}, "/bin/sh -c ls / x.sh", "", ""},
		{"stdin", []string{"-"}, Overrides{}, "/bin/sh -", "", ""},

		{"in the workspace", []string{"main.sh"}, ws, "/bin/sh ROOT/ws/main.sh", "rw ROOT/ws", ""},
		{"in the workspace, from here", []string{"../ws/main.sh"}, ws, "/bin/sh ROOT/ws/main.sh", "rw ROOT/ws", ""},
		{"the workspace comes first", []string{"sub/x.sh"}, ws, "/bin/sh ROOT/ws/sub/x.sh", "rw ROOT/ws", ""},
		{"beside the workspace", []string{"x.sh"}, ws, "/bin/sh ROOT/cwd/x.sh", "rw ROOT/ws\nro ROOT/cwd/x.sh", ""},
		{"a link within it", []string{"inside"}, ws, "/bin/sh ROOT/ws/inside", "rw ROOT/ws", ""},
		{"an absolute link within it", []string{"absolute"}, ws, "/bin/sh ROOT/ws/absolute", "rw ROOT/ws", ""},
		{"by its path in the box", []string{"/box/main.sh"}, Overrides{RO: []Grant{{root + "/ws", "/box"}}}, "/bin/sh /box/main.sh", "ro ROOT/ws /box", ""},
		{"granted already", []string{"x.sh"}, Overrides{RO: grantList("x.sh")}, "/bin/sh ROOT/cwd/x.sh", "ro ROOT/cwd/x.sh", ""},
		{"a link out of a read-only grant", []string{root + "/ws/out"}, Overrides{RO: grantList(root + "/ws")}, "", "", `script: "ROOT/ws/out": ` + planted("ROOT/ws/out", "ROOT/beside/it")},
		{"into a workspace that is elsewhere", []string{root + "/ws/main.sh"}, Overrides{RW: []Grant{{root + "/ws", "/box"}}}, "/bin/sh ROOT/ws/main.sh", "rw ROOT/ws /box\nro ROOT/ws/main.sh", ""},

		{"a link out of the workspace", []string{root + "/ws/out"}, ws, "", "", `script: "ROOT/ws/out": ` + planted("ROOT/ws/out", "ROOT/beside/it")},
		{"a folder that leads out", []string{root + "/ws/outdir/it"}, ws, "", "", `script: "ROOT/ws/outdir/it": ` + planted("ROOT/ws/outdir", "ROOT/beside/it")},
		{"missing", []string{"nosuch.sh"}, Overrides{}, "", "", `script: "nosuch.sh": ` + wantScript + `: no such file or directory`},
		{"its interpreter", []string{"sh", "-c", "a b"}, Overrides{}, "", "", `script: "sh": the script alone, since the profile brings the interpreter: jail run --profile sh -- -c 'a b'`},
		{"another's interpreter", []string{"python3", "x.py"}, Overrides{}, "", "", `script: "python3": a script of this profile's; python3 has a profile of its own, which brings it: jail run --profile python x.py`},
		{"dangling", []string{"dangling"}, Overrides{}, "", "", `script: "dangling": ` + "a path that leads to something; the symbolic link ROOT/cwd/dangling leads to ROOT/cwd/nowhere, where nothing is"},
		{"below a file", []string{"x.sh/y"}, Overrides{}, "", "", `script: "x.sh/y": ` + wantScript + `: not a directory`},
		{"a folder", []string{"dir"}, Overrides{}, "", "", `script: "dir": ` + wantScript + `: it is a folder; grant it with --ro or --workspace and name a file in it`},
		{"a pipe", []string{"fifo"}, Overrides{}, "", "", `script: "fifo": ` + wantScript + `: it is not a regular file; use - for a program on stdin`},
		{"a device", []string{"/dev/null"}, Overrides{}, "", "", `script: "/dev/null": ` + wantScript + `: it is not a regular file; use - for a program on stdin`},
		{"the kernel's", []string{"/proc/version"}, Overrides{}, "", "", `script: "/proc/version": a path outside /proc, which is the kernel's own; the box has one of its own`},
		{"empty", []string{""}, Overrides{}, "", "", `script: "": ` + wantScript},
		{"nothing", nil, Overrides{}, "", "", `command: "": a script, an option, or - for a program on stdin`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spec, err := load(t, "sh", h).Spec(tt.args, tt.o, h)
			if got := strings.TrimSpace(faultLines(err, root)); got != tt.faults {
				t.Fatalf("faults: %s\nwant: %s", got, tt.faults)
			}
			if err != nil {
				return
			}
			args := strings.Replace(inBox(spec.Args, root), "/usr/bin/sh", "/bin/sh", 1)
			if args != tt.want {
				t.Errorf("args = %q, want %q", args, tt.want)
			}
			if got := grants(spec, root); got != tt.view {
				t.Errorf("view:\n%s\nwant:\n%s", got, tt.view)
			}
		})
	}
}

func TestUnreadableScript(t *testing.T) {
	root := tree(t, map[string]string{"x.sh": "echo"})
	h := Host{Dir: root, Root: os.Geteuid() == 0}
	for _, o := range []Overrides{{}, {Workspace: root}} {
		for mode, readable := range map[os.FileMode]bool{0: false, 0o044: false, 0o400: true, 0o644: true} {
			if err := os.Chmod(root+"/x.sh", mode); err != nil {
				t.Fatal(err)
			}
			want := ""
			switch {
			case !readable && h.Root: // root itself reads everything
				want = fmt.Sprintf("script: \"x.sh\": %s: permission denied to the box's user (its mode is %04o)\n", wantScript, mode)
			case !readable:
				want = `script: "x.sh": ` + wantScript + ": permission denied\n"
			}
			_, err := load(t, "sh", h).Spec([]string{"x.sh"}, o, h)
			if got := faultLines(err, root); got != want {
				t.Errorf("mode %04o, workspace %q: faults: %swant: %s", mode, o.Workspace, got, want)
			}
		}
	}
}

func TestPrograms(t *testing.T) {
	root := tree(t, map[string]string{
		"cwd/prog":    "#!/bin/sh\n",
		"cwd/plain":   "not executable",
		"cwd/link":    "-> ../bin/tool",
		"cwd/dir/":    "",
		"bin/tool":    "#!/bin/sh\n",
		"bin/env":     "#!/bin/sh\n",
		"ws/run":      "#!/bin/sh\n",
		"ws/escape":   "-> ../bin/tool",
		"bin/systool": "-> /usr/bin/env",
	})
	h := Host{Dir: root + "/cwd", Path: "relative:" + root + "/bin:/usr/bin:/bin"}
	for _, tt := range []struct {
		profile string
		args    []string
		o       Overrides
		want    string
		view    string
		faults  string
	}{
		{"exec", []string{"./prog", "-x"}, Overrides{}, "ROOT/cwd/prog -x", "ro ROOT/cwd/prog", ""},
		{"exec", []string{"./link"}, Overrides{}, "", "", `command: "./link": ` + planted("ROOT/cwd/link", "ROOT/bin/tool")},
		{"exec", []string{"tool"}, Overrides{}, "ROOT/bin/tool", "ro ROOT/bin/tool", ""},
		{"exec", []string{"env"}, Overrides{}, "ROOT/bin/env", "ro ROOT/bin/env", ""},
		{"exec", []string{"ls"}, Overrides{}, "/usr/bin/ls", "", ""},
		{"exec", []string{"/bin/ls"}, Overrides{}, "/bin/ls", "", ""},
		{"exec", []string{"systool"}, Overrides{}, "ROOT/bin/systool", "ro /usr/bin/env ROOT/bin/systool", ""},
		{"exec", []string{"nosuch"}, Overrides{}, "nosuch", "", ""},
		{"exec", []string{"./nosuch"}, Overrides{}, "ROOT/cwd/nosuch", "", ""},
		{"exec", []string{"./plain"}, Overrides{}, "ROOT/cwd/plain", "ro ROOT/cwd/plain", ""},
		{"exec", []string{"./dir"}, Overrides{}, "ROOT/cwd/dir", "", ""},
		{"exec", []string{"./run"}, Overrides{Workspace: root + "/ws"}, "ROOT/ws/run", "rw ROOT/ws", ""},
		{"exec", []string{root + "/ws/escape"}, Overrides{Workspace: root + "/ws"}, "", "", `command: "ROOT/ws/escape": ` + planted("ROOT/ws/escape", "ROOT/bin/tool")},
		{"exec", nil, Overrides{}, "", "", `command: "": a program to run, such as /bin/true`},
		{"exec", []string{""}, Overrides{}, "", "", `command: "": a program to run, such as /bin/true`},

		{"base", []string{"ls", "-l"}, Overrides{}, "ls -l", "", ""},
		{"base", []string{"./prog"}, Overrides{}, "./prog", "", ""},
		{"base", []string{"./prog"}, Overrides{RO: grantList("prog")}, "ROOT/cwd/prog", "ro ROOT/cwd/prog", ""},
		{"base", []string{"./run"}, Overrides{Workspace: root + "/ws"}, "ROOT/ws/run", "rw ROOT/ws", ""},
		{"base", nil, Overrides{}, "", "", `command: "": a program to run, such as /bin/true`},
	} {
		spec, err := load(t, tt.profile, h).Spec(tt.args, tt.o, h)
		if got := strings.TrimSpace(faultLines(err, root)); got != tt.faults {
			t.Errorf("%s %q: faults: %s\nwant: %s", tt.profile, tt.args, got, tt.faults)
			continue
		}
		if got := inBox(spec.Args, root); err == nil && got != tt.want {
			t.Errorf("%s %q: args = %q, want %q", tt.profile, tt.args, got, tt.want)
		}
		if got := grants(spec, root); err == nil && got != tt.view {
			t.Errorf("%s %q: view:\n%s\nwant:\n%s", tt.profile, tt.args, got, tt.view)
		}
	}
}

func TestRunArgs(t *testing.T) {
	root := tree(t, map[string]string{
		"p.toml": "extends = \"sh\"\nrun.args = [\"-e\", \"-u\"]\n",
		"e.toml": "extends = \"base\"\nrun.args = [\"-l\"]\n",
		"x.sh":   "echo",
	})
	h := Host{Dir: root}
	spec, err := load(t, "p.toml", h).Spec([]string{"-x", "x.sh", "-e"}, Overrides{}, h)
	if got := inBox(spec.Args[1:], root); err != nil || got != "-e -u -x ROOT/x.sh -e" {
		t.Errorf("args = %q, %v", got, err)
	}
	spec, err = load(t, "e.toml", h).Spec([]string{"ls", "/"}, Overrides{}, h)
	if got := inBox(spec.Args, root); err != nil || got != "ls -l /" {
		t.Errorf("args = %q, %v", got, err)
	}
}

func TestHeap(t *testing.T) {
	root := tree(t, map[string]string{"bin/node": "\x7fELF", "x.js": ""})
	h := Host{Dir: root, Path: root + "/bin"}
	for _, tt := range []struct {
		memory int64
		args   string
		want   string
	}{
		{0, "x.js", "--max-old-space-size=384 --max-semi-space-size=8 ROOT/x.js"},
		{256 << 20, "x.js", "--max-old-space-size=192 --max-semi-space-size=4 ROOT/x.js"},
		{64 << 20, "x.js", "--max-old-space-size=32 --max-semi-space-size=1 ROOT/x.js"},
		{1 << 20, "x.js", "--max-old-space-size=32 --max-semi-space-size=1 ROOT/x.js"},
		{4 << 30, "x.js", "--max-old-space-size=3072 ROOT/x.js"},
		{4 << 30, "-e code", "--max-old-space-size=3072 -e code"},
		{0, "--max-old-space-size=99 x.js", "--max-semi-space-size=8 --max-old-space-size=99 ROOT/x.js"},
		{0, "--max_old_space_size=99 --max-semi-space-size=1 x.js", "--max_old_space_size=99 --max-semi-space-size=1 ROOT/x.js"},
		{0, "x.js --max-old-space-size=99", "--max-old-space-size=384 --max-semi-space-size=8 ROOT/x.js --max-old-space-size=99"},
	} {
		o := Overrides{Limits: jail.Limits{Memory: tt.memory}}
		spec, err := load(t, "node", h).Spec(strings.Fields(tt.args), o, h)
		if got := inBox(spec.Args[1:], root); err != nil || got != tt.want {
			t.Errorf("memory %d, %q: %q, %v, want %q", tt.memory, tt.args, got, err, tt.want)
		}
	}
	o := Overrides{Env: []string{"NODE_OPTIONS=--no-warnings --max-old-space-size=99"}}
	spec, err := load(t, "node", h).Spec([]string{"x.js"}, o, h)
	if got := inBox(spec.Args[1:], root); err != nil || got != "--max-semi-space-size=8 ROOT/x.js" {
		t.Errorf("with NODE_OPTIONS: %q, %v", got, err)
	}
}

func TestEnvironment(t *testing.T) {
	root := tree(t, map[string]string{
		"p.toml":         "extends = \"base\"\n[env]\nset = { A = \"profile\", B = \"profile\", C = \"profile\" }\npass = [\"B\", \"UNSET\"]\n",
		"opt/lib/":       "",
		"opt/bin/python": "\x7fELF",
		"x.py":           "",
	})
	h := Host{Dir: root, Path: root + "/opt/bin", Env: []string{"A=caller", "B=caller", "C=caller", "D=caller=x", "EMPTY=", "SECRET=1"}}
	const base = "HOME=/tmp LANG=C.UTF-8 PATH=/usr/local/bin:/usr/bin:/bin"
	for _, tt := range []struct {
		profile   string
		env, pass []string
		want      string
		faults    string
	}{
		{"base", nil, nil, base, ""},
		{"p.toml", nil, nil, "A=profile B=caller C=profile " + base, ""},
		{"p.toml", []string{"A=flag", "PATH="}, []string{"C", "D", "EMPTY"},
			"A=flag B=caller C=caller D=caller=x EMPTY= HOME=/tmp LANG=C.UTF-8 PATH=", ""},
		{"python", nil, nil, "HOME=/tmp LANG=C.UTF-8 PATH=ROOT/opt/bin:/usr/local/bin:/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1", ""},
		{"python", []string{"PATH=/bin"}, nil, "HOME=/tmp LANG=C.UTF-8 PATH=/bin PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1", ""},
		{"base", []string{"X", "=v", "", "A=1", "A=2", "N=a\x00b"}, []string{"UNSET", "B=x", "", "B", "B", "A"}, "", `
--pass-env: "UNSET": a variable that is set; use --env NAME=VALUE to set one
--pass-env: "B=x": the name of a variable, without '='
--pass-env: "": the name of a variable, without '='
--pass-env: "B": each variable once
--env: "X": NAME=VALUE, with a NAME that is not empty, and without NUL
--env: "=v": NAME=VALUE, with a NAME that is not empty, and without NUL
--env: "": NAME=VALUE, with a NAME that is not empty, and without NUL
--env: "A=1": each variable once; A is given twice
--env: "A=2": each variable once; A is given twice
--env: "N=a\x00b": NAME=VALUE, with a NAME that is not empty, and without NUL`},
	} {
		args := []string{"ls"}
		if tt.profile == "python" {
			args = []string{"x.py"}
		}
		spec, err := load(t, tt.profile, h).Spec(args, Overrides{Env: tt.env, PassEnv: tt.pass}, h)
		if got := strings.TrimSpace(faultLines(err, root)); got != strings.TrimSpace(tt.faults) {
			t.Errorf("%s %q %q: faults:\n%s\nwant:\n%s", tt.profile, tt.env, tt.pass, got, tt.faults)
		}
		if got := inBox(spec.Env, root); err == nil && got != tt.want {
			t.Errorf("%s %q %q: env = %q, want %q", tt.profile, tt.env, tt.pass, got, tt.want)
		}
	}
}

// An option that is the name of a script as well is a fault, unless it is one
// that the profile knows or that has no suffix.
func TestDashedScript(t *testing.T) {
	root := tree(t, map[string]string{
		"bin/node": "\x7fELF", "bin/python3": "\x7fELF",
		"-dash.js": "", "-matrix.py": "", "-set.sh": "", "+x.sh": "", "-u": "", "-e": "", "--env-file=x.env": "", "x.js": "",
	})
	h := Host{Dir: root, Path: root + "/bin"}
	for _, tt := range []struct{ profile, args, bad string }{
		{"node", "-dash.js", "-dash.js"},
		{"python", "-matrix.py a", "-matrix.py"},
		{"sh", "-set.sh", "-set.sh"},
		{"sh", "+x.sh", "+x.sh"},
		{"node", "./-dash.js", ""},
		{"node", "-- -dash.js", ""},
		{"node", "x.js -dash.js", ""},
		{"node", "-e 1", ""},
		{"node", "--env-file=x.env x.js", ""},
		{"node", "-none.js x.js", ""},
		{"python", "-u ./-matrix.py", ""},
	} {
		want := ""
		if tt.bad != "" {
			want = `script: "` + tt.bad + `": ./` + tt.bad + " for the file of that name; what starts with " + tt.bad[:1] + " is an option\n"
		}
		_, err := load(t, tt.profile, h).Spec(strings.Fields(tt.args), Overrides{}, h)
		if got := faultLines(err, root); got != want {
			t.Errorf("%s %s: faults %q, want %q", tt.profile, tt.args, got, want)
		}
	}
}
