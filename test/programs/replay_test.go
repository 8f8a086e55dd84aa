package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/test/shipped"
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

// binary is jail as it is shipped.
func binary() string { return os.Getenv("JAIL_OF_THIS_TEST") }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "jail-replay-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	jail := filepath.Join(dir, "jail")
	if err := shipped.Build(jail); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	os.Setenv("JAIL_OF_THIS_TEST", jail)
	return m.Run()
}

// cheap are programs of the page that take no second each.
var cheap = []string{"a fork of a shell", "perl", "python with sqlite", "jq", "sqlite3", "git", "make"}

// What the page says of them holds: each is learned, ends enforced as it must, traced
// or not, and --check finds no difference.
func TestReplay(t *testing.T) {
	chosen, err := choose(programs(), strings.Join(cheap, ","))
	if err != nil {
		t.Fatal(err)
	}
	dir := workplace(t)
	for _, p := range chosen {
		t.Run(p.name, func(t *testing.T) {
			r := measure(binary(), filepath.Join(dir, p.name), "", p)
			if r.absent {
				shipped.NotToBeHad(t, "it is not on this machine")
			}
			if why := r.wrong(); why != "" {
				t.Errorf("%s\n%s%s", why, r.text(), r.learned)
			}
		})
	}
}

func workplace(t *testing.T) string {
	dir, err := os.MkdirTemp("", "jail-programs-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A jail with something wrong is no page: each of these is found by what the command
// returns.
func TestWrongIsFound(t *testing.T) {
	for _, c := range []struct{ name, does, want string }{
		{"nothing is", `exec "$JAIL_OF_THIS_TEST" "$@"`, ""},
		{"enforced runs fail", `case "$*" in
run*.toml*) exec "$JAIL_OF_THIS_TEST" run --json -- sh -c 'exit 3';;
esac
exec "$JAIL_OF_THIS_TEST" "$@"`, "a fork of a shell: enforced it ended: execution_failed 3, want ok 0"},
		{"checks differ", `case "$*" in *--check*) echo "differs: everything"; exit 1;; esac
exec "$JAIL_OF_THIS_TEST" "$@"`, "a fork of a shell: enforced it differs: differs: everything"},
		{"traced it is another", `case "$*" in
run*.toml*) case "$*" in *--trace*) exec "$JAIL_OF_THIS_TEST" run --json -- false;; esac;;
esac
exec "$JAIL_OF_THIS_TEST" "$@"`, "a fork of a shell: enforced and traced it ended: execution_failed 1, want ok 0"},
		{"nothing is learned", `case "$1" in learn) echo no; exit 125;; esac
exec "$JAIL_OF_THIS_TEST" "$@"`, "a fork of a shell: nothing was learned: no"},
		{"all fails alike", `case "$*" in
run*) exec "$JAIL_OF_THIS_TEST" run --json -- false;;
*--check*) echo "the same: execution_failed, exit code 1"; exit 0;;
esac
"$JAIL_OF_THIS_TEST" "$@" && exec sed -i 's/^# It ended: .*/# It ended: execution_failed, exit code 1./' "$4"`, "a fork of a shell: in the watching box it ended: execution_failed 1, want ok 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fake := filepath.Join(t.TempDir(), "jail")
			if err := os.WriteFile(fake, []byte("#!/bin/sh\n"+c.does+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			err := options{jail: fake, only: "a fork of a shell"}.run()
			if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) {
				t.Errorf("with %s: %v, want %q", c.name, err, c.want)
			}
		})
	}
	for _, o := range []options{{jail: "x", only: "nosuch"}, {jail: "x", only: "jq", docs: "x"}} {
		if err := o.run(); err == nil {
			t.Errorf("%+v was run", o)
		}
	}
}
