package shipped

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// installTime is how long the registry may take.
const installTime = "180s"

// InstallNpm installs packages of other people's into dir/node_modules, when the tests
// run: they are no part of this repository. Nothing of them runs meanwhile.
func InstallNpm(dir string, packages ...string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private":true}`), 0o644); err != nil {
		return err
	}
	npm := exec.Command("timeout", append([]string{installTime, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"}, packages...)...)
	npm.Dir = dir
	if out, err := npm.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install: %w: %.300s", err, out)
	}
	return nil
}

// NotToBeHad skips a test for which something of other people's can't be had, loudly.
// Unlike with LeaveOut that is no failure in CI: nothing here could mend it.
func NotToBeHad(t testing.TB, why string) {
	t.Helper()
	fmt.Fprintf(os.Stderr, "NOT TESTED HERE: %s: %s\n", t.Name(), why)
	t.Skip(why)
}
