package runner

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

// planted is a workspace in which an earlier evaluation has left something under each
// of the names. Whatever runs of it says so in a file.
type planted struct {
	folder string
	over   profiles.Overrides
}

func plant(t *testing.T, names []string, pattern func(name string) string, code string) planted {
	t.Helper()
	p := planted{folder: t.TempDir()}
	os.Chmod(p.folder, 0o777)
	for _, name := range names {
		file := filepath.Join(p.folder, pattern(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(code, "HIT", p.hit())), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.over = bounds()
	p.over.Workspace = p.folder
	return p
}

func (p planted) hit() string { return filepath.Join(p.folder, "hit") }

// ran is what of it has run, and forgets it.
func (p planted) ran() string {
	text, _ := os.ReadFile(p.hit())
	os.Remove(p.hit())
	return string(text)
}

func (p planted) evaluate(t *testing.T, l Language, source string) jail.Result {
	t.Helper()
	return evaluate(t, l, Request{Source: source}, p.over)
}

// No file of the workspace is taken for a module of the library: not by the runner, not
// by Python when it warns or shows a traceback, and not by what the source imports.
func TestPythonTakesNothingPlanted(t *testing.T) {
	var names []string
	known := evaluate(t, Python, Request{Source: "import sys\nreturn sorted(n for n in getattr(sys, 'stdlib_module_names', ['traceback', 'linecache', 'asyncio', 'dataclasses', 'warnings', 'tokenize', 'contextlib', 'textwrap', 'types', 're']) if n.isidentifier())"}, bounds())
	if err := json.Unmarshal(known.Value, &names); err != nil || len(names) < 10 {
		t.Fatalf("the library's modules: %v, %v: %s", names, err, known.Message)
	}
	names = append(names, "sitecustomize", "usercustomize")
	p := plant(t, names, func(name string) string { return name + ".py" },
		"import sys\nwith open('HIT', 'a') as f: f.write(__name__ + ' ')\n")
	for name, source := range map[string]string{
		"returns":                     "return 'mine'",
		"raises":                      "raise ValueError('mine')",
		"raises a group":              "def f(): raise ValueError('mine', 'éé')\ntry: f()\nexcept ValueError as e: raise KeyError from e",
		"misspells":                   "mine = 1\nreturn mime",
		"syntax error":                "return 'mine' = 'é'",
		"warns when it is compiled":   "return '\\d' is 'mine'",
		"warns when it runs":          "import datetime\nimport warnings\nwarnings.simplefilter('always')\nwarnings.warn('mine')\ndatetime.datetime.utcnow()",
		"awaits":                      "async def f(): return 'mine'\nreturn await f()",
		"returns an awaitable":        "async def f(): raise ValueError\nreturn f()",
		"forgets to await":            "async def f(): pass\nf()\nreturn 'mine'",
		"a dataclass":                 "import dataclasses\n@dataclasses.dataclass\nclass A:\n  x: int\nreturn A(1)",
		"an enumeration and a date":   "import enum, datetime\nclass E(enum.Enum): A = 1\nreturn [E.A, datetime.date(2000, 1, 1)]",
		"a thread raises":             "import threading\nt = threading.Thread(target=lambda: 1 / 0)\nt.start()\nt.join()\nreturn 'mine'",
		"a finalizer raises":          "class A:\n  def __del__(self): 1 / 0\nA()\nreturn 'mine'",
		"exits with words":            "import sys\nsys.exit('mine')",
		"imports some of the library": "import subprocess, logging, unittest, concurrent.futures, http.client, email, decimal, tempfile\nreturn 'mine'",
		"imports what is not there":   "import msvcrt",
		"looks there first, raises":   "import os, sys\nsys.path.insert(0, os.getcwd())\nraise ValueError('mine')",
		"looks there first, awaits":   "import os, sys\nasync def f(): return 'mine'\nsys.path.insert(0, os.getcwd())\nreturn f()",
		"a value too large":           "return 10 ** 5000",
	} {
		t.Run(name, func(t *testing.T) {
			res := p.evaluate(t, Python, source)
			if ran := p.ran(); ran != "" {
				t.Errorf("what ran of the workspace: %s", ran)
			}
			if res.Reason != jail.ReasonOK && res.Reason != jail.ReasonExecutionFailed && res.Reason != jail.ReasonInvalidOutput {
				t.Errorf("reason %s: %s; stderr %.300s", res.Reason, res.Message, res.Stderr.Text)
			}
			if res.Reason == jail.ReasonExecutionFailed && (res.Error == nil || res.Error.Trace == "") && name != "syntax error" {
				t.Errorf("no trace: %+v; stderr %.300s", res.Error, res.Stderr.Text)
			}
		})
	}
	// The control: what lies there does run where Python is made to look there first.
	p.evaluate(t, Python, "import os, sys\nsys.path.insert(0, os.getcwd())\nimport traceback")
	if ran := p.ran(); !strings.Contains(ran, "traceback") {
		t.Errorf("control: what ran is %q, want traceback in it", ran)
	}
}

// What the library asks for besides its own, such as the org of other Pythons, is not
// found where a source has Python look for packages of its own, nor among packages that
// can't be written to any more.
func TestPythonsLibraryAsksNobodyElse(t *testing.T) {
	code := "with open('HIT', 'a') as f: f.write(__name__ + ' ')\n"
	inPackages := func(name string) string { return "src/" + name }
	p := plant(t, []string{"org/__init__.py", "org/python/__init__.py", "org/python/core.py"}, inPackages, code)
	packages := "import sys\nsys.path.append('src')\n"
	for _, source := range []string{"import copy", "import pickle", "import copy, multiprocessing, zoneinfo, ctypes.util"} {
		p.evaluate(t, Python, packages+source)
		if ran := p.ran(); ran != "" {
			t.Errorf("%s: what ran of the workspace: %s", source, ran)
		}
	}
	if p.evaluate(t, Python, packages+"import org.python.core"); p.ran() == "" {
		t.Error("control: nothing ran")
	}
}

// What the folder has of its own is found as before.
func TestPythonFindsTheFoldersModules(t *testing.T) {
	p := plant(t, []string{"helper"}, func(name string) string { return name + ".py" }, "value = 'mine'\n")
	if res := p.evaluate(t, Python, "import helper\nreturn helper.value"); string(res.Value) != `"mine"` {
		t.Errorf("value %s: %s", res.Value, res.Message)
	}
}

// Nothing of the workspace is taken for a module of Node.js's own.
func TestNodeTakesNothingPlanted(t *testing.T) {
	var names []string
	known := evaluate(t, Node, Request{Source: "return require('module').builtinModules.filter(n => !n.startsWith('_'))"}, bounds())
	if err := json.Unmarshal(known.Value, &names); err != nil || len(names) < 10 {
		t.Fatalf("Node.js's modules: %v, %v: %s", names, err, known.Message)
	}
	names = append(names, "..", "loaders", "../package", "source")
	code := "require('node:fs').appendFileSync('HIT', __filename + ' ')\n"
	p := plant(t, names, func(name string) string { return "node_modules/" + name + "/index.js" }, code)
	for _, file := range []string{"source.js", "[eval]", "fs.js", "util.js", ".noderc.js"} {
		os.WriteFile(filepath.Join(p.folder, file), []byte(strings.ReplaceAll(code, "HIT", p.hit())), 0o644)
	}
	os.WriteFile(filepath.Join(p.folder, "package.json"), []byte(`{"type":"module","main":"fs.js","imports":{"#a":"./fs.js"}}`), 0o644)
	os.WriteFile(filepath.Join(p.folder, "node.config.json"), []byte(`{"nodeOptions":{"require":["./fs.js"]}}`), 0o644)
	for name, source := range map[string]string{
		"returns":         "return 'mine'",
		"throws":          "throw new Error('mine', {cause: {a: 1}})",
		"syntax error":    "return (",
		"imports":         "await import('node:os'); return (await import('fs')).constants.O_RDONLY",
		"requires":        "return ['fs', 'util', 'vm', 'child_process', 'worker_threads', 'assert', 'http', 'stream'].map(n => typeof require(n)).length",
		"prints":          "console.log(new Error('mine')); console.error({a: [1]}); console.table([1]); return 'mine'",
		"warns":           "process.emitWarning('mine'); await new Promise(r => setTimeout(r, 20)); return 'mine'",
		"a worker throws": "const w = new (require('worker_threads').Worker)('throw 1', {eval: true}); await new Promise(r => w.on('error', r)); return 'mine'",
	} {
		t.Run(name, func(t *testing.T) {
			res := p.evaluate(t, Node, source)
			if ran := p.ran(); ran != "" {
				t.Errorf("what ran of the workspace: %s", ran)
			}
			if strings.Contains(string(res.Value), forged) || res.Reason == jail.ReasonSignaled {
				t.Errorf("reason %s, value %s", res.Reason, res.Value)
			}
		})
	}
	p.evaluate(t, Node, "return require('./fs.js')")
	os.Remove(filepath.Join(p.folder, "package.json"))
	p.evaluate(t, Node, "return require('./fs.js')")
	if ran := p.ran(); !strings.Contains(ran, "fs.js") {
		t.Errorf("control: what ran is %q, want fs.js in it", ran)
	}
}

// A shell finds no command in the folder in which it starts.
func TestShTakesNothingPlanted(t *testing.T) {
	p := plant(t, []string{"expr", "cat", "echo", "sh", ".profile", ".bashrc", ".env"}, func(name string) string { return name }, "#!/bin/sh\necho ran >>HIT\n")
	if res := p.evaluate(t, Sh, "expr 41 + 1 | cat"); string(res.Value) != "42" || p.ran() != "" {
		t.Errorf("value %s: %s", res.Value, res.Message)
	}
	if p.evaluate(t, Sh, "./expr; echo 1"); p.ran() == "" {
		t.Error("control: nothing ran")
	}
}
