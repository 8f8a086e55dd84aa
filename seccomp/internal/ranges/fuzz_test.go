package ranges

import (
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// FuzzRewrite makes a program of bytes and runs it and its rewritten form in
// the interpreter, on values at which it turns.
func FuzzRewrite(f *testing.F) {
	random := rand.New(rand.NewPCG(9, 10))
	for range 200 {
		seed := make([]byte, 4*(4+random.IntN(12)))
		for i := range seed {
			seed[i] = byte(random.Uint32())
		}
		f.Add(seed, random.Uint64())
	}
	f.Fuzz(func(t *testing.T, b []byte, seed uint64) {
		p := programOf(b)
		short, err := Rewrite(p)
		if err != nil {
			if strings.Contains(err.Error(), "ranges: the program written") {
				t.Fatal(err)
			}
			return
		}
		before, after := interpreter(t, p), interpreter(t, short)
		random := rand.New(rand.NewPCG(seed, 0))
		for range 50 {
			var words [16]uint32
			for i := range words {
				words[i] = constants[random.IntN(len(constants))] + uint32(random.IntN(3)) - 1
			}
			if got, want := run(t, after, words), run(t, before, words); got != want {
				t.Fatalf("%#x: %d, want %d, from\n%v, rewritten from\n%v",
					words, got, want, instructions(short), instructions(p))
			}
		}
	})
}

var constants = []uint32{0, 1, 2, 3, 7, 8, 0xf, 0x10, 0xff, 0x400, 0xc00, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff}

// programOf reads instructions of 4 bytes: an operation, a constant and two
// jumps, cut so that they stay inside. A load comes first and a return last.
func programOf(b []byte) []byte {
	operations := []uint16{loadWord, loadWord, and, jump, jumpEqual, jumpEqual, jumpGreater, jumpAtLeast, jumpAnySet, returnAction}
	b = b[:min(len(b), 4*24)]
	instructions := []unix.SockFilter{load(0)}
	for ; len(b) >= 4; b = b[4:] {
		left := len(b)/4 - 1
		i := unix.SockFilter{Code: operations[int(b[0])%len(operations)], K: constants[int(b[1])%len(constants)]}
		switch {
		case i.Code == loadWord:
			i.K = uint32(4 * (b[1] % 6))
		case i.Code == jump:
			i.K = uint32(int(b[2]) % (left + 1))
		case i.Code == returnAction:
			i.K = uint32(b[2] % 4)
		case i.Code&7 == unix.BPF_JMP:
			i.Jt, i.Jf = uint8(int(b[2])%(left+1)), uint8(int(b[3])%(left+1))
		}
		instructions = append(instructions, i)
	}
	return program(append(instructions, answer(4))...)
}
