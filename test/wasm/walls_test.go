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
	"time"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/test/shipped"
)

func command(args ...string) ([]byte, error) {
	return exec.Command("timeout", append([]string{"60s"}, args...)...).CombinedOutput()
}

const secret = "the host's secret"

// refused says that something was not done.
func refused(said string) bool { return strings.HasPrefix(said, "error: ") }

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

// attacks are what no module is to get at, whichever wall is looked at: by the host's
// paths, and out of what it was granted.
func attacks(dir string) []string {
	return []string{
		"read=" + dir + "/beside", "read=" + dir + "/work/../beside", "read=" + dir + "/data/../beside", "read=" + dir + "/work/out",
		"read=" + dir + "/work/abs", "read=" + dir + "/work/up/beside", "write=" + dir + "/work/out:x", "write=" + dir + "/beside:x",
		"write=" + dir + "/data/a:x", "append=" + dir + "/data/a:x", "truncate=" + dir + "/data/a", "remove=" + dir + "/data/a", "mkdir=" + dir + "/data/new",
		"rename=" + dir + "/data/a:" + dir + "/work/a", "rename=" + dir + "/work/old:" + dir + "/data/old", "link=" + dir + "/data/a:" + dir + "/work/a",
		"symlink=x:" + dir + "/data/x", "remove=" + dir + "/work", "rename=" + dir + "/work:" + dir + "/moved",
		"read=/etc/shadow", "read=/etc/hostname", "exec=/bin/sh", "dial=127.0.0.1:1",
	}
}

// atticOf is a folder with a secret beside what is granted, and links to it within.
func atticOf(t *testing.T) (dir string, grants []string) {
	t.Helper()
	dir = folder(t, map[string]string{"beside": secret, "data/a": "A", "work/old": "O"})
	for name, to := range map[string]string{"out": "../beside", "abs": dir + "/beside", "up": ".."} {
		if err := os.Symlink(to, dir+"/work/"+name); err != nil {
			t.Fatal(err)
		}
	}
	os.Chmod(dir+"/work", 0o777)
	os.Chmod(dir+"/beside", 0o666)
	os.Chmod(dir+"/data", 0o777)
	os.Chmod(dir+"/data/a", 0o666)
	return dir, []string{"--workspace", dir + "/work", "--ro", dir + "/data"}
}

// untouched says that nothing was changed in the attic.
func untouched(t *testing.T, dir string) {
	t.Helper()
	for name, want := range map[string]string{"beside": secret, "data/a": "A", "work/old": "O"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); string(text) != want {
			t.Errorf("%s: %q, %v; want %q", name, text, err, want)
		}
	}
	for _, name := range []string{"data/new", "data/x", "data/old", "moved", "work/a"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s was made", name)
		}
	}
	if _, err := os.Lstat("/new"); err == nil {
		t.Error("/new was made on the host")
	}
}

func allRefused(t *testing.T, res jail.Result, tried []string) {
	t.Helper()
	got := reads(t, res)
	for _, what := range tried {
		if said, ok := got.Did[what]; !ok || !refused(said) || strings.Contains(said, secret) {
			t.Errorf("%s: %q, want a refusal", what, said)
		}
	}
}

func TestBothWalls(t *testing.T) {
	dir, grants := atticOf(t)
	tried := append(attacks(dir), "read=/proc/self/status", "read=/tmp/x", "write=/tmp/x:y", "read=/dev/null", "list=/proc", "list=/tmp", "read="+probe, "read="+jaildPath)
	res := start(t, "", slices.Concat([]string{"run", "--json", "--profile", "wasm"}, grants, []string{probe, "do"}, tried)...)
	allRefused(t, res, tried)
	untouched(t, dir)
}

// TestEngineAlone: on the host itself, with no box around, as whoever runs the test.
func TestEngineAlone(t *testing.T) {
	dir, _ := atticOf(t)
	tried := append(attacks(dir), "read=/proc/self/status", "list=/proc", "read="+probe)
	cmd := exec.Command("timeout", slices.Concat([]string{"60s", jaildPath, "wasm", "--memory=268435456", "--timeout=30s", "--cwd=" + dir + "/work", "--rw=" + dir + "/work", "--ro=" + dir + "/data", "--", probe, "do"}, tried)...)
	cmd.Env = []string{}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	allRefused(t, jail.Result{Stdout: jail.Output{Text: string(out)}}, tried)
	untouched(t, dir)
}

