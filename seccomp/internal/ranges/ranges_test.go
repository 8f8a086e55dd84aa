package ranges

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

func program(instructions ...unix.SockFilter) []byte {
	p, err := encode(instructions)
	if err != nil {
		panic(err)
	}
	return p
}

func load(word int) unix.SockFilter { return unix.SockFilter{Code: loadWord, K: uint32(4 * word)} }

func answer(action uint32) unix.SockFilter { return unix.SockFilter{Code: returnAction, K: action} }

func branch(code uint16, k uint32, then, otherwise uint8) unix.SockFilter {
	return unix.SockFilter{Code: code, Jt: then, Jf: otherwise, K: k}
}

// interpreter runs p. It knows nothing of diagrams.
func interpreter(t *testing.T, p []byte) *bpf.VM {
	t.Helper()
	raw := make([]bpf.RawInstruction, len(p)/unix.SizeofSockFilter)
	if _, err := binary.Decode(p, binary.LittleEndian, raw); err != nil {
		t.Fatal(err)
	}
	known, ok := bpf.Disassemble(raw)
	if !ok {
		t.Fatal("the program has instructions that the interpreter does not know")
	}
	vm, err := bpf.NewVM(known)
	if err != nil {
		t.Fatalf("%v in %v", err, known)
	}
	return vm
}

func run(t *testing.T, vm *bpf.VM, words [16]uint32) uint32 {
	t.Helper()
	var packet [64]byte
	for i, word := range words {
		binary.BigEndian.PutUint32(packet[4*i:], word)
	}
	action, err := vm.Run(packet[:])
	if err != nil {
		t.Fatal(err)
	}
	return uint32(action)
}

func rewrite(t *testing.T, p []byte) []byte {
	t.Helper()
	short, err := Rewrite(p)
	if err != nil {
		t.Fatal(err)
	}
	return short
}

// TestRewrite shows the forms that a question can take.
func TestRewrite(t *testing.T) {
	tests := map[string]struct{ long, want []byte }{
		"one answer": {
			program(load(0), branch(jumpEqual, 7, 0, 1), answer(5), answer(5)),
			program(answer(5)),
		},
		"numbers in a row": {
			program(load(0), branch(jumpEqual, 1, 3, 0), branch(jumpEqual, 0, 2, 0), branch(jumpEqual, 2, 1, 0),
				answer(6), answer(5)),
			program(load(0), branch(jumpGreater, 2, 0, 1), answer(6), answer(5)),
		},
		"a gap": {
			program(load(0), branch(jumpAtLeast, 8, 0, 1), branch(jumpGreater, 8, 0, 1), answer(5), answer(6)),
			program(load(0), branch(jumpEqual, 8, 0, 1), answer(6), answer(5)),
		},
		"bits": {
			program(load(4), unix.SockFilter{Code: and, K: 0xc00}, branch(jumpEqual, 0, 0, 1), answer(5), answer(6)),
			program(load(4), branch(jumpAnySet, 0xc00, 0, 1), answer(6), answer(5)),
		},
		"bits one by one": {
			program(load(4), branch(jumpAnySet, 0x800, 1, 0), branch(jumpAnySet, 0x400, 0, 1), answer(6), answer(5)),
			program(load(4), branch(jumpAnySet, 0xc00, 0, 1), answer(6), answer(5)),
		},
		"a word that does not matter": {
			program(load(5), unix.SockFilter{Code: and}, branch(jumpEqual, 0, 0, 2),
				load(4), branch(jumpEqual, 3, 1, 0), answer(5), answer(6)),
			program(load(4), branch(jumpEqual, 3, 0, 1), answer(6), answer(5)),
		},
		"a value cut off by the mask": {
			program(load(4), unix.SockFilter{Code: and, K: 0xff}, branch(jumpEqual, 0x100, 0, 1), answer(5), answer(6)),
			program(answer(6)),
		},
		"two numbers with one check": {
			program(load(0), branch(jumpEqual, 1, 1, 0), branch(jumpEqual, 6, 2, 4),
				load(6), branch(jumpEqual, 3, 2, 3), load(6), branch(jumpEqual, 3, 0, 1), answer(5), answer(6)),
			program(load(0), branch(jumpEqual, 6, 1, 0), branch(jumpEqual, 1, 0, 3),
				load(6), branch(jumpEqual, 3, 1, 0), answer(6), answer(5)),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := rewrite(t, tt.long); !bytes.Equal(got, tt.want) {
				t.Errorf("Rewrite(%v) =\n%v, want\n%v", instructions(tt.long), instructions(got), instructions(tt.want))
			}
		})
	}
}

