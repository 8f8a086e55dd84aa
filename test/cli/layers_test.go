package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/seed-75010da9/jail"

// banned are packages that the command must not be built from, with the
// reason. A name ending in / stands for all below it.
var banned = map[string]string{
	"net/http":                         "0.6 ms of start-up time on every run",
	"google.golang.org/protobuf/":      "0.75 ms of start-up time on every run",
	"github.com/golang/protobuf/":      "0.75 ms of start-up time on every run",
	"github.com/spf13/":                "0.3 ms of start-up time; our flags are one table",
	"github.com/sirupsen/":             "a logger has nothing to do here: what is to say stands in the record",
	"gopkg.in/yaml.v3":                 "0.4 ms of start-up time; profiles are TOML",
	"github.com/coreos/":               "brings D-Bus and its start-up time with it",
	"github.com/godbus/":               "0.1 ms of start-up time, with net; our client of four calls needs neither",
	"github.com/seccomp/":              "needs cgo; filters are compiled ahead and embedded",
	"runtime/cgo":                      "the binary is static and starts without libc",
	"net":                              "a resolver and its goroutines; jail speaks to no network",
	"os/user":                          "looks users up through libc; ids are numbers here",
	"github.com/tetratelabs/":          "an engine of WebAssembly; it runs in the box, and is jaild's",
	"github.com/modelcontextprotocol/": "a protocol library with HTTP in it; `jail mcp` becomes jaild",
	"plugin":                           "code is not loaded at run time",
	"testing":                          "test code must not ship: it registers flags and costs start-up time",
	"log":                              "what is to say stands in the record or is an error",
	"html/template":                    "jail prints plain text and JSON",
	"text/template":                    "reflection and parsing on every start",
	"crypto/tls":                       "jail speaks to no network",
	"github.com/rogpeppe/":             "a test library",
	"golang.org/x/net/":                "the filter interpreter is for tests",
}

func TestCommandImportsNothingHeavy(t *testing.T) {
	for _, dep := range deps(t, module+"/cmd/jail") {
		for name, why := range banned {
			if dep == name || strings.HasSuffix(name, "/") && strings.HasPrefix(dep, name) {
				t.Errorf("cmd/jail is built from %s: %s", dep, why)
			}
		}
	}
}

// TestImportsRunOneWay: a package may import those of ours that are listed,
// directly or not, and no others.
func TestImportsRunOneWay(t *testing.T) {
	// What package jail stands on.
	base := []string{"seccomp", "cgroups", "internal/ablation", "internal/folder", "internal/hostmounts", "internal/hostns", "internal/interrupt", "internal/kernelfs", "internal/pathname", "internal/pid1", "internal/shellword", "internal/threads", "internal/withheld"}
	with := func(more ...string) []string { return slices.Concat(base, more) }
	for pkg, allowed := range map[string][]string{
		"seccomp":                  nil,
		"cgroups":                  nil,
		"internal/ablation":        nil,
		"internal/folder":          nil,
		"internal/hostmounts":      {"cgroups", "internal/pathname"},
		"internal/hostns":          nil,
		"internal/interrupt":       nil,
		"internal/kernelfs":        nil,
		"internal/pathname":        nil,
		"internal/pid1":            nil,
		"internal/shellword":       nil,
		"internal/testtree":        nil,
		"internal/threads":         {"internal/hostns"},
		"internal/withheld":        {"cgroups", "internal/hostmounts", "internal/kernelfs", "internal/pathname", "internal/pid1", "internal/shellword"},
		"internal/attacks":         with("jail"),
		"jail":                     base,
		"profiles":                 with("jail"),
		"learn":                    with("jail"),
		"runner":                   with("jail"),
		"cmd/jail/internal/doctor": with("jail"),
		"cmd/internal/stream":      nil,
		"cmd/internal/companion":   {"internal/shellword"},
		"cmd/internal/nobox":       with("jail"),
		"cmd/internal/request":     with("profiles", "jail"),
		"cmd/jail":                 with("runner", "learn", "cmd/internal/companion", "cmd/internal/nobox", "cmd/internal/request", "cmd/internal/stream", "profiles", "jail", "cmd/jail/internal/doctor"),
		"cmd/jaild":                with("runner", "internal/attacks", "cmd/internal/companion", "cmd/internal/nobox", "cmd/internal/request", "cmd/internal/stream", "profiles", "jail"),
	} {
		for _, dep := range deps(t, module+"/"+pkg) {
			name, ours := strings.CutPrefix(dep, module+"/")
			if ours && name != pkg && !slices.Contains(allowed, name) && !within(name, allowed) && !within(name, []string{pkg}) {
				t.Errorf("%s imports %s: imports run from cmd/jail over profiles and jail to seccomp and cgroups", pkg, name)
			}
		}
	}
}

// within says whether name is an internal package of one of the packages.
func within(name string, packages []string) bool {
	return slices.ContainsFunc(packages, func(p string) bool { return strings.HasPrefix(name, p+"/internal/") })
}

// TestAblationIsNotReachable: what switches walls off is reachable from the table of
// attacks alone, which is no part of the command, and which in its companion nothing
// but the selftest carries out.
func TestAblationIsNotReachable(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for pkg, importers := range map[string][]string{
		// Package jail asks which walls are down; that nothing else of it takes any
		// down is TestWallsAreTakenDownByAttacksAlone's.
		"internal/ablation":           {"jail", "internal/attacks"},
		"internal/attacks":            {"cmd/jaild", "cmd/jaild/internal/selftest"},
		"cmd/jaild/internal/selftest": {"cmd/jaild"},
	} {
		for line := range strings.Lines(string(out)) {
			words := strings.Fields(line)
			by := strings.TrimPrefix(words[0], module+"/")
			if slices.Contains(words[1:], module+"/"+pkg) && !slices.Contains(importers, by) {
				t.Errorf("%s imports %s, which switches walls off", by, pkg)
			}
		}
	}
	for _, pkg := range []string{"cmd/jail", "cmd/jaild/internal/server", "cmd/jaild/internal/mcpserver"} {
		if slices.Contains(deps(t, module+"/"+pkg), module+"/internal/attacks") {
			t.Errorf("%s is built from the attacks, which switch walls off", pkg)
		}
	}
}

// TestWallsAreTakenDownByAttacksAlone: ablation.Without is called nowhere but where
// the table carries a row out, and where `jail explain --why` asks the same box without
// Landlock which wall it was: no program runs in that one.
func TestWallsAreTakenDownByAttacksAlone(t *testing.T) {
	takes := map[string]string{
		"../../internal/attacks/caller.go": "ablation.Without(context.Background(), o.Off...)",
		"../../jail/why.go":                "try1(ablation.Without(ctx, walls...), spec, without)",
	}
	for _, dir := range []string{"cmd", "jail", "learn", "profiles", "runner", "seccomp", "cgroups", "internal"} {
		filepath.WalkDir(filepath.Join("../..", dir), func(path string, _ os.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Error(err)
			}
			if strings.Contains(strings.Replace(string(text), takes[path], "", 1), "ablation.Without(") {
				t.Errorf("%s takes walls down", path)
			}
			return nil
		})
	}
}

func deps(t *testing.T, pkg string) []string {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", pkg)
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list -deps %s: %v", pkg, err)
	}
	return strings.Fields(string(out))
}
