package cgroups

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestV2StepAsideRefusesOthers(t *testing.T) {
	self := strconv.Itoa(os.Getpid())
	// A process of another PID namespace shows as 0.
	for _, procs := range []string{self + "\n1\n", "0\n", "1\n"} {
		d := fake(t, map[string]string{"cgroup.procs": procs})
		err := new(Parent).stepAside(d)
		var e *Error
		if !errors.As(err, &e) || e.Remedy == "" || !errors.Is(err, unix.EBUSY) {
			t.Errorf("stepAside() beside %q = %v, want a refusal with a remedy", procs, err)
		}
		if got := left([]string{filepath.Join(d.path, supervisorLeaf)}); len(got) > 0 {
			t.Errorf("stepAside() beside %q left %v", procs, got)
		}
	}
}

// TestV2Ours: this process's children are moved with it, and nobody else.
func TestV2Ours(t *testing.T) {
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer child.Wait()
	defer child.Process.Kill()
	procs := fmt.Sprintf("%d\n%d\n", os.Getpid(), child.Process.Pid)
	d := fake(t, map[string]string{"cgroup.procs": procs})
	if got, err := d.ours(); err != nil || !slices.Equal(got, strings.Fields(procs)) {
		t.Errorf("ours() = %v, %v, want %v", got, err, strings.Fields(procs))
	}
	for stat, want := range map[string]string{
		"7 (a) S 12 1 1":     "12",
		"7 (a) b) S) R 13 1": "13",
		"7 (a":               "",
		"":                   "",
	} {
		if got := parentIn(stat); got != want {
			t.Errorf("parentIn(%q) = %q, want %q", stat, got, want)
		}
	}
}
