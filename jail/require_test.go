package jail

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/cgroups"
	"golang.org/x/sys/unix"
)

// TestRequireOnKernels: a demand on Landlock is a refusal on every kernel that
// the guests have and that is below it, whatever else is optional, and it asks
// for nothing on the others. ABI 0 is 5.10, or Landlock not switched on at boot.
func TestRequireOnKernels(t *testing.T) {
	for _, abi := range []int{0, 2, 6, 7, 11} {
		h := ordinary()
		h.landlockABI = abi
		for _, least := range []int{1, 2, 3, 6, 7, 11, 12} {
			demand := fmt.Sprintf("landlock>=%d", least)
			err := Spec{Require: []string{demand}, Optional: OptionalLayers}.require(h)
			if abi >= least {
				if err != nil {
					t.Errorf("%s with ABI %d: %v", demand, abi, err)
				}
				continue
			}
			var setup *SetupError
			if !errors.As(err, &setup) || setup.Layer != LayerLandlock || setup.Operand != demand ||
				!strings.Contains(err.Error(), fmt.Sprintf("ABI %d", abi)) || setup.Remedy == "" {
				t.Errorf("%s with ABI %d: %v, want a refusal that names both and a remedy", demand, abi, err)
			}
		}
	}
}

// TestRequireRefuses: the refusal is a run's, and nothing is left of it.
func TestRequireRefuses(t *testing.T) {
	s := shell("true")
	s.Require = []string{"landlock>=1", "landlock>=4096"}
	res, err := Run(context.Background(), s)
	if err == nil || res.Reason != ReasonSetupRefused || res.Refusal == nil || res.Refusal.Layer != LayerLandlock || !res.TreeEmpty {
		t.Errorf("landlock>=4096: %v, %s", err, text(res))
	}
}

// TestRequireBelow: the other demands are met by what is as much or more, number
// by number, and refused with what the host has.
func TestRequireBelow(t *testing.T) {
	for _, tt := range []struct {
		demand  string
		refused string // what the host has, or "": it is enough
	}{
		{"kernel>=5.14", ""}, {"kernel>=6.9", ""}, {"kernel>=6.12", ""},
		{"kernel>=6.13", "Linux 6.12"}, {"kernel>=6.120", "Linux 6.12"}, {"kernel>=7.0", "Linux 6.12"},
		{"cgroup>=1", ""}, {"cgroup>=2", "version 1"},
	} {
		h := ordinary()
		h.kernel = [2]int{6, 12}
		spec := Spec{Require: []string{tt.demand}, Optional: OptionalLayers}
		err := errors.Join(spec.require(h), spec.requireGroup(1))
		var setup *SetupError
		switch {
		case tt.refused == "":
			if err != nil {
				t.Errorf("%s: %v", tt.demand, err)
			}
		case !errors.As(err, &setup) || setup.Stage != StageProbe || setup.Operand != tt.demand || setup.Remedy == "" ||
			!strings.Contains(err.Error(), tt.refused):
			t.Errorf("%s: %v, want a refusal that says %q and a remedy", tt.demand, err, tt.refused)
		}
		if err := spec.requireGroup(2); err != nil {
			t.Errorf("%s, with version 2: %v", tt.demand, err)
		}
	}
}

// TestRootlessRequireGroup: whoever is given no group is told of the version all the
// same, and not how to get a group that would not do either.
func TestRootlessRequireGroup(t *testing.T) {
	s := shell("true")
	s.Require, s.CgroupParent = []string{"cgroup>=2"}, "no/such/group"
	_, err := cgroups.Find(s.CgroupParent)
	var e *cgroups.Error
	if !errors.As(err, &e) || e.Version == 0 {
		t.Fatalf("Find: %+v, want an error with the version", err)
	}
	for _, s.Tier = range []Tier{Tier1, Tier2} {
		res, err := Run(context.Background(), s)
		if err == nil || res.Reason != ReasonSetupRefused {
			t.Fatalf("tier %d: %v, %s", s.Tier, err, text(res))
		}
		if told := strings.Contains(res.Message, "version 1") && strings.Contains(res.Hint, "boot with"); told != (e.Version == cgroups.V1) {
			t.Errorf("tier %d, version %d: %s (%s)", s.Tier, e.Version, res.Message, res.Hint)
		}
	}
}

func TestRelease(t *testing.T) {
	for text, want := range map[string][2]int{
		"6.12.117+deb12-cloud-amd64": {6, 12}, "5.10.0-46": {5, 10}, "7.3": {7, 3}, "6.1-rc3": {6, 1}, "10": {10, 0}, "": {},
	} {
		var u unix.Utsname
		copy(u.Release[:], text)
		if got := release(u); got != want {
			t.Errorf("release(%q) = %v, want %v", text, got, want)
		}
	}
}

// TestRequireGroup: whoever demands a group does not go without, whatever else
// they allow.
func TestRequireGroup(t *testing.T) {
	s := shell("true")
	s.Require, s.Optional, s.CgroupParent = []string{"cgroup>=1"}, []LayerName{LayerCgroup}, "no/such/group"
	for _, s.Tier = range []Tier{Tier1, Tier2} {
		res, err := Run(context.Background(), s)
		if err == nil || res.Reason != ReasonSetupRefused || res.Refusal == nil || res.Refusal.Layer != LayerCgroup ||
			!strings.Contains(res.Hint, "do not require cgroup>=1") || strings.Contains(res.Hint, "--optional cgroup") {
			t.Errorf("tier %d: %v, %s", s.Tier, err, text(res))
		}
	}
}
