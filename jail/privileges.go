package jail

import (
	"strconv"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// dropCaps empties every set. The bounding set and the securebits can only be
// changed while CAP_SETPCAP is there, so capset comes last (capabilities(7)).
func (b *builder) dropCaps() {
	b.dropBounding()
	b.clearCaps()
}

func (b *builder) dropBounding() {
	for c := range b.host.lastCap + 1 {
		b.call(unix.SYS_PRCTL, "prctl", "capability "+strconv.Itoa(c), num(unix.PR_CAPBSET_DROP, "PR_CAPBSET_DROP"), num(c)).wants(0)
	}
	b.call(unix.SYS_PRCTL, "prctl", "securebits", num(unix.PR_SET_SECUREBITS, "PR_SET_SECUREBITS"), num(lockedSecurebits)).wants(0)
}

func (b *builder) clearCaps() {
	b.call(unix.SYS_PRCTL, "prctl", "ambient set", num(unix.PR_CAP_AMBIENT, "PR_CAP_AMBIENT"), num(unix.PR_CAP_AMBIENT_CLEAR_ALL, "PR_CAP_AMBIENT_CLEAR_ALL")).wants(0)
	header := b.words(unix.LINUX_CAPABILITY_VERSION_3) // version, pid 0
	b.call(unix.SYS_CAPSET, "capset", "none", num(header), num(b.words(0, 0, 0), "{0,0,0}")).wants(0)
}

// lockedSecurebits: uid 0 gets nothing for being 0, and every bit is locked.
// NOROOT, NO_SETUID_FIXUP and NO_CAP_AMBIENT_RAISE with their locks, and the
// lock of KEEP_CAPS (capabilities(7)).
const lockedSecurebits = 0x1 | 0x2 | 0x4 | 0x8 | 0x20 | 0x40 | 0x80

func (b *builder) noNewPrivs(off ablation.Set) {
	if !off.Has(ablation.NoNewPrivs) {
		b.call(unix.SYS_PRCTL, "prctl", "no_new_privs", num(unix.PR_SET_NO_NEW_PRIVS, "PR_SET_NO_NEW_PRIVS"), num(1)).wants(0)
	}
	// PID 1 is nobody's to read or trace: its /proc entry belongs to host root
	// from here on (proc(5), "dumpable").
	dumpable := 0
	if off.Has(ablation.Undumpable) {
		dumpable = 1 // set, because a change of ids has cleared it
	}
	b.call(unix.SYS_PRCTL, "prctl", "undumpable", num(unix.PR_SET_DUMPABLE, "PR_SET_DUMPABLE"), num(dumpable)).wants(0)
}
