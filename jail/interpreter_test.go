package jail

import (
	debugelf "debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/internal/withheld"
)

// loaderOf is what debug/elf says of a program.
func loaderOf(t *testing.T, file string) string {
	t.Helper()
	f, err := debugelf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == debugelf.PT_INTERP {
			text := make([]byte, p.Filesz)
			if _, err := p.ReadAt(text, 0); err != nil {
				t.Fatal(err)
			}
			return strings.TrimRight(string(text), "\x00")
		}
	}
	return ""
}

func TestInterpreter(t *testing.T) {
	for head, want := range map[string][2]string{
		"":                          {"", ""},
		"plain text":                {"", ""},
		"#!":                        {"", "interpreter"},
		"#!/bin/sh\nx":              {"/bin/sh", "interpreter"},
		"#! /usr/bin/env python3\n": {"/usr/bin/env", "interpreter"},
		"#!\t/bin/sh\t-x":           {"/bin/sh", "interpreter"},
		"#!/bin/sh\r\n":             {"/bin/sh\r", "interpreter"},
		"\x7fELF\x02\x01":           {"", ""},
	} {
		if name, kind := interpreter([]byte(head)); name != want[0] || kind != want[1] {
			t.Errorf("interpreter(%q) = %q, %q, want %q", head, name, kind, want)
		}
	}
	head := make([]byte, 4096)
	for _, file := range []string{"/bin/sh", "/usr/bin/env"} {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		n, err := f.Read(head)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		if name, _ := interpreter(head[:n]); name != loaderOf(t, file) {
			t.Errorf("%s: loader %q, want %q", file, name, loaderOf(t, file))
		}
		for cut := range n { // whatever a file holds, and however little of it
			interpreter(head[:cut])
		}
		for i := 32; i < 128; i++ {
			bad := append([]byte(nil), head[:n]...)
			binary.LittleEndian.PutUint64(bad[i:], ^uint64(0))
			interpreter(bad)
		}
	}
}

// A program without its loader is told so, with a flag that grants what the system's
// links lead to; one behind a link out of what was granted is not looked at.
func TestMissingLoaderIsNamed(t *testing.T) {
	loader := loaderOf(t, "/usr/bin/env")
	real, err := filepath.EvalSymlinks(loader)
	if err != nil {
		t.Fatal(err)
	}
	hint := "grant it with --ro " + real + ":" + loader
	if real == loader {
		hint = "grant it with --ro " + loader
	}
	dir := t.TempDir()
	if err := copyFile(filepath.Join(dir, "env"), "/usr/bin/env", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../../../../../usr/bin/env", filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	for args, named := range map[string]bool{"/g/env": true, "/l/env": true, "env": true, "/g/out": false, "/g/none": false} {
		s := Spec{Args: []string{args}, Env: []string{"PATH=/g"}, Optional: missingHere(),
			View: []Mount{ro(dir, "/g"), {Kind: MountLink, Source: "/g", Target: "/l"}}}
		res, err := Run(t.Context(), s)
		if err == nil || res.Reason != ReasonExecFailed || res.ExitStatus() != 127 {
			t.Fatalf("%s: %v, %s", args, err, text(res))
		}
		if got := strings.Contains(res.Message, `the loader "`+loader+`"`) && res.Hint == hint; got != named {
			t.Errorf("%s: %q (%s), want the loader named: %v", args, res.Message, res.Hint, named)
		}
	}
}

// What the #! line of a program's file names is hinted at like anything else that a program
// says: a place of secrets is not, and what lies outside of what was given is answered with
// the same words whether the host has it or not.
func TestInterpretersAreNoOracle(t *testing.T) {
	dir := closedTree(t, "me/.ssh/id_rsa", "me/job/tool", "me/data/x", "g/tool", "g/server.key", "g/.ssh/x", "opt/x")
	for name, want := range map[string]string{
		"/etc/shadow": withheld.NotLookedFor, "/etc/no-such-thing": withheld.NotLookedFor, "DIR/me/.ssh/id_rsa": withheld.NotLookedFor, "DIR/me/.ssh/none": withheld.NotLookedFor, "DIR/me": withheld.NotLookedFor, "DIR/me/job/tool": withheld.NotLookedFor,
		"DIR/nothing": withheld.NotLookedFor, "/run/user/0/bus": withheld.NotLookedFor, "DIR/g/../me/data/x": withheld.NotLookedFor,
		"DIR/g/tool": "grant it with --ro DIR/g/tool", "DIR/g/none": "this host does not have it either", "DIR/g/server.key": withheld.NotHinted + "it is called as keys and tokens are", "DIR/g/none.key": withheld.NotHinted + "it is called as keys and tokens are",
		"DIR/g/.ssh/none": withheld.NotHinted + "it is where", "DIR/g/.ssh/x": withheld.NotHinted + "it is where", "/usr/no/such": "this host does not have it either",
	} {
		at := strings.NewReplacer("DIR", dir)
		if err := os.WriteFile(dir+"/g/script", []byte("#!"+at.Replace(name)+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		os.Chmod(dir+"/g/script", 0o755)
		res, err := Run(t.Context(), Spec{Args: []string{"/x/script"}, Optional: missingHere(), CgroupParent: givenGroup(), View: []Mount{ro(dir+"/g", "/x")}})
		if err == nil || !strings.HasPrefix(res.Hint, at.Replace(want)) || !strings.Contains(res.Message, "which is not in the box") {
			t.Errorf("#!%s: %v: hint %q, want %q", name, err, res.Hint, want)
		}
	}
}

// A #! line below a mount that never answers, given or not, is not waited for.
func TestInterpreterBelowADeadMount(t *testing.T) {
	dir := closedTree(t, "g/hang/", "hang/")
	for _, hang := range []string{dir + "/hang", dir + "/g/hang"} {
		mountDead(t, hang)
		os.WriteFile(dir+"/g/script", []byte("#!"+hang+"/x\n"), 0o755)
		os.Chmod(dir+"/g/script", 0o755)
		done := make(chan Result, 1)
		go func() {
			res, _ := Run(t.Context(), Spec{Args: []string{"/x/script"}, Optional: missingHere(), CgroupParent: givenGroup(), View: []Mount{ro(dir+"/g/script", "/x/script")}})
			done <- res
		}()
		select {
		case res := <-done:
			if res.Reason != ReasonExecFailed || strings.Contains(res.Hint, "--ro ") {
				t.Errorf("%s: %s", hang, text(res))
			}
		case <-time.After(patience(30 * time.Second)):
			t.Fatalf("%s: the run does not end", hang)
		}
	}
}
