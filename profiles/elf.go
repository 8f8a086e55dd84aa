package profiles

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"

	"golang.org/x/sys/unix"
)

// An object is what a dynamic loader reads of an ELF file; see elf(5) and
// ld.so(8).
type object struct {
	kind    uint16 // e_type
	machine uint16 // e_machine
	interp  string // the loader, or "" for a static program or a library
	needed  []string
	rpath   string // DT_RPATH, which counts only without a DT_RUNPATH
	runpath string
}

const (
	elfHeaderSize = 64
	progEntrySize = 56
	dynEntrySize  = 16
	ptLoad        = 1
	ptDynamic     = 2
	ptInterp      = 3
	etDyn         = 3
	dtNeeded      = 1
	dtStrtab      = 5
	dtRpath       = 15
	dtRunpath     = 29

	// The files are the caller's, and may be anything: what is read of one is
	// bounded.
	maxSegments = 128
	maxDynamic  = 64 << 10
	maxNeeded   = 256
	maxString   = 4096
)

var errNotELF = errors.New("not a 64-bit little-endian ELF file")

// readELF reads a program or library. It reads by hand what debug/elf could:
// importing that costs every start of jail 0.08 ms. Only 64-bit little-endian
// files are read; a box runs no others.
func readELF(path string) (object, error) {
	var o object
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return o, err
	}
	defer unix.Close(fd)
	f := elfFile(fd)
	head, err := f.bytes(0, elfHeaderSize)
	if err != nil || !bytes.HasPrefix(head, []byte("\x7fELF\x02\x01")) {
		return o, errNotELF
	}
	le := binary.LittleEndian
	o.kind, o.machine = le.Uint16(head[16:]), le.Uint16(head[18:])
	count := int(le.Uint16(head[56:]))
	if le.Uint16(head[54:]) != progEntrySize || count > maxSegments {
		return o, errNotELF
	}
	table, err := f.bytes(le.Uint64(head[32:]), count*progEntrySize)
	if err != nil {
		return o, errNotELF
	}
	var loads []segment
	var dynamic segment
	for entry := range slices.Chunk(table, progEntrySize) {
		s := segment{le.Uint64(entry[8:]), le.Uint64(entry[16:]), le.Uint64(entry[32:])}
		switch le.Uint32(entry) {
		case ptLoad:
			loads = append(loads, s)
		case ptDynamic:
			dynamic = s
		case ptInterp:
			o.interp = f.string(s.offset)
		}
	}
	o.readDynamic(f, dynamic, loads)
	return o, nil
}

// A segment is a piece of the file and the address at which it is mapped.
type segment struct{ offset, addr, size uint64 }

// readDynamic reads the list of needed libraries and where to look for them.
func (o *object) readDynamic(f elfFile, dynamic segment, loads []segment) {
	table, err := f.bytes(dynamic.offset, int(min(dynamic.size, maxDynamic))/dynEntrySize*dynEntrySize)
	if err != nil {
		return
	}
	le := binary.LittleEndian
	var strtab uint64
	for entry := range slices.Chunk(table, dynEntrySize) {
		if addr := le.Uint64(entry[8:]); le.Uint64(entry) == dtStrtab {
			for _, l := range loads {
				if addr >= l.addr && addr-l.addr < l.size {
					strtab = l.offset + addr - l.addr
				}
			}
		}
	}
	if strtab == 0 {
		return
	}
	for entry := range slices.Chunk(table, dynEntrySize) {
		at := strtab + le.Uint64(entry[8:])
		switch le.Uint64(entry) {
		case dtNeeded:
			if len(o.needed) < maxNeeded {
				o.needed = append(o.needed, f.string(at))
			}
		case dtRpath:
			o.rpath = f.string(at)
		case dtRunpath:
			o.runpath = f.string(at)
		}
	}
}

// An elfFile is the descriptor of an open file.
type elfFile int

// bytes reads exactly n bytes at an offset that the file itself named.
func (f elfFile) bytes(offset uint64, n int) ([]byte, error) {
	if offset > 1<<62 {
		return nil, errNotELF
	}
	buf := make([]byte, n)
	if got, err := unix.Pread(int(f), buf, int64(offset)); err != nil || got < n {
		return nil, errNotELF
	}
	return buf, nil
}

// string reads a string that ends with NUL, or nothing.
func (f elfFile) string(offset uint64) string {
	if offset > 1<<62 {
		return ""
	}
	buf := make([]byte, maxString)
	n, err := unix.Pread(int(f), buf, int64(offset))
	if err != nil {
		return ""
	}
	s, _, ok := bytes.Cut(buf[:n], []byte{0})
	if !ok {
		return ""
	}
	return string(s)
}
