package jail

import (
	"os"
	"slices"
	"strconv"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// initEnv is PID 1's environment, which is empty, and the program's besides,
// which is not that of PID 1: unless a test took the wall down that keeps the
// caller's out of both.
func (r *run) initEnv() []string {
	if !r.off.Has(ablation.EmptyEnv) {
		return nil
	}
	env := os.Environ()
	r.spec.Env = slices.Concat(env, r.spec.Env)
	return env
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
