package jail

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// printRun runs boxes in a place that the test made, and prints their records: one with
// all defaults, and one that may go without a group, in each tier.
func printRun() int {
	s := shell("echo ran")
	s.Optional, s.CgroupParent = nil, ""
	for _, tier := range []Tier{Tier1, Tier2} {
		for _, optional := range [][]LayerName{nil, {LayerCgroup}} {
			s.Tier, s.Optional = tier, optional
			res, _ := Run(context.Background(), s)
			if json.NewEncoder(os.Stdout).Encode(res) != nil {
				return 1
			}
		}
	}
	return 0
}

// On version 1, root of a user namespace may make the groups where host root is mapped to
// a number there, and can put no box into them: that is a refusal which names them, or the
// run goes on without.
func TestGroupOfAnotherUser(t *testing.T) {
	if _, err := os.Stat("/sys/fs/cgroup/pids/cgroup.procs"); os.Geteuid() != 0 || err != nil || landlockABI() == 0 {
		t.Skip("not a gap: for root on cgroup v1, whose rule it is")
	}
	ids := []syscall.SysProcIDMap{{ContainerID: 0, HostID: 200000000, Size: 1}, {ContainerID: 1, HostID: 0, Size: 1 << 24}}
	cmd := exec.Command("unshare", "--mount", testCopy(t), insidePrefix+"printRun")
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, UidMappings: ids, GidMappings: ids, GidMappingsEnableSetgroups: true,
		Credential: &syscall.Credential{}}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d records, want 4: %s", len(lines), out)
	}
	for i, line := range lines {
		var res Result
		if err := json.Unmarshal([]byte(line), &res); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if i == 0 {
			if res.Reason != ReasonSetupRefused || !strings.Contains(res.Message, "another user's process") || !strings.Contains(res.Hint, "on version 1 root of a user namespace") || !strings.Contains(res.Hint, "--optional cgroup") {
				t.Errorf("by default: %s, %q, hint %q", res.Reason, res.Message, res.Hint)
			}
			continue
		}
		group := layer(t, res, LayerCgroup)
		if res.Reason != ReasonOK || res.Stdout.Text != "ran\n" || group.Applied || !strings.Contains(group.Note, "in their place") {
			t.Errorf("without, %d: %s, %q, layer %+v", i, res.Reason, res.Message, group)
		}
	}
}
