package jail

import (
	"io"
	"unicode/utf8"
)

// RecordPiece is the most bytes that [Result.WriteJSON] writes at once: as many as an
// empty pipe takes (pipe(7)).
const RecordPiece = 64 << 10

// shortRecord is room for nearly every record.
const shortRecord = 4 << 10

// jsonPieces writes JSON to w a piece at a time. After an error it writes nothing more.
type jsonPieces struct {
	w       io.Writer
	piece   []byte // what has not been written yet
	written int64
	err     error
}

// put writes s as it is.
func (p *jsonPieces) put(s string) { putAll(p, s) }

func putAll[T string | []byte](p *jsonPieces, s T) {
	for len(s) > cap(p.piece)-len(p.piece) {
		if cap(p.piece) < RecordPiece {
			p.piece = append(make([]byte, 0, RecordPiece), p.piece...)
			continue
		}
		room := cap(p.piece) - len(p.piece)
		p.piece = append(p.piece, s[:room]...)
		s = s[room:]
		p.flush()
	}
	p.piece = append(p.piece, s...)
}

func (p *jsonPieces) flush() {
	if p.err == nil {
		var n int
		n, p.err = p.w.Write(p.piece)
		p.written += int64(n)
	}
	p.piece = p.piece[:0]
}

// quote writes s as encoding/json does where it does not escape for HTML: what is no
// UTF-8 becomes U+FFFD, and the two separators that JavaScript took for ends of lines
// are escaped.
func (p *jsonPieces) quote(s string) {
	p.put(`"`)
	from := 0 // where that begins which stays as it is
	for i := 0; i < len(s); {
		if isPlain(s[i]) {
			i++
			continue
		}
		escaped, size := escape(s[i:])
		if escaped != "" {
			p.put(s[from:i])
			p.put(escaped)
			from = i + size
		}
		i += size
	}
	p.put(s[from:])
	p.put(`"`)
}

// isPlain says that a byte stands for itself in JSON.
func isPlain(b byte) bool { return b >= ' ' && b != '"' && b != '\\' && b < utf8.RuneSelf }

// controls are the control characters' escapes, six bytes each.
const controls = "" +
	`\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007` +
	`\u0008\u0009\u000a\u000b\u000c\u000d\u000e\u000f` +
	`\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017` +
	`\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f`

// escape is what stands in the place of the first character of s, or "" if that does
// itself, and its size.
func escape(s string) (escaped string, size int) {
	switch s[0] {
	case '"':
		return `\"`, 1
	case '\\':
		return `\\`, 1
	case '\b':
		return `\b`, 1
	case '\f':
		return `\f`, 1
	case '\n':
		return `\n`, 1
	case '\r':
		return `\r`, 1
	case '\t':
		return `\t`, 1
	}
	if s[0] < ' ' {
		return controls[6*s[0]:][:6], 1
	}
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && size == 1:
		return `\ufffd`, 1
	case r == '\u2028':
		return `\u2028`, size
	case r == '\u2029':
		return `\u2029`, size
	}
	return "", size
}
