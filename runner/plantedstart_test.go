package runner

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

// What Python imports by itself when it starts, and what the runner and the library
// import, by names that a folder of the workspace's has as well.
var startNames = []string{
	"sitecustomize", "usercustomize", "encodings/__init__", "encodings/utf_8", "codecs", "io", "os", "abc", "stat",
	"posixpath", "site", "linecache", "json/__init__", "binascii", "traceback", "asyncio/__init__", "dataclasses", "org", "apport_python_hook",
}

// virtualEnvironment makes one of a Python, whose packages' folder it returns with it.
func virtualEnvironment(t *testing.T, program, root string) (packages string) {
	t.Helper()
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		t.Fatal(err)
	}
	packages = filepath.Join(root, "lib", filepath.Base(real), "site-packages")
	write(t, filepath.Join(root, "pyvenv.cfg"), "home = "+filepath.Dir(real)+"\ninclude-system-site-packages = false\n")
	write(t, filepath.Join(packages, "installed.py"), "value = 'installed'\n")
	if err := os.Mkdir(filepath.Join(root, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, filepath.Join(root, "bin", "python3")); err != nil {
		t.Fatal(err)
	}
	return packages
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A start is a way in which Python gets to hear of a folder in the workspace when it
// starts: which folder, and what the caller says besides. packages is the folder of a
// virtual environment's packages, where there is one.
type start struct {
	name  string
	venv  string // where, in the workspace or, if absolute, beside it
	plant string // in the workspace
	over  func(p *planted, packages string)
	finds bool // what else lies in the folder is found, behind the library
}

var starts = []start{
	{name: "an editable install in the workspace's environment", venv: "ws/.venv", plant: "src", finds: true, over: func(p *planted, packages string) {
		p.over.RO = []profiles.Grant{{Host: filepath.Join(p.folder, ".venv")}}
	}},
	{name: "an editable install in an environment elsewhere", venv: "venv", plant: "src", finds: true},
	{name: "packages that the box may write to", venv: "venv", plant: "src", finds: true, over: func(p *planted, packages string) {
		p.over.RW = []profiles.Grant{{Host: packages}}
	}},
	{name: "HOME", plant: ".local/lib/VERSION/site-packages", finds: true, over: func(p *planted, _ string) {
		p.over.Env = []string{"HOME=" + p.folder}
	}},
	{name: "PYTHONUSERBASE", plant: "lib/VERSION/site-packages", finds: true, over: func(p *planted, _ string) {
		p.over.Env = []string{"PYTHONUSERBASE=" + p.folder}
	}},
	{name: "PYTHONPATH", plant: "src", finds: true, over: func(p *planted, _ string) {
		p.over.Env = []string{"PYTHONPATH=" + filepath.Join(p.folder, "src")}
	}},
	{name: "PYTHONPATH, relative", plant: "src", finds: true, over: func(p *planted, _ string) {
		p.over.Env = []string{"PYTHONPATH=/nowhere:src:"}
	}},
	{name: "PYTHONHOME", plant: "lib/VERSION", over: func(p *planted, _ string) {
		p.over.Env = []string{"PYTHONHOME=" + p.folder}
	}},
	{name: "PYTHONPLATLIBDIR", plant: "src/VERSION", over: func(p *planted, _ string) {
		p.over.Env = []string{"PYTHONPLATLIBDIR=" + filepath.Join(p.folder, "src")}
	}},
}

// Nothing that lies in a workspace runs when Python starts, whichever way Python has to
// hear of it, and nothing there is taken for a part of the library afterwards.
func TestPythonStartsWithNothingPlanted(t *testing.T) {
	for version, program := range pythons(t) {
		for _, s := range starts {
			t.Run(version+"/"+s.name, func(t *testing.T) { s.test(t, program) })
		}
	}
}

// startSource uses what the library imports late, and what site makes.
const startSource = `import copy, json, encodings.idna, traceback, dataclasses, platform
platform.uname()
try: raise ValueError('é')
except ValueError: traceback.format_exc()
async def f(): return json.loads('"mine"') if exit and quit and help else None
return f()`

func (s start) test(t *testing.T, program string) {
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		t.Fatal(err)
	}
	folder := strings.ReplaceAll(s.plant, "VERSION", filepath.Base(real))
	code := "import sys\nwith open('HIT', 'a') as f: f.write(__name__ + ' ')\n"
	p := plant(t, startNames, func(name string) string { return filepath.Join(folder, name+".py") }, code)
	write(t, filepath.Join(p.folder, folder, "project.py"), "value = 'mine'\n")
	packages := ""
	if s.venv != "" {
		venv := filepath.Join(t.TempDir(), s.venv)
		if s.venv == "ws/.venv" {
			venv = filepath.Join(p.folder, ".venv")
		}
		packages = virtualEnvironment(t, program, venv)
		program = filepath.Join(venv, "bin", "python3")
		write(t, filepath.Join(packages, "z.pth"), "# of the project\n\n"+filepath.Join(p.folder, folder)+"\nimport project; "+strings.Split(strings.ReplaceAll(code, "HIT", p.hit()), "\n")[0]+"; open('"+p.hit()+"', 'a').write('z.pth ')\n")
		os.Chmod(packages, 0o777)
	}
	if s.over != nil {
		s.over(&p, packages)
	}
	t.Setenv("PATH", filepath.Dir(program)+":"+os.Getenv("PATH"))
	res := p.evaluate(t, Python, startSource)
	if ran := p.ran(); ran != "" {
		t.Errorf("what ran of the workspace: %s", ran)
	}
	if res.Reason != jail.ReasonOK || string(res.Value) != `"mine"` {
		t.Errorf("reason %s, value %s: %s; error %+v; stderr %.300s", res.Reason, res.Value, res.Message, res.Error, res.Stderr.Text)
	}
	res = p.evaluate(t, Python, "raise ValueError('mine')")
	if ran := p.ran(); ran != "" || res.Error == nil || res.Error.Trace == "" {
		t.Errorf("raises: what ran of the workspace: %q; %s, error %+v; stderr %.300s", ran, res.Message, res.Error, res.Stderr.Text)
	}
	if s.finds {
		res = p.evaluate(t, Python, "import project\nreturn project.value")
		if string(res.Value) != `"mine"` {
			t.Errorf("import project: value %s: %s; %+v", res.Value, res.Message, res.Error)
		}
	}
	if s.venv != "" {
		res = p.evaluate(t, Python, "import installed, sys\nreturn [installed.value, sys.prefix != sys.base_prefix]")
		if string(res.Value) != `["installed",true]` {
			t.Errorf("import installed: value %s: %s; %+v", res.Value, res.Message, res.Error)
		}
	}
}

