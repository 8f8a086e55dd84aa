package profiles

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
)

// wasmHost is a host with a companion beside the program that runs, and another in PATH.
func wasmHost(t *testing.T) (root string, h Host) {
	t.Helper()
	root = tree(t, map[string]string{
		"opt/jail/bin/jaild":       "!\x7fELF",
		"opt/jail/bin/jail":        "!\x7fELF",
		"opt/jail/lib/x":           "",
		"usr/local/bin/jaild":      "!\x7fELF",
		"work/m.wasm":              "\x00asm",
		"work/data/a":              "",
		"work/out/a":               "",
		"work/one.csv":             "",
		"cfg/jail/profiles/w.toml": "extends = \"wasm\"\n[run]\nargs = [\"--interpreter\"]\n[env]\nset = { A = \"1\" }\n",
	})
	for _, name := range []string{"opt/jail/bin/jaild", "opt/jail/bin/jail", "usr/local/bin/jaild"} {
		if err := os.Chmod(filepath.Join(root, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return root, Host{Dir: root + "/work", Path: root + "/usr/local/bin", Executable: root + "/opt/jail/bin/jail", ConfigHome: root + "/cfg"}
}

// TestEngineIsToldItsLimitsAndGrants: what the module may do stands in front of "--", and
// the box holds the engine and what was granted, nothing of the system.
func TestEngineIsToldItsLimitsAndGrants(t *testing.T) {
	root, h := wasmHost(t)
	p := load(t, "w", h)
	spec, err := p.Spec([]string{"m.wasm", "--rw=/", "x"}, Overrides{
		RO:        []Grant{{Host: "data"}, {Host: "one.csv", Box: "/in/one.csv"}},
		Workspace: "out", Tmpfs: []Tmpfs{{Box: "/scratch", Size: 1 << 20}},
		Limits: jail.Limits{Memory: 256 << 20, Timeout: 5e9},
	}, h)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		root + "/opt/jail/bin/jaild", "wasm", "--memory=184549376", "--timeout=5s", "--cwd=" + root + "/work/out",
		"--ro=" + root + "/work/data", "--ro=/in/one.csv", "--rw=/scratch", "--rw=" + root + "/work/out",
		"--", "--interpreter", root + "/work/m.wasm", "--rw=/", "x",
	}
	if !slices.Equal(spec.Args, want) {
		t.Errorf("args %q, want %q", spec.Args, want)
	}
	if !slices.Equal(spec.Env, []string{"A=1"}) {
		t.Errorf("environment %q, want A=1 alone", spec.Env)
	}
	var system []string
	for _, m := range spec.View {
		if m.Kind == jail.MountSystem {
			system = append(system, m.Target)
		}
	}
	if !slices.Equal(system, []string{root + "/opt/jail/bin/jaild"}) {
		t.Errorf("of the system the box has %q, want the engine alone", system)
	}
}

func TestCompanionInPath(t *testing.T) {
	root, h := wasmHost(t)
	h.Executable = "/nowhere/jail"
	spec, err := load(t, "wasm", h).Spec([]string{"m.wasm"}, Overrides{}, h)
	if err != nil || spec.Args[0] != root+"/usr/local/bin/jaild" {
		t.Errorf("%v, %q, want the companion of PATH", err, spec.Args)
	}
	h.Path = "/nowhere"
	if _, err = load(t, "wasm", h).Spec([]string{"m.wasm"}, Overrides{}, h); err == nil || !strings.Contains(err.Error(), `run.interpreter: "jaild"`) {
		t.Errorf("without a companion: %v, want a fault", err)
	}
}

func TestMemoryLeavesTheEngineItsOwn(t *testing.T) {
	_, h := wasmHost(t)
	for memory, want := range map[int64]string{0: "--memory=452984832", 64 << 20: "--memory=33554432", 160 << 20: "--memory=83886080", 1 << 30: "--memory=989855744"} {
		spec, err := load(t, "wasm", h).Spec([]string{"m.wasm"}, Overrides{Limits: jail.Limits{Memory: memory}}, h)
		if err != nil || spec.Args[2] != want {
			t.Errorf("%d: %q, %v, want %s", memory, spec.Args, err, want)
		}
	}
}
