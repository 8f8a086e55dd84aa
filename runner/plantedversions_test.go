package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
)

// On no version of Python that is here does anything come from the folder that the
// library asks for: by a statement in a module of it, or before the runner begins.
func TestPythonVersionsTakeNothingPlanted(t *testing.T) {
	for version, program := range pythons(t) {
		t.Run(version, func(t *testing.T) {
			t.Setenv("PATH", filepath.Dir(program)+":"+os.Getenv("PATH"))
			p := plant(t, []string{"org", "_wmi", "vms_lib", "msvcrt", "_winapi", "nt", "winreg", "java", "linecache", "tzdata"}, func(name string) string { return name + ".py" },
				"import sys\nwith open('HIT', 'a') as f: f.write(__name__ + ' ')\n")
			os.WriteFile(filepath.Join(p.folder, "helper.py"), []byte("class A: pass\ndef value(): return 'mine'\n"), 0o644)
			for _, source := range []string{
				"return 'mine'",
				"import copy, dataclasses, platform, os, sys\nplatform.uname()\nplatform.platform()\nreturn 'mine'",
				"import subprocess, tempfile, shutil, mimetypes, webbrowser, getpass, uuid, asyncio, ctypes, multiprocessing\nmimetypes.init()\nuuid.uuid1()\nreturn 'mine'",
				"import zoneinfo\ntry: zoneinfo.ZoneInfo('No/Where')\nexcept Exception: pass\nreturn 'mine'",
				"import importlib, pickle, pkgutil, helper\na = pickle.loads(pickle.dumps(helper.A()))\ndel __import__('sys').modules['helper']\nreturn importlib.import_module('helper').value()",
				"import os, sys, subprocess\nassert 'PYTHONSAFEPATH' not in os.environ\nassert subprocess.run(['/bin/sh', '-c', 'test -z \"${PYTHONSAFEPATH+x}\"']).returncode == 0\nassert '' in sys.path[1:]\nimport helper\nreturn helper.value()",
			} {
				if strings.Contains(source, "zoneinfo") && strings.HasPrefix(version, "3.8.") {
					continue
				}
				res := p.evaluate(t, Python, source)
				if ran := p.ran(); ran != "" {
					t.Errorf("%q: what ran of the workspace: %s", source, ran)
				}
				if res.Reason != jail.ReasonOK || string(res.Value) != `"mine"` {
					t.Errorf("%q: reason %s, value %s: %s; error %+v; stderr %.300s", source, res.Reason, res.Value, res.Message, res.Error, res.Stderr.Text)
				}
			}
			// Nothing is lost of an error either.
			if res := p.evaluate(t, Python, "raise ValueError('mine')"); res.Error == nil || res.Error.Name != "ValueError" || p.ran() != "" {
				t.Errorf("raises: %s, error %+v; stderr %.300s", res.Message, res.Error, res.Stderr.Text)
			}
		})
	}
}

// A Python that is too old is said to be, with what to do, and not taken for the source's
// mistake.
func TestPythonIsTooOld(t *testing.T) {
	home, _ := os.UserHomeDir()
	programs, _ := filepath.Glob(filepath.Join(home, ".pyenv/versions/3.[67].*/bin/python3"))
	if len(programs) == 0 {
		t.Skip("SKIPPED: no Python before 3.8 in ~/.pyenv/versions")
	}
	for _, program := range programs {
		t.Setenv("PATH", filepath.Dir(program)+":"+os.Getenv("PATH"))
		res := evaluate(t, Python, Request{Source: "return 1"}, bounds())
		if res.Error == nil || res.Error.Name != oldPython || !strings.Contains(res.Message, "need Python 3.8 or later") || !strings.Contains(res.Hint, "PATH") {
			t.Errorf("%s: %s: %s; hint %q; stderr %s", program, res.Reason, res.Message, res.Hint, res.Stderr.Text)
		}
	}
}

// pythons are the Pythons of this machine that the runner is for, by their versions.
func pythons(t *testing.T) map[string]string {
	t.Helper()
	home, _ := os.UserHomeDir()
	programs, _ := filepath.Glob(filepath.Join(home, ".pyenv/versions/3.*/bin/python3"))
	found := map[string]string{}
	for _, program := range programs {
		version := filepath.Base(filepath.Dir(filepath.Dir(program)))
		if !strings.HasPrefix(version, "3.6.") && !strings.HasPrefix(version, "3.7.") {
			found[version] = program
		}
	}
	if isFile("/usr/bin/python3") {
		found["the system's"] = "/usr/bin/python3"
	}
	if len(found) == 0 {
		t.Skip("SKIPPED: no Python in ~/.pyenv/versions or /usr/bin")
	}
	return found
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
