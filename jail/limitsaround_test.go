package jail

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// groupAround makes a group that the test's boxes are to lie in, with a limit in one of its
// files, and says what its folder is there.
func groupAround(t *testing.T, file string, limit int) (name, folder string) {
	t.Helper()
	if os.Geteuid() != 0 || groupError() != nil || givenGroup() != "" {
		t.Skip("not a gap: the limit around a group is root's to set")
	}
	name = "jail-tests-around"
	mounts := []string{"/sys/fs/cgroup"}
	if _, err := os.Stat("/sys/fs/cgroup/pids/cgroup.procs"); err == nil {
		mounts = nil
		for _, controller := range []string{"pids", "memory", "cpu", "cpuacct"} {
			mounts = append(mounts, "/sys/fs/cgroup/"+controller)
		}
	}
	for _, mount := range mounts {
		dir := filepath.Join(mount, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Remove(dir) })
		if err := os.WriteFile(filepath.Join(dir, file), []byte(strconv.Itoa(limit)), 0); err == nil {
			folder = dir
		}
	}
	if folder == "" {
		t.Fatalf("no hierarchy has %s", file)
	}
	return name, folder
}

// What a limit of a group around the box refuses is told as that, with the group's name
// where it can be seen, and never as the box's own limit.
func TestLimitsAround(t *testing.T) {
	t.Run("pids", func(t *testing.T) {
		name, folder := groupAround(t, "pids.max", 12)
		s := shell("i=0; while [ $i -lt 30 ]; do sleep 9 & i=$((i+1)); done")
		s.CgroupParent, s.Limits.Pids = name, 64
		res := runBox(t, s, IO{})
		said, counted := strconv.Quote(folder)+" may have 12 processes and threads in all", *res.Usage.PidsPeak <= 13
		switch {
		case res.Reason == ReasonPidsLimit: // version 1, and version 2 before Linux 6.11
			if !strings.Contains(res.Message, "not by its own limit of 64 processes and threads, of which it had ") || !strings.Contains(res.Message, said) {
				t.Errorf("message %q", res.Message)
			}
		case res.Reason != ReasonExecutionFailed || !strings.Contains(res.Hint, said):
			t.Errorf("%s: %s", said, text(res))
		}
		if !strings.Contains(res.Hint, "pids.max") || strings.Contains(res.Hint, "--pids") || !counted {
			t.Errorf("hint %q, peak %d", res.Hint, *res.Usage.PidsPeak)
		}
		s.Limits.Pids = 8
		if res = runBox(t, s, IO{}); res.Reason != ReasonPidsLimit || !strings.Contains(res.Message, "(limit 8 processes and threads)") || !strings.Contains(res.Hint, "--pids") {
			t.Errorf("control, its own limit: %s", text(res))
		}
	})
	t.Run("memory", func(t *testing.T) {
		file := "memory.max"
		if _, err := os.Stat("/sys/fs/cgroup/memory/cgroup.procs"); err == nil {
			file = "memory.limit_in_bytes"
		}
		const around = 48 << 20
		name, folder := groupAround(t, file, around)
		s := shell("a=0123456789abcdef; while :; do a=$a$a; done")
		s.CgroupParent, s.Limits.Memory = name, 256<<20
		res := runBox(t, s, IO{})
		if said := strconv.Quote(folder) + " may have " + strconv.Itoa(around) + " bytes in all"; res.Reason != ReasonOutOfMemory || !strings.Contains(res.Message, "not of its own limit of ") || !strings.Contains(res.Message, said) ||
			!strings.Contains(res.Hint, file) || strings.Contains(res.Hint, "--memory") {
			t.Errorf("%s: %s", said, text(res))
		}
		s.Limits.Memory = 16 << 20
		if res = runBox(t, s, IO{}); res.Reason != ReasonOutOfMemory || !strings.Contains(res.Message, "(limit 16777216 bytes") || !strings.Contains(res.Hint, "--memory") {
			t.Errorf("control, its own limit: %s", text(res))
		}
	})
}