// What a Python was built without is not looked for in a workspace by the runner.
func TestPythonWithoutCtypes(t *testing.T) {
	for version, program := range pythons(t) {
		real, err := filepath.EvalSymlinks(program)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(version, func(t *testing.T) {
			lib := filepath.Join(filepath.Dir(filepath.Dir(real)), "lib", filepath.Base(real))
			ours := filepath.Join(t.TempDir(), "py")
			link(t, lib, filepath.Join(ours, "lib", filepath.Base(real)))
			link(t, filepath.Join(lib, "lib-dynload"), filepath.Join(ours, "lib", filepath.Base(real), "lib-dynload"))
			text, err := os.ReadFile(real)
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(ours, "bin", "python3"), string(text))
			os.Chmod(filepath.Join(ours, "bin", "python3"), 0o755)
			t.Setenv("PATH", filepath.Join(ours, "bin")+":"+os.Getenv("PATH"))
			p := plant(t, []string{"_ctypes"}, func(name string) string { return name + ".py" }, "open('HIT', 'w').write(__name__)\n")
			p.over.RO = []profiles.Grant{{Host: filepath.Dir(lib)}}
			res := p.evaluate(t, Python, "import os\nreturn os.listdir('/') != []")
			if ran := p.ran(); ran != "" || string(res.Value) != "true" {
				t.Errorf("what ran of the workspace: %q; value %s: %s; %+v, stderr %.300s", ran, res.Value, res.Message, res.Error, res.Stderr.Text)
			}
		})
	}
}

