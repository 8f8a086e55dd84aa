package jail

import (
	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// session gives the program a session of its own without a terminal, default
// signals, the box's own /dev/null and a working directory.
func (b *builder) session(off ablation.Set) {
	if !off.Has(ablation.Session) {
		b.call(unix.SYS_SETSID, "setsid", "")
	}
	b.call(opSignals, "rt_sigaction", "defaults").wants(0)
	b.call(unix.SYS_PRCTL, "prctl", "timer slack", num(unix.PR_SET_TIMERSLACK, "PR_SET_TIMERSLACK"), num(timerSlack)).wants(0)
	switch {
	case b.shape.tty:
		b.call(unix.SYS_IOCTL, "ioctl", "terminal", num(fdStdin), num(unix.TIOCSCTTY, "TIOCSCTTY"), num(0)).wants(0)
	case !b.shape.stdin && !off.Has(ablation.Stdio):
		null := b.cell("null")
		b.call(unix.SYS_OPENAT, "openat", "/dev/null", num(unix.AT_FDCWD, "AT_FDCWD"), b.str("/dev/null"), num(unix.O_RDONLY|unix.O_CLOEXEC, "O_RDONLY|O_CLOEXEC"), num(0)).keep(null)
		b.call(unix.SYS_DUP3, "dup3", "stdin", null.arg(), num(fdStdin), num(0)).wants(fdStdin)
	}
	dir := b.spec.Dir
	if dir == "" {
		dir = "/tmp"
	}
	// Not through /proc/self/fd: a descriptor of a host folder may still be
	// open, the caller's or our own (CVE-2024-21626).
	fd := b.cell("working directory")
	how := b.words(unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0, unix.RESOLVE_NO_MAGICLINKS)
	b.call(unix.SYS_OPENAT2, "openat2", dir, num(unix.AT_FDCWD, "AT_FDCWD"), b.str(dir), num(how, "{O_PATH|O_DIRECTORY|O_CLOEXEC, RESOLVE_NO_MAGICLINKS}"), num(24)).keep(fd)
	b.call(unix.SYS_FCHDIR, "chdir", dir, fd.arg()).wants(0)
}

// timerSlack is the kernel's own default, in ns (prctl(2)): jail has more.
const timerSlack = 50_000

// closeOnExec leaves the program stdin, stdout and stderr, whatever else was
// inherited by anybody (CVE-2024-21626). What is not needed any more closes
// now, or the program's own path could lead through /proc/self/fd.
func (b *builder) closeOnExec() {
	b.call(unix.SYS_CLOSE_RANGE, "close_range", "7-", num(fdTmp), num(^uint32(0)), num(0)).wants(0)
	b.call(unix.SYS_CLOSE_RANGE, "close_range", "3-", num(fdChannel), num(^uint32(0)), num(unix.CLOSE_RANGE_CLOEXEC, "CLOSE_RANGE_CLOEXEC")).wants(0)
}