// TestBoxAlone: an engine that was told to give everything that there is, in a box of the
// same grants.
func TestBoxAlone(t *testing.T) {
	dir, grants := atticOf(t)
	tried := attacks(dir)
	res := start(t, "", slices.Concat([]string{"run", "--json"}, grants, []string{"--ro", probe, "--", jaildPath, "wasm", "--memory=268435456", "--timeout=30s", "--rw=/", "--", probe, "do", "read=/proc/self/status", "read=" + dir + "/data/a"}, tried)...)
	got := reads(t, res)
	if !strings.Contains(got.Did["read=/proc/self/status"], "NoNewPrivs:\t1") || got.Did["read="+dir+"/data/a"] != "A" {
		t.Fatalf("the engine's wall is not down: %v", got.Did)
	}
	allRefused(t, res, slices.DeleteFunc(tried, func(s string) bool { return s == "read=/etc/hostname" }))
	untouched(t, dir)
}

// TestNativeCodeInTheEnginesPlace: whoever broke out of the engine is in its box, which
// holds nothing but the engine and the grants.
func TestNativeCodeInTheEnginesPlace(t *testing.T) {
	dir, grants := atticOf(t)
	profile := filepath.Join(folder(t, nil), "broken.toml")
	text := fmt.Sprintf("extends = %q\n[run]\ninterpreter = [%q]\n[view]\nsystem = [%q]\n", "wasm", native, native)
	if err := os.WriteFile(profile, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	tried := append(attacks(dir), "exec=/usr/bin/env", "read=/usr/bin/env", "list=/usr", "write="+native+":x", "read="+jaildPath)
	res := start(t, "", slices.Concat([]string{"run", "--json", "--profile", profile}, grants, []string{probe, "do", `answer={"error":{"name":"x"}}`}, tried)...)
	allRefused(t, res, tried)
	// It answered in the engine's place: that makes nothing of a run that ended well.
	if res.Reason != jail.ReasonOK || res.Error != nil {
		t.Errorf("%s, %+v", res.Reason, res.Error)
	}
	untouched(t, dir)
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

// TestGrantsInGrants: a link within a writable grant must not lead to a read-only one
// that lies in it.
func TestGrantsInGrants(t *testing.T) {
	dir := folder(t, map[string]string{"w/in/a": "A", "w/b": "B"})
	for _, p := range []string{"/w", "/w/in", "/w/in/a", "/w/b"} {
		os.Chmod(dir+p, 0o777)
	}
	if err := os.Symlink("in/a", dir+"/w/link"); err != nil {
		t.Fatal(err)
	}
	tried := []string{"write=" + dir + "/w/link:x", "write=" + dir + "/w/in/a:x", "rename=" + dir + "/w/in:" + dir + "/w/out", "remove=" + dir + "/w/in/a", "append=" + dir + "/w/link:x"}
	for _, engine := range [][]string{
		{jaildPath, "wasm", "--memory=268435456", "--timeout=30s", "--rw=" + dir + "/w", "--ro=" + dir + "/w/in", "--"},
		{jailPath, "run", "--profile", "wasm", "--rw", dir + "/w", "--ro", dir + "/w/in"},
	} {
		cmd := exec.Command("timeout", slices.Concat([]string{"60s"}, engine, []string{probe, "do"}, tried, []string{"read=" + dir + "/w/in/a", "write=" + dir + "/w/b:changed"})...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		res := jail.Result{Stdout: jail.Output{Text: string(out)}}
		allRefused(t, res, tried)
		if did := reads(t, res).Did; did["read="+dir+"/w/in/a"] != "A" || did["write="+dir+"/w/b:changed"] != "written" {
			t.Errorf("%q", did)
		}
	}
}

// TestEngineOptionsAreTheLaunchers: what stands behind the module, or comes from whoever
// chooses that, decides nothing.
func TestEngineOptionsAreTheLaunchers(t *testing.T) {
	dir, _ := atticOf(t)
	for _, args := range [][]string{{"--rw=/", probe}, {"--ro=" + dir, probe}, {"--memory=1", probe}, {"--", "--rw=/"}, {"--javascript"}, {"--javascript", "x"}} {
		res := start(t, "", append([]string{"run", "--json", "--profile", "wasm", "--"}, args...)...)
		if res.OK || strings.Contains(res.Stdout.Text, "args") {
			t.Errorf("%q: %s, %q", args, res.Reason, res.Stdout.Text)
		}
	}
	got := reads(t, start(t, "", "run", "--json", "--profile", "wasm", "--", "--interpreter", "--", probe, "--rw=/", "do", "read="+dir+"/beside"))
	if !refused(got.Did["read="+dir+"/beside"]) || got.Args[0] != "--rw=/" {
		t.Errorf("%+v", got)
	}
}

// TestEnginesOwnLimits: without a box the engine itself ends a module at its deadline, and
// gives it no more memory.
func TestEnginesOwnLimits(t *testing.T) {
	dir := folder(t, map[string]string{
		"never.wasm":  string(module{code: never}.bytes()),
		"hungry.wasm": string(module{code: append(slices.Clone(hungry), unreachable)}.bytes()),
	})
	for name, want := range map[string]string{"never": "jail: wasm: Deadline: ", "hungry": "jail: wasm: Trap: unreachable (1 request for more memory was refused"} {
		for _, how := range [][]string{nil, {"--interpreter"}} {
			began := time.Now()
			out, err := command(slices.Concat([]string{jaildPath, "wasm", "--memory=67108864", "--timeout=100ms", "--"}, how, []string{filepath.Join(dir, name+".wasm")})...)
			if err == nil || !strings.HasPrefix(string(out), want) || time.Since(began) > 20*time.Second {
				t.Errorf("%s %v: %v, %q after %v, want %s", name, how, err, out, time.Since(began), want)
			}
		}
	}
}

// TestRawPaths: what a module asks for with no library in between. Its exit code is the
// error number of WASI.
func TestRawPaths(t *testing.T) {
	dir, grants := atticOf(t)
	const none, bad, denied, noDir = 44, 8, 63, 54 // ENOENT, EBADF, EPERM, ENOTDIR
	for _, c := range []struct {
		path string
		fd   int32
		want int
	}{
		{"old", 3, 0}, {"./old", 3, 0}, {"x/../old", 3, 0}, {"..", 3, denied}, {"../beside", 3, denied}, {"x/../../beside", 3, denied}, {"../work/old", 3, denied},
		{"/etc/passwd", 3, denied}, {dir + "/beside", 3, denied}, {"out", 3, denied}, {"abs", 3, denied}, {"up/beside", 3, denied}, {"old/", 3, noDir}, {"old\x00", 3, -1}, {"", 3, -1},
		{"a", 4, 0}, {"old", 0, -1}, {"old", 1, -1}, {"old", 6, bad}, {"old", -1, bad}, {"none", 3, none},
	} {
		res := runs(t, opens(c.path, c.fd), grants...)
		if res.ExitCode == nil || c.want >= 0 && *res.ExitCode != c.want || c.want < 0 && *res.ExitCode == 0 {
			t.Errorf("path_open(%d, %q): %s: %s, want the exit code %d", c.fd, c.path, res.Reason, res.Message, c.want)
		}
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

// TestTier2: without namespaces the engine is what the box has in their place.
func TestTier2(t *testing.T) {
	dir, _ := atticOf(t)
	if os.Geteuid() == 0 { // whose box of tier 2 is a user of its own
		os.Chmod(dir+"/work/old", 0o644)
	}
	flags := []string{"--tier", "2", "--json", "--profile", "wasm", "--rw", dir + "/work", "--ro", dir + "/data/a"}
	tried := append(attacks(dir), "read=/proc/self/status", "list=/", "list="+dir, "stat=/etc/passwd")
	res := start(t, "", slices.Concat([]string{"run"}, flags, []string{probe, "do", "read=" + dir + "/data/a", "read=" + dir + "/work/old", "list=" + dir + "/data"}, tried)...)
	if res.Reason == jail.ReasonSetupRefused {
		shipped.LeaveOut(t, "tier 2: "+res.Message)
	}
	allRefused(t, res, tried)
	if did := reads(t, res).Did; did["read="+dir+"/data/a"] != "A" || did["read="+dir+"/work/old"] != "O" || did["list="+dir+"/data"] != "a" {
		t.Errorf("%q", did)
	}
	if res := evaluate(t, "return input + 1", "41", "--tier", "2"); string(res.Value) != "42" {
		t.Errorf("JavaScript: %s: %s", res.Reason, res.Message)
	}
	untouched(t, dir)
}