// link makes a folder with a link to each entry of another, but for the module _ctypes
// and for folders that are to be made likewise.
func link(t *testing.T, from, to string) {
	t.Helper()
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := e.Name(); name != "lib-dynload" && !strings.HasPrefix(name, "_ctypes.") {
			if err := os.Symlink(filepath.Join(from, name), filepath.Join(to, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Nor by Python itself where the profile has it ignore the variable that keeps it away.
func TestPythonThatIgnoresVariables(t *testing.T) {
	for version, program := range pythons(t) {
		t.Run(version, func(t *testing.T) {
			t.Setenv("PATH", filepath.Dir(program)+":"+os.Getenv("PATH"))
			p := plant(t, startNames, func(name string) string { return name + ".py" }, "open('HIT', 'w').write(__name__)\n")
			for _, options := range [][]string{{"-E"}, {"-sBE"}, {"-W", "ignore", "-Es"}, {"-I"}, {"-Wignore::DeprecationWarning"}} {
				r := Request{Source: "import sys\nreturn ['' in sys.path, sys.flags.isolated]"}
				spec := specFor(t, Python, r, p.over)
				spec.Args = slices.Insert(spec.Args, 1, options...)
				res, err := Eval(t.Context(), spec, Python, r)
				want := "[false,1]"
				if options[0] == "-Wignore::DeprecationWarning" {
					want = "[true,0]"
				}
				if ran := p.ran(); ran != "" || err != nil || string(res.Value) != want {
					t.Errorf("%q: what ran of the workspace: %q; value %s, want %s, %v: %s; stderr %.300s", options, ran, res.Value, want, err, res.Message, res.Stderr.Text)
				}
			}
		})
	}
}

// A cache of compiled modules in the workspace is not the library's.
func TestPythonTakesNoCompiledModule(t *testing.T) {
	p := plant(t, nil, nil, "")
	p.over.Env = []string{"PYTHONPYCACHEPREFIX=" + p.folder, "PYTHONDONTWRITEBYTECODE="}
	res := p.evaluate(t, Python, "import os, sys, textwrap, traceback\nreturn [sys.pycache_prefix, os.environ['PYTHONPYCACHEPREFIX'] == input]")
	entries, _ := os.ReadDir(p.folder)
	if string(res.Value) != "[null,false]" || len(entries) != 0 {
		t.Errorf("value %s, and in the folder %v: %s", res.Value, entries, res.Message)
	}
}

// What the caller sets is there for the source and for what that starts.
func TestPythonKeepsTheCallersVariables(t *testing.T) {
	o := bounds()
	o.Env = []string{"PYTHONPATH=/usr/share/a:/usr/share/b", "PYTHONHOME=/usr", "PYTHONHASHSEED=7"}
	res := evaluate(t, Python, Request{Source: "import os, subprocess, sys\nshown = subprocess.run(['/bin/sh', '-c', 'echo $PYTHONPATH $PYTHONHOME; env | grep -c JAIL'], stdout=subprocess.PIPE, universal_newlines=True).stdout\n" +
		"return [shown, sorted(n for n in os.environ if 'PYTHON' in n), [p for p in sys.path if p.startswith('/usr/share')], sys.flags.hash_randomization]"}, o)
	want := `["/usr/share/a:/usr/share/b /usr\n0\n",["PYTHONDONTWRITEBYTECODE","PYTHONHASHSEED","PYTHONHOME","PYTHONPATH","PYTHONUNBUFFERED"],["/usr/share/a","/usr/share/b"],1]`
	if string(res.Value) != want {
		t.Errorf("value %s, want %s: %s; %+v", res.Value, want, res.Message, res.Error)
	}
}
