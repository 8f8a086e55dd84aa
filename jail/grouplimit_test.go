package jail

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A limit that the kernel refuses, which on version 1 shows when PID 1 has its way
// into the group already: no program runs, or it runs without the group where the
// caller allows that, and nothing is left either way.
func TestLimitThatTheKernelRefuses(t *testing.T) {
	const name = "jail-tests-half-a-processor"
	if _, err := os.Stat("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"); os.Geteuid() != 0 || err != nil {
		t.Skip("not a gap: for root on cgroup v1, where the quota above is a bound")
	}
	var parents []string
	for _, controller := range []string{"pids", "memory", "cpu", "cpuacct"} {
		dir := filepath.Join("/sys/fs/cgroup", controller, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Remove(dir) })
		parents = append(parents, dir)
	}
	quota := filepath.Join("/sys/fs/cgroup/cpu", name, "cpu.cfs_quota_us")
	if err := os.WriteFile(quota, []byte("50000"), 0); err != nil {
		t.Fatal(err)
	}
	left := func() (out []string) {
		for _, dir := range parents {
			found, _ := filepath.Glob(dir + "/*/")
			out = append(out, found...)
		}
		return out
	}
	s := shell("echo ran")
	s.CgroupParent, s.Limits.CPUs = name, 1
	res, err := Run(t.Context(), s)
	if err == nil || res.Reason != ReasonSetupRefused || res.Stdout.Text != "" || !strings.Contains(res.Hint, "--cpus") {
		t.Errorf("a limit above its parent's: %s, %v, stdout %q, hint %q", res.Reason, err, res.Stdout.Text, res.Hint)
	}
	if l := left(); len(l) > 0 {
		t.Errorf("a limit above its parent's left %q", l)
	}
	s.Optional = []LayerName{LayerCgroup}
	res, err = Run(t.Context(), s)
	i := slices.IndexFunc(res.Layers, func(l Layer) bool { return l.Name == LayerCgroup })
	if err != nil || res.Stdout.Text != "ran\n" || i < 0 || res.Layers[i].Applied {
		t.Errorf("where it need not be: %s, %v, stdout %q, layers %+v", res.Reason, err, res.Stdout.Text, res.Layers)
	}
	if l := left(); len(l) > 0 {
		t.Errorf("where it need not be, it left %q", l)
	}
	s.Optional, s.Limits.CPUs = nil, 0.25
	if res, err := Run(t.Context(), s); err != nil || res.Stdout.Text != "ran\n" {
		t.Errorf("control: %s, %v: %s", res.Reason, err, res.Message)
	}
}
