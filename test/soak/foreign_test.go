package soak

import (
	"encoding/binary"
	"runtime"
)

// foreignName is a program that makes a system call of another architecture.
const foreignName = "foreign"

// foreignCall is a whole static ELF program for x86-64 that calls getpid(2) by the
// number of the x32 table, and then exits with 0. Other machines have no such
// second table; there it is empty, and nothing runs it.
func foreignCall() []byte {
	if runtime.GOARCH != "amd64" {
		return nil
	}
	code := []byte{
		0xb8, 39, 0, 0, 0x40, // mov eax, 39 with x32's bit: getpid
		0x0f, 0x05, // syscall
		0xb8, 60, 0, 0, 0, // mov eax, 60: exit
		0x31, 0xff, // xor edi, edi
		0x0f, 0x05, // syscall
	}
	const base, headers = 0x400000, 64 + 56
	le := binary.LittleEndian
	elf := []byte{0x7f, 'E', 'L', 'F', 2, 1, 1, 15: 0}
	for _, half := range []uint16{2, 62} { // ET_EXEC, EM_X86_64
		elf = le.AppendUint16(elf, half)
	}
	elf = le.AppendUint32(elf, 1)
	for _, word := range []uint64{base + headers, 64, 0} { // entry, program headers, sections
		elf = le.AppendUint64(elf, word)
	}
	elf = le.AppendUint32(elf, 0)
	for _, half := range []uint16{64, 56, 1, 0, 0, 0} {
		elf = le.AppendUint16(elf, half)
	}
	elf = le.AppendUint32(elf, 1) // PT_LOAD
	elf = le.AppendUint32(elf, 5) // readable, executable
	size := uint64(headers + len(code))
	for _, word := range []uint64{0, base, base, size, size, 0x1000} {
		elf = le.AppendUint64(elf, word)
	}
	return append(elf, code...)
}
