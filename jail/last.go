package jail

import (
	"encoding/binary"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// PID 1's last words, written to the status pipe when the program has ended:
// its raw wait status, and how full the box's tmpfs are at that moment.

const (
	statfsSize = 120 // struct statfs on 64-bit Linux
	lastSize   = 8 + 2*statfsSize
)

// witness keeps descriptors of /tmp and /dev/shm for PID 1.
func (b *builder) witness() {
	for _, w := range []struct {
		path string
		fd   int
	}{{"/tmp", fdTmp}, {"/dev/shm", fdShm}} {
		c := b.cell(w.path)
		b.call(unix.SYS_OPENAT, "openat", w.path, num(unix.AT_FDCWD, "AT_FDCWD"), b.str(w.path), num(unix.O_PATH|unix.O_CLOEXEC, "O_PATH|O_CLOEXEC"), num(0)).keep(c)
		b.call(unix.SYS_DUP3, "dup3", w.path, c.arg(), num(w.fd), num(unix.O_CLOEXEC, "O_CLOEXEC")).wants(int32(w.fd))
		b.call(unix.SYS_CLOSE, "close", w.path, c.arg()).wants(0)
	}
}

func (b *builder) final(off ablation.Set) {
	for i, fd := range []int{fdTmp, fdShm} {
		// Without a new root (in a test) there is nothing to look at.
		b.call(unix.SYS_FSTATFS, "fstatfs", "tmpfs", num(fd), num(b.last+8+uint64(i)*statfsSize))
	}
	b.call(unix.SYS_WRITE, "write", "status", num(fdStatus), num(b.last), num(lastSize)).wants(lastSize)
	// In a pid namespace that is not the box's own everybody else is the host.
	if b.shape.late && !off.Has(ablation.PIDs) {
		b.call(opEmpty, "wait4", "everybody else").wants(0)
		b.call(unix.SYS_WRITE, "write", "empty", num(fdStatus), num(b.last), num(1)).wants(1)
	}
}

// last is the parsed form.
type last struct {
	status unix.WaitStatus
	full   bool // a tmpfs of the box had no block or no inode left
}

func parseLast(b []byte) (last, bool) {
	if len(b) != lastSize {
		return last{}, false
	}
	le := binary.LittleEndian
	l := last{status: unix.WaitStatus(le.Uint32(b))}
	for i := range 2 {
		st := b[8+i*statfsSize:]
		blocks, bavail, files, ffree := le.Uint64(st[16:]), le.Uint64(st[32:]), le.Uint64(st[40:]), le.Uint64(st[48:])
		l.full = l.full || blocks > 0 && bavail == 0 || files > 0 && ffree == 0
	}
	return l, true
}
