package jail

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
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
			_, err := planLandlock(Spec{Require: []string{demand}, Optional: OptionalLayers}, h, nil)
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
