package engine

import (
	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

// pageSize is that of WebAssembly.
const pageSize = 64 << 10

// A memoryCap gives modules their memories, and no more than so much of it. The
// engine's own way would hold two copies of a memory while it grows, and so would need
// twice the cap.
type memoryCap struct {
	left    uint64
	spare   uint64 // what is left besides, for after the first refusal
	refused int    // requests to grow past the cap

	tooLittle bool // one of the refused was for what a memory begins with
}

const (
	// spareForErrors is what QuickJS gets once it has been refused memory: to make an
	// error of that, and an answer of the error, takes some.
	spareForErrors = 1 << 20
	// asksOf is how many requests its malloc makes before it fails, wasi-libc's dlmalloc
	// (sys_alloc).
	asksOf = 2
)

// keepSpare takes that from what there is.
func (c *memoryCap) keepSpare() {
	c.spare = min(spareForErrors, c.left/8)
	c.left -= c.spare
}

// spent says whether more was refused than what the spare was for.
func (c *memoryCap) spent() bool { return c.refused > asksOf }

func (c *memoryCap) Allocate(_, most uint64) experimental.LinearMemory {
	return &linear{cap: c, most: most}
}

// A linear is one memory: addresses are reserved for all that it may become, so that
// it never moves, and become memory as it grows.
type linear struct {
	cap  *memoryCap
	most uint64
	all  []byte
	size uint64

	begun bool // it has what it begins with
}

// Reallocate returns nil where there is no more to be had: memory.grow is -1 then.
func (m *linear) Reallocate(size uint64) []byte {
	if m.all == nil {
		// What can't be got anyway needs no addresses, which for 4 GiB a limit on
		// those might refuse.
		m.most = min(m.most, max(size, m.cap.left+m.cap.spare))
		all, err := unix.Mmap(-1, 0, int(max(m.most, pageSize)), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
		if err != nil {
			return m.refuse()
		}
		m.all = all
	}
	if size > m.size {
		more := size - m.size
		if size > m.most || more > m.cap.left || unix.Mprotect(m.all[:size], unix.PROT_READ|unix.PROT_WRITE) != nil {
			return m.refuse()
		}
		m.cap.left -= more
		m.size = size
	}
	m.begun = true
	return m.all[:size:size]
}

func (m *linear) refuse() []byte {
	if m.cap.refused++; m.cap.refused == asksOf {
		m.cap.left += m.cap.spare
		m.cap.spare = 0
	}
	m.cap.tooLittle = m.cap.tooLittle || !m.begun
	return nil
}

func (m *linear) Free() {
	if m.all != nil {
		unix.Munmap(m.all)
		m.cap.left += m.size
		m.all, m.size = nil, 0
	}
}
