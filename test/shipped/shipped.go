// Package shipped is for tests of the command: it builds jail and its companion as
// they are shipped, and leaves out what can't run on a machine.
package shipped

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Build builds jail, static and with its early entry, to the path file.
func Build(file string) error {
	return build(file, "cmd/jail", "-ldflags=-E jail_entry")
}

// BuildCompanion builds jaild, which jail looks for beside itself, into the folder
// of the path jail.
func BuildCompanion(jail string) error {
	return build(filepath.Join(filepath.Dir(jail), "jaild"), "cmd/jaild")
}

func build(file, command string, flags ...string) error {
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-o", file}, flags...)
	build := exec.Command("go", append(args, "github.com/seed-75010da9/jail/"+command)...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", command, err, out)
	}
	return nil
}

// LeaveOut skips a test that can't run here, loudly; in CI that is a failure.
func LeaveOut(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal("cannot run here: " + why)
	}
	fmt.Fprintf(os.Stderr, "NOT TESTED HERE: %s: %s\n", t.Name(), why)
	t.Skip(why)
}
