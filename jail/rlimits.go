package jail

import (
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// coreLimit is RLIMIT_CORE: 1 byte. 0 keeps core files from being written but
// a core_pattern that is a pipe would still start its helper on the host, as
// host root, with a core of the box's making as input; 1 is the value at which
// the kernel starts neither (core(5), fs/coredump.c). The filter keeps the
// program from changing it.
const coreLimit = 1

const (
	stackSoft = 8 << 20
	stackHard = 64 << 20
	memlock   = 64 << 10
	// sigpending is how many signals may be queued; each timer takes one.
	sigpending = 1024
)

type rlimit struct {
	resource   int
	soft, hard uint64
}

// rlimits are the per-process backstops. RLIMIT_AS is never set: it kills V8
// and WebAssembly, which reserve address space without using it.
func (b *builder) rlimits() {
	l := b.spec.Limits
	cpu := uint64((l.CPUTime + 2*time.Second - 1) / time.Second) // rounded up, and one for the supervisor to be first
	for _, r := range append([]rlimit{
		{unix.RLIMIT_NOFILE, uint64(l.NoFile), uint64(l.NoFile)},
		{unix.RLIMIT_FSIZE, uint64(l.FileSize), uint64(l.FileSize)},
		{unix.RLIMIT_CORE, coreLimit, coreLimit},
		{unix.RLIMIT_STACK, stackSoft, stackHard},
		{unix.RLIMIT_MEMLOCK, memlock, memlock},
		{unix.RLIMIT_CPU, cpu, cpu + 1},
		// The kernel counts these two per uid, and an ordinary caller's box has
		// the caller's.
		{unix.RLIMIT_SIGPENDING, sigpending, sigpending},
		{unix.RLIMIT_MSGQUEUE, 0, 0},
	}, b.backstops()...) {
		hard := min(r.hard, b.host.hard[r.resource])
		soft := min(r.soft, hard)
		b.call(unix.SYS_PRLIMIT64, "prlimit64", rlimitNames[r.resource], num(0), num(r.resource, rlimitNames[r.resource]),
			num(b.words(soft, hard), "{"+strconv.FormatUint(soft, 10)+", "+strconv.FormatUint(hard, 10)+"}"), num(0)).wants(0)
	}
}
