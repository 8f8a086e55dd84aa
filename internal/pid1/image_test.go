package pid1

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// PID 1's images are committed beside their source; this is the proof that
// they were made from it.
func TestImagesAreBuiltFromSource(t *testing.T) {
	for _, gcc := range []string{"x86_64-linux-gnu-gcc", "aarch64-linux-gnu-gcc"} {
		if _, err := exec.LookPath(gcc); err != nil {
			leaveOut(t, err)
		}
	}
	dir := t.TempDir()
	if out, err := exec.Command("init/build.sh", dir).CombinedOutput(); err != nil {
		t.Fatalf("init/build.sh: %v\n%s", err, out)
	}
	for _, name := range []string{"init_amd64", "init_arm64"} {
		built, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		committed, err := os.ReadFile(filepath.Join("init", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(built, committed) {
			t.Errorf("init/%s (%d bytes) is not what init/build.sh makes (%d bytes): run go generate ./internal/pid1 with Debian 12's gcc", name, len(committed), len(built))
		}
	}
}

// The image for the other architecture starts, has no plan to receive on
// descriptor 3, and says so with its exit code.
func TestArm64ImageStarts(t *testing.T) {
	qemu, err := exec.LookPath("qemu-aarch64-static")
	if err != nil {
		leaveOut(t, err)
	}
	err = exec.Command(qemu, "init/init_arm64").Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 125 {
		t.Errorf("init_arm64 without a channel: %v, want exit status 125", err)
	}
}

// leaveOut skips a test that can't run here, loudly; in CI that is a failure.
func leaveOut(t *testing.T, why error) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal("cannot run here:", why)
	}
	fmt.Fprintf(os.Stderr, "NOT TESTED HERE: %s: %s\n", t.Name(), why)
	t.Skip(why)
}
