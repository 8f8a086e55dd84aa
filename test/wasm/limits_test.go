package wasm

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

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
	for _, c := range []struct{ name, timeout, want string }{
		{"never", "100ms", "jail: wasm: Deadline: "},
		{"hungry", "60s", "jail: wasm: Trap: unreachable (1 request for more memory was refused"},
	} {
		name, want := c.name, c.want
		for _, how := range [][]string{nil, {"--interpreter"}} {
			began := time.Now()
			out, err := command(slices.Concat([]string{jaildPath, "wasm", "--memory=67108864", "--timeout=" + c.timeout, "--"}, how, []string{filepath.Join(dir, name+".wasm")})...)
			if err == nil || !strings.HasPrefix(string(out), want) || time.Since(began) > time.Minute {
				t.Errorf("%s %v: %v, %q after %v, want %s", name, how, err, out, time.Since(began), want)
			}
		}
	}
	// Where it waits there is no code of its own that could be stopped.
	for _, verb := range []string{"stdin=", "sleep=1h"} {
		cmd := exec.Command("timeout", "120s", jaildPath, "wasm", "--memory=67108864", "--timeout=100ms", "--", "--interpreter", probe, "do", verb)
		never, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.CombinedOutput()
		never.Close()
		if err == nil || !strings.HasPrefix(string(out), "jail: wasm: Deadline: ") || cmd.ProcessState.ExitCode() != 124 {
			t.Errorf("%s: %v, %q", verb, err, out)
		}
	}
}
