// Package shipped is for tests of the command: it builds jail as it is shipped,
// and leaves out what can't run on a machine.
package shipped

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// Build builds jail, static and with its early entry, to the path file.
func Build(file string) error {
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-E jail_entry", "-o", file, "github.com/seed-75010da9/jail/cmd/jail")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building jail: %w\n%s", err, out)
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
