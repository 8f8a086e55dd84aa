package jail

import (
	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/seccomp"
	"golang.org/x/sys/unix"
)

// lifeline arms two independent ends, should the supervisor be killed: the
// parent-death signal of the supervisor's thread, and a pipe of which only the
// supervisor has the other end: when that closes the kernel sends SIGIO. The
// read shows that it was not closed before both were armed.
func (b *builder) lifeline(off ablation.Set) {
	if !off.Has(ablation.DeathSignal) {
		b.call(unix.SYS_PRCTL, "prctl", "SIGKILL", num(unix.PR_SET_PDEATHSIG, "PR_SET_PDEATHSIG"), num(int(unix.SIGKILL))).wants(0)
	}
	if off.Has(ablation.Lifeline) || off.Has(ablation.PIDs) { // pid 1 would be the host's
		return
	}
	b.hold(num(1))
}

// hold arms the lifeline of the process that it is for.
func (b *builder) hold(self arg) {
	b.call(opLifeline, "rt_sigaction", "SIGIO").wants(0)
	b.call(unix.SYS_FCNTL, "fcntl", "lifeline", num(fdLifeline), num(unix.F_SETOWN, "F_SETOWN"), self).wants(0)
	b.call(unix.SYS_FCNTL, "fcntl", "lifeline", num(fdLifeline), num(unix.F_SETFL, "F_SETFL"), num(unix.O_ASYNC|unix.O_NONBLOCK, "O_ASYNC|O_NONBLOCK")).wants(0)
	b.call(unix.SYS_READ, "read", "lifeline", num(fdLifeline), num(b.room(8)), num(1)).wants(-int32(unix.EAGAIN))
}

// lockReaper leaves PID 1 with its status pipe and the calls it needs. The
// report pipe is closed last, so that a failure before it is told, and none
// after it can be.
func (b *builder) lockReaper() {
	b.call(unix.SYS_CLOSE_RANGE, "close_range", "0-3", num(0), num(fdChannel), num(0)).wants(0)
	b.call(unix.SYS_CLOSE_RANGE, "close_range", "9-", num(fdShm+1), num(^uint32(0)), num(0)).wants(0)
	if b.filter.program != nil {
		program := seccomp.Reaper()
		if b.spec.inPlace() || b.shape.late { // they end the tree before themselves
			program = seccomp.Keeper()
		}
		b.loadFilter(program)
	}
	b.call(unix.SYS_CLOSE, "close", "report", num(fdReport)).wants(0)
}
