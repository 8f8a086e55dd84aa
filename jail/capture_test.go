package jail

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestCaptureKeepsHeadAndTail compares what is kept with the plain statement of
// it: all of what fits, else the first half and the newest other half.
func TestCaptureKeepsHeadAndTail(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, keep := range []int{1, 2, 3, 8, 9, 64} {
		for range 500 {
			s := newSink(nil)
			var all []byte
			var pieces []int
			for range random.IntN(6) {
				piece := make([]byte, random.IntN(2*keep))
				for i := range piece {
					piece[i] = 'a' + byte((len(all)+i)%26)
				}
				all, pieces = append(all, piece...), append(pieces, len(piece))
				s.capture(piece, keep, true)
			}
			head, tail, cut := all, []byte(nil), false
			if len(all) > keep {
				head, tail, cut = all[:keep/2], all[len(all)-(keep-keep/2):], true
			}
			got := s.output()
			if got.Text != string(head) || got.Tail != string(tail) || got.Truncated != cut {
				t.Fatalf("keep %d, pieces %v: %q … %q, cut %v; want %q … %q, %v", keep, pieces, got.Text, got.Tail, got.Truncated, head, tail, cut)
			}
		}
	}
}

// BenchmarkCapture is what output past its cap costs: all of it goes by here.
func BenchmarkCapture(b *testing.B) {
	piece := bytes.Repeat([]byte("x"), largeRead)
	for _, keep := range []int{64 << 10, 1 << 20} {
		b.Run(fmt.Sprint(keep), func(b *testing.B) {
			b.SetBytes(largeRead)
			s := newSink(nil)
			for b.Loop() {
				s.capture(piece, keep, true)
			}
		})
	}
}
