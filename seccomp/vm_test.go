package seccomp

import (
	"encoding/binary"
	"os"
	"testing"

	"golang.org/x/net/bpf"
)

// data is struct seccomp_data, without the instruction pointer, which no
// filter here reads.
type data struct {
	nr, arch uint32
	args     [6]uint64
}

// interpret runs p over d. The kernel reads seccomp_data in the machine's
// order, the interpreter reads packets in network order, so each 32-bit word is
// laid out on its own: the low word of an argument first, as in memory.
func interpret(vm *bpf.VM, d data) (uint32, error) {
	var packet [64]byte
	binary.BigEndian.PutUint32(packet[offsetNr:], d.nr)
	binary.BigEndian.PutUint32(packet[offsetArch:], d.arch)
	for i, arg := range d.args {
		binary.BigEndian.PutUint32(packet[offsetArgs+8*i:], uint32(arg))
		binary.BigEndian.PutUint32(packet[offsetArgs+8*i+4:], uint32(arg>>32))
	}
	action, err := vm.Run(packet[:])
	return uint32(action), err
}

// machineFor makes an interpreter of p. bpf.NewVM refuses a program with a
// jump out of it or without a return at its end.
func machineFor(t testing.TB, p Program) *bpf.VM {
	t.Helper()
	raw := make([]bpf.RawInstruction, p.Len())
	for i := range raw {
		b := p[i*instructionSize:]
		raw[i] = bpf.RawInstruction{
			Op: binary.LittleEndian.Uint16(b), Jt: b[2], Jf: b[3], K: binary.LittleEndian.Uint32(b[4:]),
		}
	}
	program, ok := bpf.Disassemble(raw)
	if !ok {
		t.Fatalf("the filter has instructions that the interpreter does not know")
	}
	vm, err := bpf.NewVM(program)
	if err != nil {
		t.Fatalf("the filter is not a valid program: %v", err)
	}
	return vm
}

func check(t *testing.T, vm *bpf.VM, d data, want uint32) {
	t.Helper()
	got, err := interpret(vm, d)
	if err != nil {
		t.Fatalf("interpreter: %v", err)
	}
	if got != want {
		t.Errorf("filter(nr %d, arch %#x, args %#x) = %#x, want %#x", d.nr, d.arch, d.args, got, want)
	}
}

// built is one of the committed filters.
type built struct {
	goarch  string
	machine machine
	program Program
}

func builtins(t testing.TB) []built {
	t.Helper()
	filters := []built{{"amd64", amd64(), nil}, {"arm64", arm64(), nil}}
	for i := range filters {
		b, err := os.ReadFile("default_" + filters[i].goarch + ".bpf")
		if err != nil {
			t.Fatal(err)
		}
		filters[i].program = b
	}
	return filters
}