func instructions(p []byte) []unix.SockFilter {
	i, err := decode(p)
	if err != nil {
		panic(err)
	}
	return i
}

// TestRewriteLong has 150 numbers with a check of their own each, so that what
// they share lies further away than a short jump reaches.
func TestRewriteLong(t *testing.T) {
	var long []unix.SockFilter
	for nr := range uint32(150) {
		long = append(long, load(0), branch(jumpEqual, 2*nr, 0, 4),
			load(4), branch(jumpEqual, 1000+3*nr, 1, 0), branch(jumpEqual, 2000+3*nr, 0, 1), answer(nr%3))
	}
	p := program(append(long, answer(7))...)
	short := rewrite(t, p)
	longJumps, returns := 0, 0
	for _, i := range instructions(short) {
		switch i.Code {
		case jump:
			longJumps++
		case returnAction:
			returns++
		}
	}
	if longJumps == 0 || returns <= 4 {
		t.Errorf("%d long jumps and %d returns: want stand-ins of both kinds", longJumps, returns)
	}
	before, after := interpreter(t, p), interpreter(t, short)
	for nr := range uint32(310) {
		for arg := 998 + nr/2*3; arg < 1004+nr/2*3; arg++ {
			for _, words := range [][16]uint32{{0: nr, 4: arg}, {0: nr, 4: arg + 1000}} {
				if got, want := run(t, after, words), run(t, before, words); got != want {
					t.Errorf("nr %d, argument %d: %d, want %d", nr, words[4], got, want)
				}
			}
		}
	}
}

func TestRewriteErrors(t *testing.T) {
	even := program(load(4), branch(jumpGreater, 0x10000, 1, 0), branch(jumpAnySet, 1, 0, 1), answer(5), answer(6))
	tests := map[string]struct {
		program []byte
		want    string
	}{
		"empty":               {nil, "program of 0 bytes"},
		"part":                {make([]byte, 9), "program of 9 bytes"},
		"too long":            {bytes.Repeat(program(answer(0)), maxLen+1), "want 1 to 4096 instructions"},
		"no end":              {program(load(0)), "instruction 1: is after the end"},
		"jump out":            {program(load(0), branch(jumpEqual, 1, 9, 0), answer(0)), "instruction 11: is after the end"},
		"long jump out":       {program(unix.SockFilter{Code: jump, K: 1 << 31}), "instruction 0: jumps over"},
		"between words":       {program(load(0), unix.SockFilter{Code: loadWord, K: 18}, answer(0)), "instruction 1: loads at 18"},
		"behind the data":     {program(load(16), answer(0)), "instruction 0: loads at 64"},
		"nothing loaded":      {program(branch(jumpEqual, 0, 0, 0), answer(0)), "instruction 0: uses the accumulator before"},
		"other arithmetic":    {program(load(0), unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_ADD}, answer(0)), "instruction 1: code 0x4"},
		"returns what it has": {program(load(0), unix.SockFilter{Code: unix.BPF_RET | unix.BPF_A}), "instruction 1: code 0x16"},
		"no ranges":           {even, "the word at 16: its values fall into more than 2000 ranges"},
	}
	for name, tt := range tests {
		got, err := Rewrite(tt.program)
		if err == nil || !strings.Contains(err.Error(), tt.want) || got != nil {
			t.Errorf("%s: Rewrite = %d bytes, %v; want an error with %q", name, len(got), err, tt.want)
		}
	}
}

// Rewrite goes by it that programs which decide alike on all inputs have one diagram.
func TestOneDiagram(t *testing.T) {
	a := program(load(0), branch(jumpEqual, 7, 0, 1), answer(5), answer(6))
	b := program(load(0), branch(jumpGreater, 6, 0, 1), branch(jumpGreater, 7, 0, 1), answer(6), answer(5))
	c := program(load(0), branch(jumpGreater, 6, 0, 1), branch(jumpGreater, 8, 0, 1), answer(6), answer(5))
	for _, tt := range []struct {
		name string
		with []byte
		want bool
	}{{"itself", a, true}, {"another form", b, true}, {"another at 8", c, false}} {
		d := newDiagram()
		first, err := d.read(a)
		second, more := d.read(tt.with)
		if err := errors.Join(err, more); err != nil || (first == second) != tt.want {
			t.Errorf("%s: diagrams %v and %v, %v, want one: %v", tt.name, first, second, err, tt.want)
		}
	}
}
