package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/test/guest/internal/order"
)

// A suite is something that is run in guests.
type suite struct {
	name, what string
	// pkg is a package whose tests are built, or "" for commands of jail.
	pkg string
	// limit is how long it may take on the host.
	limit time.Duration
	long  bool
	// users are tests that root's guest leaves out: they become an ordinary user
	// by themselves, who has no group then, and there is a guest of a user's.
	users string
}

// suites are all that can be run.
func suites() []suite {
	return []suite{
		{name: "doctor", what: "jail doctor --json", limit: 10 * time.Second},
		{name: "profiles", what: "a script with the profile node, and one with python", limit: 20 * time.Second},
		{name: "cgroups", what: "the caps: tests of package cgroups", pkg: "./cgroups", limit: 30 * time.Second},
		{name: "jail", what: "the walls, the reasons and the records: tests of package jail", pkg: "./jail", limit: time.Minute, long: true,
			users: "^TestAsOrdinaryUser$"},
		{name: "escape", what: "the table of attacks: test/escape", pkg: "./test/escape", limit: 2 * time.Minute, long: true,
			users: "^TestEscape$/^user$"},
	}
}

// A workshop is the folder of the host's that guests work from: the program
// that is PID 1, jail, the tests' binaries, and the sources beside which they
// are run.
type workshop struct{ dir string }

func (w workshop) pid1() string      { return filepath.Join(w.dir, "init") }
func (w workshop) test2json() string { return filepath.Join(w.dir, "test2json") }

// newWorkshop builds everything.
func newWorkshop(list []suite) (workshop, error) {
	dir, err := os.MkdirTemp("/var/tmp", "jail-guests-")
	if err != nil {
		return workshop{}, err
	}
	w := workshop{dir}
	if err := os.Chmod(dir, 0o755); err != nil {
		return w, err
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
	root, err := output("git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	builds := [][]string{
		{"build", "-trimpath", "-ldflags=-s -w", "-o", w.pid1(), "./test/guest/init"},
		{"build", "-trimpath", "-ldflags=-E jail_entry", "-o", filepath.Join(w.dir, "bin", "jail"), "./cmd/jail"},
		{"build", "-o", w.test2json(), "cmd/test2json"}, // now, as hours later the build cache may be another
	}
	for _, s := range list {
		if s.pkg != "" {
			builds = append(builds, []string{"test", "-c", "-o", filepath.Join(w.dir, "bin", s.name), s.pkg})
		}
	}
	for _, args := range builds {
		cmd := exec.Command("go", args...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	return copyTracked(filepath.Join(w.dir, "src"), root)
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

// jobs are what a guest is ordered to do for a suite: all of it, but for what
// the bout leaves out.
func (s suite) jobs(b bout) []order.Job {
	slow := b.class.kernel.kind.slowness()
	env := []string{"PATH=" + order.Work + "/bin:" + guestPath, fmt.Sprintf("JAIL_TEST_SLOWNESS=%d", slow)}
	one := order.Job{Name: s.name, Env: env, Dir: "/tmp", Limit: s.limit * slow}
	switch s.name {
	case "doctor":
		one.Alone, one.Args = true, []string{order.Work + "/bin/jail", "doctor", "--json"}
		return []order.Job{one}
	case "profiles":
		return profileJobs(one)
	}
	one.Dir = filepath.Join(order.Work, "src", s.pkg)
	one.Args = []string{order.Work + "/bin/" + s.name, "-test.v", "-test.timeout=" + (one.Limit * 9 / 10).String()}
	if b.filter != "" {
		one.Args = append(one.Args, "-test.run="+b.filter)
	}
	var skip []string
	if !b.user && s.users != "" {
		skip = append(skip, s.users)
	}
	if b.skip != "" {
		skip = append(skip, b.skip)
	}
	if len(skip) > 0 {
		one.Args = append(one.Args, "-test.skip="+strings.Join(skip, "|"))
	}
	return []order.Job{one}
}

const guestPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// weakened is the job, and the profile, of a box that may go without layers.
const weakened = "sh"

// profileJobs run a script of each language with its profile, as a caller's
// first run would be: jail alone in its group. The shell's box may go without
// what some hosts can't have, so that its record tells what they do have.
func profileJobs(one order.Job) []order.Job {
	var jobs []order.Job
	for _, p := range [][]string{
		{"node", "--", "-e", "console.log('node says', 6 * 7)"},
		{"python", "--", "-c", "print('python says', 6 * 7)"},
		{weakened, "--optional", "landlock,cgroup", "--", "-c", "echo sh says 42"},
	} {
		j := one
		j.Name, j.Alone = p[0], true
		j.Args = slices.Concat([]string{order.Work + "/bin/jail", "run", "--json", "--timeout", "60s", "--profile"}, p)
		jobs = append(jobs, j)
	}
	return jobs
}
