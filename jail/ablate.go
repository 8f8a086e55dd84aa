package jail

import (
	"os"
	"slices"

	"github.com/seed-75010da9/jail/internal/ablation"
)

// ablate gives the box what a test took a wall down for, where leaving a step
// of the plan out is not enough.
func (r *run) ablate(o *startOptions) {
	if r.off.Has(ablation.Stdio) {
		o.stdio = [3]int{0, 1, 2}
	}
	if r.off.Has(ablation.EmptyEnv) {
		o.env = os.Environ()
		r.spec.Env = slices.Concat(o.env, r.spec.Env)
	}
	if r.off.Has(ablation.Caps) {
		o.caps = nil
		for c := range r.host.lastCap + 1 {
			o.caps = append(o.caps, uintptr(c))
		}
	}
}
