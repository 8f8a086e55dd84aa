//go:build cgo

package main

import (
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-75010da9/jail/seccomp/internal/ranges"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Words of struct seccomp_data: the number, the architecture, two of the
// instruction pointer, and two of each argument, the low one first.
type data [16]uint32

const wordNr, wordArch, wordArgs = 0, 1, 4

// TestBuild runs what libseccomp made and what is committed side by side in an
// interpreter, which has nothing in common with the proof in package ranges.
// The values tried are those that either program compares with, their
// neighbours, and garbage, in every word of an argument.
func TestBuild(t *testing.T) {
	for _, target := range targets() {
		t.Run(target.goarch, func(t *testing.T) {
			long, err := compile(target)
			if err != nil {
				t.Fatal(err)
			}
			short, err := ranges.Rewrite(long)
			if err != nil {
				t.Fatal(err)
			}
			if len(short) >= len(long)/2 {
				t.Errorf("rewritten from %d bytes to %d, want less than half", len(long), len(short))
			}
			c := comparison{t: t, long: interpreter(t, long), short: interpreter(t, short)}
			values := turns(t, long, short)
			c.numbers(values)
			c.arguments(values)
		})
	}
}

type comparison struct {
	t           *testing.T
	long, short *bpf.VM
}

// at compares the answers to d and returns libseccomp's.
func (c comparison) at(d data) int {
	c.t.Helper()
	var packet [64]byte
	for i, word := range d {
		binary.BigEndian.PutUint32(packet[4*i:], word) // as the interpreter loads it
	}
	want, err := c.long.Run(packet[:])
	if err != nil {
		c.t.Fatal(err)
	}
	got, err := c.short.Run(packet[:])
	if err != nil {
		c.t.Fatal(err)
	}
	if got != want {
		c.t.Errorf("the rewritten filter answers %#x to %#x, libseccomp's %#x", uint32(got), d, uint32(want))
	}
	return want
}

var arches = []uint32{
	unix.AUDIT_ARCH_X86_64, unix.AUDIT_ARCH_AARCH64, unix.AUDIT_ARCH_I386, unix.AUDIT_ARCH_ARM,
	unix.AUDIT_ARCH_RISCV64, 0, ^uint32(0),
}

// numbers tries every architecture with every number to 1023, x32's among them,
// and with every value.
func (c comparison) numbers(values []uint32) {
	numbers := slices.Clone(values)
	for nr := range uint32(1024) {
		numbers = append(numbers, nr, nr|0x40000000)
	}
	for _, arch := range arches {
		for _, nr := range numbers {
			c.at(data{wordNr: nr, wordArch: arch})
			c.at(filled(nr, arch, func() uint32 { return ^uint32(0) }))
		}
	}
}

// arguments tries each number with random values in all words, and where that
// changes the answer, every value in each low word beside random others.
func (c comparison) arguments(values []uint32) {
	random := rand.New(rand.NewPCG(7, 8))
	whatever := func() uint32 { return values[random.IntN(len(values))] }
	small := func() uint32 { return values[random.IntN(20)] }
	for _, arch := range arches[:2] {
		for nr := range uint32(480) {
			answers := make(map[int]bool)
			for range 50 {
				answers[c.at(filled(nr, arch, whatever))] = true
				answers[c.at(filled(nr, arch, small))] = true
			}
			if len(answers) > 1 {
				c.sweep(nr, arch, values, small, whatever)
			}
		}
	}
}

func (c comparison) sweep(nr, arch uint32, values []uint32, beside ...func() uint32) {
	for _, fill := range beside {
		for arg := range 6 {
			for _, v := range values {
				d := filled(nr, arch, fill)
				d[wordArgs+2*arg] = v
				c.at(d)
				d[wordArgs+2*arg+1] = 0
				c.at(d)
			}
		}
	}
}

func filled(nr, arch uint32, value func() uint32) data {
	d := data{wordNr: nr, wordArch: arch}
	for i := wordArgs; i < len(d); i++ {
		d[i] = value()
	}
	return d
}

// turns is every constant of the programs and the values beside it, in order,
// so that the first are small.
func turns(t *testing.T, programs ...[]byte) []uint32 {
	values := make(map[uint32]bool)
	for _, p := range programs {
		for _, i := range instructions(t, p) {
			for _, v := range []uint32{i.K - 1, i.K, i.K + 1} {
				values[v] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(values))
}

func interpreter(t *testing.T, p []byte) *bpf.VM {
	t.Helper()
	program, ok := bpf.Disassemble(instructions(t, p))
	if !ok {
		t.Fatal("the filter has instructions that the interpreter does not know")
	}
	vm, err := bpf.NewVM(program)
	if err != nil {
		t.Fatal(err)
	}
	return vm
}

func instructions(t *testing.T, p []byte) []bpf.RawInstruction {
	t.Helper()
	raw := make([]bpf.RawInstruction, len(p)/unix.SizeofSockFilter)
	if _, err := binary.Decode(p, binary.LittleEndian, raw); err != nil {
		t.Fatal(err)
	}
	return raw
}
