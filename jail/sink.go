package jail

import (
	"encoding/base64"
	"io"
	"os"
	"unicode/utf8"
	"unsafe"
)

// A sink is where one output stream of the program goes.
type sink struct {
	w     io.Writer // nil: captured
	file  *os.File  // w, where splice(2) may move pages to
	head  []byte
	tail  []byte // what came last, past the head; a ring from at on
	at    int
	bytes int64
	cut   bool
	last  []byte // the end of what was passed on, of stderr (remember)
}

func newSink(w io.Writer) *sink {
	s := &sink{w: w}
	s.file, _ = w.(*os.File)
	return s
}

// capture keeps b: the first half of what may be kept as head, then the newest
// as tail. keep is the room for both.
func (s *sink) capture(b []byte, keep int, ring bool) {
	room := keep - len(s.head)
	if ring {
		room = keep/2 - len(s.head)
	}
	n := min(len(b), max(room, 0))
	s.head = append(withRoom(s.head, n, keep), b[:n]...)
	b = b[n:]
	if len(b) == 0 {
		return
	}
	if !ring {
		s.cut = true
		return
	}
	limit := keep - keep/2
	s.cut = s.cut || len(s.tail)+len(b) > limit
	if len(b) >= limit {
		s.tail, s.at = append(s.tail[:0], b[len(b)-limit:]...), 0
		return
	}
	n = min(len(b), limit-len(s.tail))
	s.tail, b = append(withRoom(s.tail, n, limit), b[:n]...), b[n:]
	for len(b) > 0 { // twice at most: up to the ring's end, and from its start
		n = copy(s.tail[s.at:], b)
		s.at, b = (s.at+n)%limit, b[n:]
	}
}

const (
	reserveFrom = 1 << 20
	reserveStep = 64 << 20
)

// withRoom is b with room for n bytes more, of most that it may become. What is large gets
// the room for all of it at once, where that is not out of all proportion: the pages that
// nothing is written to cost nothing, while a slice that grows by and by leaves behind
// several times what it holds.
func withRoom(b []byte, n, most int) []byte {
	if len(b)+n <= cap(b) || len(b)+n < reserveFrom {
		return b
	}
	room := max(len(b)+n, min(most, max(reserveStep, 2*cap(b))))
	return append(make([]byte, 0, room), b...)
}

// textOf is b as a string, without a copy: nothing may change these bytes any more. What
// comes behind them, should the copying go on, does not.
func textOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// base64Of is textOf in base64.
func base64Of(b []byte) string {
	out := make([]byte, base64.StdEncoding.EncodedLen(len(b)))
	base64.StdEncoding.Encode(out, b)
	return textOf(out)
}

// output is the stream as the record shows it.
func (s *sink) output() Output {
	o := Output{Bytes: s.bytes, Truncated: s.cut}
	var tail []byte // a copy: the ring may be written on
	if s.cut {
		tail = append(append(make([]byte, 0, len(s.tail)), s.tail[s.at:]...), s.tail[:s.at]...)
	} else {
		s.head = append(s.head, s.tail...) // which has not gone round
	}
	if !swells(s.head) && !swells(tail) && utf8.Valid(s.head) && utf8.Valid(tail) {
		o.Text, o.Tail = textOf(s.head), textOf(tail)
		return o
	}
	if s.cut && !swells(s.head) && !swells(tail) && utf8.Valid(trimRune(s.head)) && utf8.Valid(trimStart(tail)) {
		// Only the cut went through a character.
		o.Text, o.Tail = textOf(trimRune(s.head)), textOf(trimStart(tail))
		return o
	}
	o.Encoding = "base64"
	o.Text, o.Tail = base64Of(s.head), base64Of(tail)
	return o
}

// swells says that b is UTF-8 in name only: mostly control characters, each of
// which JSON spells with six. A box would choose how much memory its record
// takes.
func swells(b []byte) bool {
	n := 0
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			n++
		}
	}
	return n > len(b)*2/5+16 // coloured text has far fewer
}

// trimRune takes an incomplete character off the end of b.
func trimRune(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i >= len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return b[:i]
			}
			break
		}
	}
	return b
}

// trimStart takes the rest of a character off the start of b.
func trimStart(b []byte) []byte {
	for i := 0; i < len(b) && i < utf8.UTFMax; i++ {
		if utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	return b
}
