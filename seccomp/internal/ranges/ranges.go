// Package ranges rewrites a system-call filter as a search over ranges of
// values with one answer. When a filter is attached the kernel checks,
// translates and compiles all of it, and then walks it once per system-call
// number, so every start of a box pays for its length and depth. A list or a
// tree of single numbers, as compilers of filters make it, is four times as
// long.
//
// What a filter computes is a function from the 512 bits of struct seccomp_data
// to an action. read.go makes that function explicit, as a decision diagram
// whose nodes ask for one bit each (diagram.go). A function has one such
// diagram only, which gives two things for nothing: calls with the same check
// share its instructions, and whether two filters decide alike, on every input
// that there is, is a comparison of two integers. spans.go reads the ranges off
// the diagram, and write.go makes instructions of them.
//
// Nothing of it is in the program that starts boxes.
package ranges

import (
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// maxLen is the largest number of instructions that the kernel takes in one
// filter (BPF_MAXINSNS).
const maxLen = 4096

// Rewrite returns a program that decides as program does, on all inputs. Both
// are arrays of struct sock_filter in little-endian order. It reads its own
// result again and fails unless that is the same function.
//
// It fails on programs that do what no filter here needs: arithmetic other than
// AND with a constant, registers beside the accumulator, scratch memory.
func Rewrite(program []byte) ([]byte, error) {
	d := newDiagram()
	function, err := d.read(program)
	if err != nil {
		return nil, fmt.Errorf("ranges: %w", err)
	}
	short, err := d.write(function)
	if err != nil {
		return nil, fmt.Errorf("ranges: %w", err)
	}
	again, err := d.read(short)
	if err != nil {
		return nil, fmt.Errorf("ranges: the program written: %w", err)
	}
	if again != function {
		return nil, errors.New("ranges: the program written decides otherwise than the one read")
	}
	return short, nil
}

// The operations that a filter here may have.
const (
	loadWord     = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	and          = unix.BPF_ALU | unix.BPF_AND | unix.BPF_K
	jump         = unix.BPF_JMP | unix.BPF_JA
	jumpEqual    = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	jumpGreater  = unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K
	jumpAtLeast  = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	jumpAnySet   = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
	returnAction = unix.BPF_RET | unix.BPF_K
)

func decode(program []byte) ([]unix.SockFilter, error) {
	const size = unix.SizeofSockFilter
	if len(program) == 0 || len(program)%size != 0 || len(program)/size > maxLen {
		return nil, fmt.Errorf("program of %d bytes: want 1 to %d instructions of %d bytes", len(program), maxLen, size)
	}
	instructions := make([]unix.SockFilter, len(program)/size)
	_, err := binary.Decode(program, binary.LittleEndian, instructions)
	return instructions, err
}

func encode(instructions []unix.SockFilter) ([]byte, error) {
	if len(instructions) > maxLen {
		return nil, fmt.Errorf("the program written has %d instructions, the kernel takes %d", len(instructions), maxLen)
	}
	return binary.Append(nil, binary.LittleEndian, instructions)
}
