package jail

import (
	"os"
	"slices"
	"strconv"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// ablate gives the box what a test took a wall down for, where leaving a step
// of the plan out is not enough.
func (r *run) ablate(o *startOptions) {
	if r.off.Has(ablation.Stdio) {
		o.stdio = [3]int{0, 1, 2}
	}
	o.callersSession = r.off.Has(ablation.Session)
	if r.off.Has(ablation.EmptyEnv) {
		o.env = os.Environ()
		r.spec.Env = slices.Concat(o.env, r.spec.Env)
	}
}

// keepCaps makes every capability that PID 1 has in the box's user namespace
// one that survives execve.
func (b *builder) keepCaps() {
	all := uint64(1)<<(b.host.lastCap+1) - 1
	low, high := all&0xffffffff, all>>32
	header := b.words(unix.LINUX_CAPABILITY_VERSION_3)
	// Twice effective, permitted, inheritable, 32 bits each.
	b.call(unix.SYS_CAPSET, "capset", "all", num(header), num(b.words(low|low<<32, low|high<<32, high|high<<32))).wants(0)
	for c := range b.host.lastCap + 1 {
		b.call(unix.SYS_PRCTL, "prctl", "capability "+strconv.Itoa(c), num(unix.PR_CAP_AMBIENT, "PR_CAP_AMBIENT"), num(unix.PR_CAP_AMBIENT_RAISE, "PR_CAP_AMBIENT_RAISE"), num(c), num(0), num(0)).wants(0)
	}
}
