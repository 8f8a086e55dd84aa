package jail

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/cgroups"
	"github.com/seed-75010da9/jail/internal/withheld"
)

// The tests run real boxes. What has to happen inside one is a line of
// /bin/sh, or a function of inside: the test binary itself, granted to the box
// as a file.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if name, ok := strings.CutPrefix(os.Args[1], insidePrefix); ok {
			os.Exit(inside[name]())
		}
	}
	withheld.Takes = unhurried(10*time.Second, withheld.Takes)
	os.Exit(m.Run())
}

const insidePrefix = "-inside="

// insideBox is a Spec that runs a function of inside.
func insideBox(t *testing.T, name string) Spec {
	t.Helper()
	if inside[name] == nil {
		t.Fatalf("there is no function %q to run inside", name)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := shell("")
	s.Args = []string{"/test", insidePrefix + name}
	s.View = append(s.View, Mount{Kind: MountRO, Source: exe, Target: "/test"})
	return s
}

// shell is a Spec that runs a line of /bin/sh.
func shell(script string) Spec {
	return Spec{
		Args:     []string{"/bin/sh", "-c", script},
		Env:      []string{"PATH=/usr/bin:/bin", "LC_ALL=C"},
		View:     system(),
		Limits:   Limits{Timeout: 20 * time.Second},
		Optional: missingHere(),

		CgroupParent: givenGroup(),
	}
}

// system is the operating system's part of a view.
func system() []Mount {
	var view []Mount
	for _, dir := range []string{"/usr", "/bin", "/sbin", "/lib", "/lib64"} {
		view = append(view, Mount{Kind: MountSystem, Source: dir, Target: dir})
	}
	return view
}

// givenGroup is the group for the tests' boxes where their own is unfit, or "".
func givenGroup() string { return os.Getenv("JAIL_TEST_CGROUP_PARENT") }

// groupError is why this host gives the tests no cgroup, or nil.
var groupError = sync.OnceValue(func() error {
	p, err := cgroups.Find(givenGroup())
	if err != nil {
		return err
	}
	defer p.Close()
	g, err := p.Create("probe", cgroups.Limits{Memory: 64 << 20, CPUs: 1, Pids: 16})
	if err != nil {
		return err
	}
	return g.Remove()
})

// missingHere is the layers that the tests have to do without.
func missingHere() []LayerName {
	var missing []LayerName
	if groupError() != nil {
		missing = append(missing, LayerCgroup)
	}
	if landlockABI() == 0 {
		missing = append(missing, LayerLandlock)
	}
	return missing
}

// slowness is the variable in which a host that is known to be slow, as an
// emulated one, says how many times.
const slowness = "JAIL_TEST_SLOWNESS"

// patience is d, or longer on a slow host.
func patience(d time.Duration) time.Duration {
	if n, err := strconv.Atoi(os.Getenv(slowness)); err == nil && n > 1 {
		return d * time.Duration(n)
	}
	return d
}

// unhurried is patience of d, and least where the host is only now and then slow: its
// machine may have something else to do for that long.
func unhurried(least, d time.Duration) time.Duration { return max(least, patience(d)) }

// needGroup leaves a test out where there are no cgroups to be had.
func needGroup(t *testing.T) {
	t.Helper()
	if err := groupError(); err != nil {
		leaveOut(t, "no cgroup: "+err.Error())
	}
}

// needLandlock leaves a test out where the kernel has none.
func needLandlock(t *testing.T) {
	t.Helper()
	if landlockABI() == 0 {
		leaveOut(t, "this kernel has no Landlock")
	}
}

// leaveOut skips a test so that it is seen; on CI everything is there, or
// it fails.
func leaveOut(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal("cannot run here: " + why)
	}
	fmt.Fprintf(os.Stderr, "NOT TESTED HERE: %s: %s\n", t.Name(), why)
	t.Skip(why)
}

// run runs a box that is expected to come into being.
func runBox(t *testing.T, spec Spec, io IO) Result {
	t.Helper()
	res, err := RunIO(context.Background(), spec, io)
	if err != nil {
		t.Fatalf("RunIO: %v", err)
	}
	if !res.TreeEmpty {
		t.Errorf("tree_empty is false: %s", text(res))
	}
	return res
}

// want checks how a run ended.
func want(t *testing.T, res Result, reason Reason) {
	t.Helper()
	if res.Reason != reason {
		t.Errorf("reason %s, want %s: %s", res.Reason, reason, text(res))
	}
}

// wantStdout checks that a run was fine and what it wrote.
func wantStdout(t *testing.T, res Result, stdout string) {
	t.Helper()
	want(t, res, ReasonOK)
	if res.Stdout.Text != stdout {
		t.Errorf("stdout %q, want %q (stderr %q)", res.Stdout.Text, stdout, res.Stderr.Text)
	}
}

// text is a record to be read in a failure, without the receipts.
func text(res Result) string {
	res.Layers = nil
	b, err := json.MarshalIndent(res, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(b)
}
