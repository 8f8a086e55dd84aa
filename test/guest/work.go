package main

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// A suite is something that is run in guests.
type suite struct {
	name, what string
	// pkg is a package whose tests are built, or "" for commands of jail.
	pkg string
	// limit is how long it may take on a machine with nothing else to do.
	limit time.Duration
	long  bool
	// tests are those of the package that are run, as a regexp, or "" for all.
	tests string
	// users are tests that root's guest leaves out: they become an ordinary user
	// by themselves, who has no group then, and there is a guest of a user's.
	users string
	// boxes says that without a box that runs there is nothing to be tested.
	boxes bool
	// commands is a program whose jobs are commands of its own, a package, or "". They
	// are root's, in guests whose kernels have every wall.
	commands string
	// here is a suite that makes its places itself, so it is run on this machine
	// alone. What passed there is listed, too.
	here bool
	// only are the hosts that a suite of root's is for, or none: all are.
	only []string
}

// suites are all that can be run.
func suites() []suite {
	return []suite{
		{name: "doctor", what: "jail doctor --json", limit: 10 * time.Second},
		{name: "profiles", what: "a script with the profile node, and one with python", limit: 20 * time.Second},
		{name: "cgroups", what: "the caps: tests of package cgroups", pkg: "./cgroups", limit: time.Minute},
		{name: "reasons", what: "each reason that a run can end for, and its record: a test of package jail", pkg: "./jail",
			tests: "^TestReasonsForReal$", limit: 30 * time.Second, boxes: true},
		{name: "audit", what: "what Landlock refuses, by the kernel's audit records: tests of package jail", pkg: "./jail",
			tests: "^TestAudit(OfFiles|OfDevices|Flood|OfNobody|Unread|Own)$", limit: 30 * time.Second, boxes: true},
		{name: apparmorName, what: "dist/apparmor/jail and doctor's lines, where AppArmor confines: test/guest/apparmor", pkg: "./test/guest/apparmor",
			limit: 30 * time.Second, only: []string{"qemu-6.12", "qemu-7.3"}},
		{name: containerV2, what: "the container where control groups are version 2: test/container, without the attacks", pkg: "./test/container",
			limit: time.Minute, only: []string{"qemu-6.12"}, users: "^TestAttacks$"},
		{name: "jail", what: "the walls, the reasons and the records: tests of package jail", pkg: "./jail", limit: 2 * time.Minute, long: true,
			users: "^TestAsOrdinaryUser$", boxes: true},
		{name: "escape", what: "the table of attacks: test/escape", pkg: "./test/escape", limit: 4 * time.Minute, long: true,
			users: "^TestEscape$/^user$", boxes: true},
		{name: "programs", what: "programs that people run: what they are refused, the profile learned, and enforced", commands: "./test/programs",
			limit: 30 * time.Second, long: true}, // each of them
		{name: "container", what: "tier 2 in a container without namespaces: test/container", pkg: "./test/container", limit: 3 * time.Minute, here: true},
		{name: dockerName, what: "in containers of Docker itself: test/docker", limit: 2 * time.Minute, here: true},
		{name: "nested", what: "jail within something else: test/nested", pkg: "./test/nested", limit: time.Minute, here: true},
		{name: "shapes", what: "distribution shapes: test/shapes", pkg: "./test/shapes", limit: 5 * time.Minute, here: true},
		{name: "systemd-247", what: "below Debian 11's systemd: test/systemd", limit: 6 * time.Minute, here: true},
		{name: "systemd-252", what: "below Debian 12's systemd: test/systemd", limit: 6 * time.Minute, here: true},
		{name: "systemd-257", what: "below Debian 13's systemd: test/systemd", limit: 6 * time.Minute, here: true},
	}
}

// listed says that what passed is listed, row by row.
func (s suite) listed() bool { return s.here || len(s.only) > 0 }

// binary is the name of its package's tests.
func (s suite) binary() string { return path.Base(s.pkg) + ".test" }

// A workshop is the folder of the host's that guests work from: the program
// that is PID 1, jail, the tests' binaries, and the sources beside which they
// are run.
type workshop struct {
	dir  string
	root string // the repository
	// commit is the one that is built, with a mark if files differ from it.
	commit string
	parser string // a folder with AppArmor's, or ""
}

func (w workshop) pid1() string      { return filepath.Join(w.dir, "init") }
func (w workshop) test2json() string { return filepath.Join(w.dir, "test2json") }

// programs holds the folders of the jobs of suite "programs", one for each.
func (w workshop) programs() string { return filepath.Join(w.dir, programsName) }

const programsName = "programs"

// newWorkshop builds everything.
func newWorkshop(list []suite) (workshop, error) {
	dir, err := os.MkdirTemp("/var/tmp", "jail-guests-")
	if err != nil {
		return workshop{}, err
	}
	w := workshop{dir: dir}
	if err := os.Chmod(dir, 0o755); err != nil {
		return w, err
	}
	if w.root, err = output("git", "rev-parse", "--show-toplevel"); err != nil {
		w.close()
		return workshop{}, err
	}
	if w.commit, err = output("git", "-C", w.root, "describe", "--always", "--dirty", "--exclude", "*"); err != nil {
		w.close()
		return workshop{}, err
	}
	if err := w.fill(list); err != nil {
		w.close()
		return workshop{}, err
	}
	return w, nil
}

func (w workshop) close() { os.RemoveAll(w.dir) }

func (w workshop) fill(list []suite) error {
	for _, dir := range []string{"bin", "src"} {
		if err := os.Mkdir(filepath.Join(w.dir, dir), 0o755); err != nil {
			return err
		}
	}
	builds := [][]string{
		{"build", "-trimpath", "-ldflags=-s -w", "-o", w.pid1(), "./test/guest/init"},
		{"build", "-trimpath", "-ldflags=-E jail_entry", "-o", filepath.Join(w.dir, "bin", "jail"), "./cmd/jail"},
		{"build", "-o", w.test2json(), "cmd/test2json"}, // now, as hours later the build cache may be another
	}
	for _, s := range list {
		if s.pkg != "" {
			builds = append(builds, []string{"test", "-c", "-o", filepath.Join(w.dir, "bin", s.binary()), s.pkg})
		}
	}
	commands := ""
	for _, s := range list {
		if s.commands != "" {
			commands = filepath.Join(w.dir, "bin", s.name)
			builds = append(builds, []string{"build", "-o", commands, s.commands})
		}
	}
	for _, args := range builds {
		cmd := exec.Command("go", args...)
		cmd.Dir = w.root
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	if commands != "" {
		if out, err := exec.Command(commands, "-prepare", w.programs()).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", commands, err, out)
		}
	}
	return copyTracked(filepath.Join(w.dir, "src"), w.root)
}

// copyTracked copies the files of a work tree that git knows.
func copyTracked(to, root string) error {
	list, err := output("git", "-C", root, "ls-files", "-z")
	if err != nil {
		return err
	}
	for _, name := range strings.Split(strings.TrimSuffix(list, "\x00"), "\x00") {
		info, err := os.Stat(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // deleted and not yet committed
		}
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(to, filepath.Dir(name)), 0o755); err != nil {
			return err
		}
		if err := copyFile(filepath.Join(to, name), filepath.Join(root, name), info.Mode().Perm()); err != nil {
			return err
		}
	}
	return nil
}

func output(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}
