package jail

import (
	"encoding/binary"
	"slices"

	"golang.org/x/sys/unix"
)

// In a box that is made ahead of need everything is done but execve(2): its
// process waits, behind all the walls, for one message that says which program it
// is to become. The message is a block of memory whose addresses are final, like
// the plan's, so that nothing in the box has to take it apart.

const (
	lateBase  = 0x20000000 // where the block is read to
	lateRoom  = 128 << 10  // well within the kernel's default net.core.wmem_max
	latePaths = 8          // how many places a program may be looked for at

	// The block starts with 32-bit addresses: of argv, of envp and of the paths.
	lateArgv  = lateBase
	lateEnvp  = lateBase + 4
	latePath  = lateBase + 8
	lateStart = 4 * (2 + latePaths)
)

// makeLateRoom maps where the block goes. The filter, which a caller may make
// stricter, does not stand yet.
func (b *builder) makeLateRoom() {
	b.call(unix.SYS_MMAP, "mmap", "command", num(lateBase), num(lateRoom), num(unix.PROT_READ|unix.PROT_WRITE, "PROT_READ|PROT_WRITE"),
		num(unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_FIXED_NOREPLACE, "MAP_PRIVATE|MAP_ANONYMOUS|MAP_FIXED_NOREPLACE"), num(^uint32(0)), num(0)).wants(lateBase)
}

// command waits for the block.
func (b *builder) command() {
	b.call(unix.SYS_READ, "read", "command", num(fdChannel), num(lateBase), num(lateRoom))
}

// execLate becomes the program that the block names. An unused path is empty, for
// which execve answers ENOENT, and stands before those in use: the last one says
// why there is no program.
func (b *builder) execLate() {
	argv, envp := cell{lateArgv, "argv"}, cell{lateEnvp, "envp"}
	for i := range latePaths {
		s := b.call(unix.SYS_EXECVE, "execve", "", cell{latePath + 4*uint64(i), "path"}.arg(), argv.arg(), envp.arg())
		s.wants(-int32(unix.ENOENT))
		if i == latePaths-1 {
			s.wants(0)
		}
	}
}

// lateBlock is the message for the program of spec, or false if that is too large
// for one.
func lateBlock(spec Spec) ([]byte, bool) {
	paths := execCandidates(spec)
	if len(paths) > latePaths {
		return nil, false
	}
	for len(paths) < latePaths {
		paths = slices.Insert(paths, 0, "")
	}
	size := lateStart + 8*(len(spec.Args)+len(spec.Env)+2) // and the strings
	for _, list := range [][]string{spec.Args, spec.Env, paths} {
		for _, s := range list {
			size += len(s) + 1
		}
	}
	if size > lateRoom {
		return nil, false
	}
	le := binary.LittleEndian
	b := make([]byte, size)
	at, text := lateStart, lateStart+8*(len(spec.Args)+len(spec.Env)+2)
	put := func(s string) uint32 {
		from := text
		text += copy(b[text:], s) + 1
		return lateBase + uint32(from)
	}
	for i, list := range [][]string{spec.Args, spec.Env} {
		le.PutUint32(b[4*i:], lateBase+uint32(at))
		for _, s := range list {
			le.PutUint64(b[at:], uint64(put(s)))
			at += 8
		}
		at += 8 // NULL
	}
	for i, path := range paths {
		le.PutUint32(b[4*(2+i):], put(path))
	}
	return b, true
}

// named puts the program that the box is going to run in its place: in the record,
// and in what failing to start it is reported as.
func (r *run) named(spec Spec) {
	r.spec = spec
	r.plan.spec.Args, r.plan.spec.Env = spec.Args, spec.Env
	paths := execCandidates(spec)
	target := r.plan.lists[listTarget]
	for i := range latePaths {
		target[len(target)-latePaths+i].Operand = paths[max(0, i-(latePaths-len(paths)))]
	}
}
