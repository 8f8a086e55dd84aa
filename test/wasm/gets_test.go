package wasm

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
)

// TestWhatAModuleGets: its arguments, environment, streams, clocks and files, as granted.
func TestWhatAModuleGets(t *testing.T) {
	dir := folder(t, map[string]string{"data/a": "A", "data/sub/b": "B", "one.csv": "1,2", "beside": secret, "work/old": "abcdef"})
	os.Chmod(dir+"/work", 0o777)
	os.Chmod(dir+"/work/old", 0o666)
	args := []string{"run", "--json", "--profile", "wasm", "--stdin", "-", "--env", "K=v", "--workspace", dir + "/work",
		"--ro", dir + "/data", "--ro", dir + "/one.csv", "--tmpfs", "/scratch", probe, "do"}
	want := map[string]string{
		"stdin=": "input", "stderr=log": "written", "clock=": "true true",
		"list=" + dir: "data one.csv work", "list=" + dir + "/data": "a sub", "read=" + dir + "/data/sub/b": "B",
		"read=" + dir + "/one.csv": "1,2", "stat=" + dir + "/one.csv": "---------- 3", "walk=" + dir: "8",
		"read=old": "abcdef", "write=new:text": "written", "append=new:more": "written", "mkdir=made": "made",
		"rename=new:made/new": "renamed", "symlink=made/new:short": "linked", "readlink=short": "made/new", "read=short": "textmore",
		"truncate=old": "cut", "stat=old": "---------- 2", "times=old": "set", "write=/scratch/x:y": "written", "read=/scratch/x": "y", "remove=/scratch/x": "removed",
		"link=old:other": "linked",
	}
	order := []string{"stdin=", "stderr=log", "clock=", "list=" + dir, "list=" + dir + "/data", "read=" + dir + "/data/sub/b",
		"read=" + dir + "/one.csv", "stat=" + dir + "/one.csv", "walk=" + dir, "read=old", "write=new:text", "append=new:more", "mkdir=made",
		"rename=new:made/new", "symlink=made/new:short", "readlink=short", "read=short", "truncate=old", "stat=old", "times=old",
		"write=/scratch/x:y", "read=/scratch/x", "remove=/scratch/x", "link=old:other"}
	res := start(t, "input", append(args, order...)...)
	got := reads(t, res)
	if res.Reason != jail.ReasonOK || res.Stderr.Text != "log\n" {
		t.Errorf("%s: %s; stderr %q", res.Reason, res.Message, res.Stderr.Text)
	}
	if !slices.Equal(got.Env, []string{"K=v"}) || got.Dir != dir+"/work" || got.Args[0] != "do" {
		t.Errorf("environment %q, folder %q, args %q", got.Env, got.Dir, got.Args)
	}
	for _, what := range order {
		if got.Did[what] != want[what] {
			t.Errorf("%s: %q, want %q", what, got.Did[what], want[what])
		}
	}
	if text, err := os.ReadFile(dir + "/work/made/new"); string(text) != "textmore" {
		t.Errorf("on the host: %q, %v", text, err)
	}
}

// TestModuleOnStdin: it has no other stdin then.
func TestModuleOnStdin(t *testing.T) {
	text, err := os.ReadFile(probe)
	if err != nil {
		t.Fatal(err)
	}
	got := reads(t, start(t, string(text), "run", "--json", "--profile", "wasm", "--stdin", "-", "--", "-", "do", "stdin="))
	if said, ok := got.Did["stdin="]; !ok || said != "" || got.Args[0] != "do" {
		t.Errorf("%+v", got)
	}
}

// TestRoot: of the root there are the names that lead to grants, and nothing can be made.
// (Where there is a folder to start in, the libraries of C, Rust and Go take it for the
// root where they find no grant for a path.)
func TestRoot(t *testing.T) {
	dir, _ := atticOf(t)
	top := strings.Split(dir, "/")[1]
	one := filepath.Join(dir, "data/a")
	got := reads(t, start(t, "", "run", "--json", "--profile", "wasm", "--rw", dir+"/work", "--ro", one+":/one", probe, "do", "list=/", "mkdir=/new", "write=/new:x", "read=/one", "write=/one:x", "mkdir=/"+top+"/new"))
	want := "one " + top
	if top < "one" {
		want = top + " one"
	}
	if got.Did["list=/"] != want || got.Did["read=/one"] != "A" || !refused(got.Did["mkdir=/new"]) || !refused(got.Did["write=/new:x"]) || !refused(got.Did["write=/one:x"]) || !refused(got.Did["mkdir=/"+top+"/new"]) {
		t.Errorf("%q", got.Did)
	}
}

// TestMCP: the language of run_code, for who asks for it.
func TestMCP(t *testing.T) {
	cmd := exec.Command("timeout", "60s", jailPath, "mcp", "--language", "wasm")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer in.Close()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for _, c := range []struct{ ask, want string }{
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, `"serverInfo"`},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, ""},
		{`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, `second wall`},
		{`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"run_code","arguments":{"language":"wasm","source":"return input + 1","input":41}}}`, `"value":42`},
		{`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"run_code","arguments":{"language":"wasm","source":"throw new Error('no')"}}}`, `"execution_failed"`},
	} {
		fmt.Fprintln(in, c.ask)
		if c.want != "" && (!lines.Scan() || !strings.Contains(lines.Text(), c.want)) {
			t.Errorf("%s: %.600s, want %s", c.ask, lines.Text(), c.want)
		}
	}
}
