package jail

import (
	debugelf "debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
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

// A program without its loader is told so; one behind a link out of what was
// granted is not looked at.
func TestMissingLoaderIsNamed(t *testing.T) {
	loader := loaderOf(t, "/usr/bin/env")
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
		if got := strings.Contains(res.Message, `the loader "`+loader+`"`) && res.Hint == "grant it with --ro "+loader; got != named {
			t.Errorf("%s: %q (%s), want the loader named: %v", args, res.Message, res.Hint, named)
		}
	}
}
