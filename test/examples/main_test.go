package examples

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/seed-75010da9/jail/test/shipped"
)

// The folders that the clients are in, and the programs that were built of them.
const (
	sources = "../../examples"
	goName  = "client-go"
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run builds jail, its companion and the client in Go, and puts them into PATH.
func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "jail-test-examples-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	// What is granted of it is for boxes of root to read.
	err = os.Chmod(dir, 0o755)
	jail := filepath.Join(dir, "jail")
	err = errors.Join(err, shipped.Build(jail), shipped.BuildCompanion(jail))
	if out, failed := exec.Command("go", "build", "-o", filepath.Join(dir, goName), sources+"/go").CombinedOutput(); failed != nil {
		err = errors.Join(err, fmt.Errorf("examples/go: %w: %s", failed, out))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	os.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return m.Run()
}

// needProgram skips what needs a program that this machine lacks and no setup installs.
func needProgram(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		shipped.NotToBeHad(t, "there is no "+program)
	}
}
