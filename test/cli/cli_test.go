// Package cli holds the command's behaviour as scripts that read as its
// documentation: testdata/*.txtar, run against the built binary.
package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/seed-75010da9/jail/test/shipped"
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run builds jail as it is shipped, static, and puts it into PATH.
func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "jail-cli-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	// Scripts may run as another user.
	if err := os.Chmod(dir, 0o755); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	jail := filepath.Join(dir, "jail")
	if err := errors.Join(shipped.Build(jail), shipped.BuildCompanion(jail)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	os.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return m.Run()
}

// watchSources looks at every file that jail is built from, and at the README
// whose examples are run: go test repeats an
// earlier answer unless a file that the test itself looked at has changed.
func watchSources(t *testing.T) {
	for _, dir := range []string{"cmd", "jail", "profiles", "runner", "seccomp", "cgroups", "internal", "README.md"} {
		err := filepath.WalkDir(filepath.Join("../..", dir), func(path string, _ os.DirEntry, err error) error {
			if err == nil {
				_, err = os.Stat(path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestScripts(t *testing.T) {
	watchSources(t)
	// Scripts may run as another user, whom testing's own folders keep out.
	root, err := os.MkdirTemp("", "jail-scripts-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		WorkdirRoot:         root,
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("JAIL_UPDATE_SCRIPTS") != "", // rewrites what cmp compares with
		Setup: func(env *testscript.Env) error {
			jail, err := exec.LookPath("jail")
			if err != nil {
				return err
			}
			readme, err := filepath.Abs("../../README.md")
			if err != nil {
				return err
			}
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("README", readme)
			env.Setenv("JAIL", jail)
			env.Setenv("HOME", home)
			env.Setenv("XDG_CONFIG_HOME", "")
			return os.Mkdir(home, 0o700)
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Geteuid() == 0, nil
			case "numpy": // of the distribution
				err := exec.Command("/usr/bin/python3", "-c", "import numpy").Run()
				if os.Getenv("CI") != "true" {
					return err == nil, nil
				}
				return true, err
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  exits,
			"record": checkRecord,
		},
	})
}

// exits runs a program and demands its exit status:
//
//	exits 125 jail run --memory 0
//
// A program that ended by a signal n has the status 128+n, as in a shell.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS CMD [ARG…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		got = exitStatus(ended)
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}
