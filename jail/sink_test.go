package jail

import (
	"bytes"
	"encoding/json"
	"runtime"
	"strings"
	"testing"
)

// What is kept of a stream, for every way in which it may come in pieces.
func TestSink(t *testing.T) {
	for _, c := range []struct {
		name string
		in   string
		keep int
		ring bool
		want Output // Bytes is not a sink's business here
	}{
		{"nothing", "", 8, false, Output{}},
		{"less than the room", "abc", 8, false, Output{Text: "abc"}},
		{"exactly the room", "abcdefgh", 8, false, Output{Text: "abcdefgh"}},
		{"one more", "abcdefghi", 8, false, Output{Text: "abcdefgh", Truncated: true}},
		{"head and tail: exactly the room", "abcdefgh", 8, true, Output{Text: "abcdefgh"}},
		{"head and tail: one more", "abcdefghi", 8, true, Output{Text: "abcd", Tail: "fghi", Truncated: true}},
		{"head and tail: much more", "abcd" + strings.Repeat("x", 1000) + "1234", 8, true, Output{Text: "abcd", Tail: "1234", Truncated: true}},
		{"head and tail: exactly an odd room", "abcdefghi", 9, true, Output{Text: "abcdefghi"}},
		{"head and tail: an odd room", "abcdefghij", 9, true, Output{Text: "abcd", Tail: "fghij", Truncated: true}},
		{"head and tail: room for one", "abc", 1, true, Output{Tail: "c", Truncated: true}},
		{"a cut through a character leaves it out", "aé", 2, false, Output{Text: "a", Truncated: true}},
		{"a cut through a long character", "a\U0001F600b", 4, false, Output{Text: "a", Truncated: true}},
		{"a tail that starts in a character", "ab" + "xx" + "é1", 4, true, Output{Text: "ab", Tail: "é1"[2:], Truncated: true}},
		{"no UTF-8", "a\xff\xfe", 8, false, Output{Text: "Yf/+", Encoding: "base64"}},
		{"no UTF-8, and cut", "\xff\xfe\xfd\xfc\xfb", 4, false, Output{Text: "//79/A==", Encoding: "base64", Truncated: true}},
		{"no UTF-8 in the tail alone", "abxxxxx\xff\xfe", 4, true, Output{Text: "YWI=", Tail: "//4=", Encoding: "base64", Truncated: true}},
		{"a lone start of a character at the end is no cut", "a\xc3", 8, false, Output{Text: "YcM=", Encoding: "base64"}},
		{"NUL is UTF-8", "a\x00b", 8, false, Output{Text: "a\x00b"}},
	} {
		for _, piece := range []int{1, 2, 3, 1 << 10} {
			s := newSink(nil)
			for in := []byte(c.in); len(in) > 0; in = in[min(piece, len(in)):] {
				s.capture(in[:min(piece, len(in))], c.keep, c.ring)
			}
			if got := s.output(); got != c.want {
				t.Errorf("%s, in pieces of %d: %+v, want %+v", c.name, piece, got, c.want)
			}
		}
	}
}

// Head and tail together never hold more than the room, and lose nothing that
// fits, whatever comes.
func FuzzSink(f *testing.F) {
	f.Add([]byte("héllo, wörld"), 4, 3, true)
	f.Add([]byte("\xff\xfe"), 1, 1, false)
	f.Fuzz(func(t *testing.T, in []byte, keep, piece int, ring bool) {
		if keep < 1 || piece < 1 || keep > 1<<16 {
			return
		}
		s := newSink(nil)
		for rest := in; len(rest) > 0; rest = rest[min(piece, len(rest)):] {
			s.capture(rest[:min(piece, len(rest))], keep, ring)
		}
		if kept := len(s.head) + len(s.tail); kept > keep || kept < min(keep, len(in)) {
			t.Errorf("%d bytes kept of %d, room for %d", kept, len(in), keep)
		}
		if o := s.output(); o.Truncated != (len(in) > keep) {
			t.Errorf("truncated = %v with %d bytes and room for %d", o.Truncated, len(in), keep)
		}
	})
}

// A box must not choose how much memory its record takes: JSON spells a control
// character with six.
func TestControlCharactersDoNotSwell(t *testing.T) {
	for _, c := range []struct {
		name, text, encoding string
	}{
		{"NUL bytes", strings.Repeat("\x00", 1000), "base64"},
		{"coloured words", strings.Repeat("\x1b[31mred\x1b[0m ", 100), ""},
		{"a few NUL bytes", "a\x00b\x00", ""},
		{"tables", strings.Repeat("a\tb\r\n", 100), ""},
	} {
		s := newSink(nil)
		s.bytes = int64(len(c.text))
		s.capture([]byte(c.text), len(c.text), false)
		o := s.output()
		if record, err := json.Marshal(o); o.Encoding != c.encoding || err != nil || len(record) > 3*len(c.text)+200 {
			t.Errorf("%s: encoding %q, %d bytes of record for %d, want %q", c.name, o.Encoding, len(record), len(c.text), c.encoding)
		}
	}
}

// A large output is kept once, or, as base64 and where the middle is left out, twice.
func TestSinkKeepsOnce(t *testing.T) {
	const size, keep = 40 << 20, 48 << 20
	for _, c := range []struct {
		name  string
		piece []byte
		keep  int
		ring  bool
		most  uint64
	}{
		{"text", bytes.Repeat([]byte("x"), largeRead), keep, false, keep + 4<<20},
		{"no text", bytes.Repeat([]byte("\xff"), largeRead), keep, false, keep + size*4/3 + 4<<20},
		{"all of a ring", bytes.Repeat([]byte("x"), largeRead), keep, true, keep + keep/2 + 4<<20},
		{"without the middle", bytes.Repeat([]byte("x"), largeRead), keep / 2, true, keep + 4<<20},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s := newSink(nil)
		for range size / largeRead {
			s.capture(c.piece, c.keep, c.ring)
		}
		o := s.output()
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > c.most {
			t.Errorf("%s: %d bytes of memory for %d of %d, want no more than %d", c.name, took, len(o.Text)+len(o.Tail), size, c.most)
		}
	}
}
