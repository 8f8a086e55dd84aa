package wasm

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/test/shipped"
)

func command(args ...string) ([]byte, error) {
	return exec.Command("timeout", append([]string{"60s"}, args...)...).CombinedOutput()
}

const secret = "the host's secret"

// refused says that something was not done.
func refused(said string) bool { return strings.HasPrefix(said, "error: ") }

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
