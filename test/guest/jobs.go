package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/test/guest/internal/order"
)

// busy is how many times longer than by itself a suite may take on this machine, on
// which guests run meanwhile.
const busy = 5

// systemdName begins the names of the suites below a systemd.
const systemdName = "systemd-"

// dockerName is the suite in Docker's containers.
const dockerName = "docker"

// parentVariable tells tests, as --cgroup-parent tells jail, of a group for their
// boxes that is not their own.
const parentVariable = "JAIL_TEST_CGROUP_PARENT"

// jobs are what a guest is ordered to do for a suite: all of it, but for what
// the bout leaves out.
func (s suite) jobs(b bout) []order.Job {
	slow := b.class.kernel.kind.slowness()
	env := []string{"PATH=" + b.place() + "/bin:" + guestPath, fmt.Sprintf("JAIL_TEST_SLOWNESS=%d", slow)}
	if b.class.given != "" {
		env = append(env, parentVariable+"="+b.class.given)
	}
	if s.name == apparmorName {
		env = append(env, parserVariable+"="+b.work.parser)
	}
	one := order.Job{Name: s.name, Env: env, Dir: "/tmp", Limit: s.limit * max(slow, busy)}
	switch s.name {
	case containerV2:
		one.Env = append(one.Env, "JAIL_TEST_BUILT="+b.place()+"/bin")
		return append(b.containerJobs(one), b.testJob(s, one))
	case "doctor":
		one.Alone, one.Args = true, []string{b.place() + "/bin/jail", "doctor", "--json"}
		one.Args = append(one.Args, b.class.parentFlag()...)
		return []order.Job{one}
	case "profiles":
		return b.profileJobs(one)
	case programsName:
		return b.programJobs(one)
	case dockerName:
		one.Dir, one.Args = b.work.root, []string{"go", "run", "./test/docker", "-tests"}
		return []order.Job{one}
	case systemdName + "247", systemdName + "252", systemdName + "257":
		release := map[string]string{"systemd-247": "bullseye", "systemd-252": "bookworm", "systemd-257": "trixie"}[s.name]
		one.Dir, one.Args = b.work.root, []string{"go", "run", "./test/systemd", "-tests", "-debian", release}
		return []order.Job{one}
	}
	return []order.Job{b.testJob(s, one)}
}

// testJob runs a package's tests.
func (b bout) testJob(s suite, one order.Job) order.Job {
	one.Dir = filepath.Join(b.place(), "src", s.pkg)
	one.Args = []string{b.place() + "/bin/" + s.binary(), "-test.v", "-test.timeout=" + (one.Limit * 9 / 10).String()}
	if run := cmp.Or(b.filter, s.tests); run != "" {
		one.Args = append(one.Args, "-test.run="+run)
	}
	var skip []string
	if !b.user && s.users != "" && b.class.kernel.kind != here { // here there is no other guest
		skip = append(skip, s.users)
	}
	if s.pkg == "./jail" && b.missing() == jail.LayerLandlock {
		skip = append(skip, "^Example") // they ask for every wall but the group, and can't be told
	}
	if b.skip != "" {
		skip = append(skip, b.skip)
	}
	if len(skip) > 0 {
		one.Args = append(one.Args, "-test.skip="+strings.Join(skip, "|"))
	}
	return one
}

const guestPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// place is the workshop's folder as the jobs see it.
func (b bout) place() string {
	if b.class.kernel.kind == here {
		return b.work.dir
	}
	return order.Work
}

// weakened is the job, and the profile, of a box that may go without layers.
const weakened = "sh"

// without marks the jobs whose box may go without the layer that this host lacks,
// and without no other.
const without = "-without"

// parentFlag names the group that the user was given.
func (c class) parentFlag() []string {
	if c.given == "" {
		return nil
	}
	return []string{"--cgroup-parent", c.given}
}

// profileJobs run a script of each language with its profile, as a caller's
// first run would be: jail alone in its group. Where that is refused they are run
// once more without what is missing, by its name. The shell's box may go without
// all that any host can't have, so that its record tells what this one does have.
func (b bout) profileJobs(one order.Job) []order.Job {
	var jobs []order.Job
	add := func(name, profile string, words ...string) {
		j := one
		j.Name, j.Alone = name, true
		j.Args = slices.Concat([]string{b.place() + "/bin/jail", "run", "--json", "--timeout", "60s", "--profile", profile},
			b.class.parentFlag(), words)
		jobs = append(jobs, j)
	}
	node := []string{"--", "-e", "console.log('node says', 6 * 7)"}
	python := []string{"--", "-c", "print('python says', 6 * 7)"}
	add("node", "node", node...)
	add("python", "python", python...)
	if missing := b.missing(); missing != "" && !b.class.kernel.below {
		optional := []string{"--optional", string(missing)}
		add("node"+without, "node", slices.Concat(optional, node)...)
		add("python"+without, "python", slices.Concat(optional, python)...)
	}
	add(weakened, weakened, "--optional", "landlock,cgroup", "--", "-c", "echo sh says 42")
	return jobs
}

// programJobs are one for each program, so that each has a limit of its own. Their
// folders were made on the host: compilers are slow in a guest.
func (b bout) programJobs(one order.Job) (jobs []order.Job) {
	folders, _ := os.ReadDir(b.work.programs())
	matches := func(pattern, name string) bool { // as Go's tests are chosen
		ok, err := regexp.MatchString(pattern, name)
		return pattern != "" && ok && err == nil
	}
	for _, f := range folders {
		if b.filter != "" && !matches(b.filter, f.Name()) || matches(b.skip, f.Name()) {
			continue
		}
		j := one
		j.Name = programsName + "/" + f.Name()
		j.Args = []string{b.place() + "/bin/" + programsName, "-jail", b.place() + "/bin/jail",
			"-prepared", b.place() + "/" + programsName, "-only", f.Name()}
		jobs = append(jobs, j)
	}
	return jobs
}

// missing is the layer for which a box with all defaults is refused, or "".
func (b bout) missing() jail.LayerName {
	if b.user {
		return b.class.userRefuses
	}
	return b.class.refuses
}

// refuses is the layer for which a job's box is refused, or "".
func (b bout) refuses(job string) jail.LayerName {
	switch missing := b.missing(); {
	case strings.HasPrefix(job, inContainer):
		return jail.LayerCgroup // the groups are read-only
	case job == weakened && b.class.kernel.below:
		return jail.LayerRoot // for want of mount_setattr(2)
	case job == weakened || strings.HasSuffix(job, without):
		return ""
	default:
		return missing
	}
}
