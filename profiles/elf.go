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
	soname  bool // it has a DT_SONAME
	pie     bool // it says that it is a program, by DF_1_PIE
	read    int  // bytes that were read to know
}

// isLibrary tells libraries from programs, which are ET_DYN as well when they
// are position-independent: these have a loader, or say so. A C library that
// can be started has a loader, too, but a name of its own.
func (o object) isLibrary() bool {
	return o.kind == etDyn && !o.pie && (o.interp == "" || o.soname)
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
	dtSoname      = 14
	dtRpath       = 15
	dtRunpath     = 29
	dtFlags1      = 0x6ffffffb
	flag1PIE      = 0x08000000 // DF_1_PIE

	// The files are the caller's, and may be anything: what is read of one is
	// bounded.
	maxSegments = 128
	maxDynamic  = 64 << 10
	maxNeeded   = 256
	maxString   = 4096
	shortString = 256 // most are not longer, and not worth more reading
)

var errNotELF = errors.New("not a 64-bit little-endian ELF file")

// readELF reads a program or library. It reads by hand what debug/elf could:
// importing that costs every start of jail 0.08 ms. Only 64-bit little-endian
// files are read; a box runs no others.
func readELF(path string) (o object, err error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return o, err
	}
	defer unix.Close(fd)
	f := &elfFile{fd: fd}
	defer func() { o.read = f.read }()
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
func (o *object) readDynamic(f *elfFile, dynamic segment, loads []segment) {
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
		value := le.Uint64(entry[8:])
		at := strtab + value
		switch le.Uint64(entry) {
		case dtNeeded:
			if len(o.needed) < maxNeeded {
				o.needed = append(o.needed, f.string(at))
			}
		case dtRpath:
			o.rpath = f.string(at)
		case dtRunpath:
			o.runpath = f.string(at)
		case dtSoname:
			o.soname = true
		case dtFlags1:
			o.pie = value&flag1PIE != 0
		}
	}
}

// An elfFile is an open file, and how much of it was read.
type elfFile struct{ fd, read int }

// bytes reads exactly n bytes at an offset that the file itself named.
func (f *elfFile) bytes(offset uint64, n int) ([]byte, error) {
	if buf := f.upTo(offset, n); len(buf) == n {
		return buf, nil
	}
	return nil, errNotELF
}

// upTo reads n bytes, or what there is of them.
func (f *elfFile) upTo(offset uint64, n int) []byte {
	if offset > 1<<62 {
		return nil
	}
	buf := make([]byte, n)
	got, err := unix.Pread(f.fd, buf, int64(offset))
	if err != nil {
		return nil
	}
	f.read += got
	return buf[:got]
}

// string reads a string that ends with NUL, or nothing.
func (f *elfFile) string(offset uint64) string {
	for _, n := range [...]int{shortString, maxString} {
		if s, _, ok := bytes.Cut(f.upTo(offset, n), []byte{0}); ok {
			return string(s)
		}
	}
	return ""
}
