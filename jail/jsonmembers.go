package jail

import "strconv"

// These write one member of an object each. key is all that stands before its value: the
// comma or the brace, the name and the colon.

func (p *jsonPieces) text(key, s string) {
	p.put(key)
	p.quote(s)
}

// textIf leaves an empty text out.
func (p *jsonPieces) textIf(key, s string) {
	if s != "" {
		p.text(key, s)
	}
}

func (p *jsonPieces) number(key string, n int64) {
	p.put(key)
	var digits [20]byte // of the least of all
	p.put(string(strconv.AppendInt(digits[:0], n, 10)))
}

// numberIf leaves 0 out.
func (p *jsonPieces) numberIf(key string, n int64) {
	if n != 0 {
		p.number(key, n)
	}
}

func (p *jsonPieces) numberOrNull(key string, n *int64) {
	if n == nil {
		p.null(key)
		return
	}
	p.number(key, *n)
}

// fractionOrNull writes a finite number: in full, as long as that has not too many
// digits.
func (p *jsonPieces) fractionOrNull(key string, n *float64) {
	if n == nil {
		p.null(key)
		return
	}
	p.put(key)
	var digits [32]byte
	p.put(string(appendFraction(digits[:0], *n)))
}

func appendFraction(b []byte, n float64) []byte {
	if size := max(n, -n); size == 0 || size >= 1e-6 && size < 1e21 {
		return strconv.AppendFloat(b, n, 'f', -1, 64)
	}
	b = strconv.AppendFloat(b, n, 'e', -1, 64)
	if end := len(b); string(b[end-4:end-1]) == "e-0" { // strconv has two digits at least
		b = append(b[:end-2], b[end-1])
	}
	return b
}

func (p *jsonPieces) null(key string) {
	p.put(key)
	p.put("null")
}

func (p *jsonPieces) truth(key string, is bool) {
	p.put(key)
	if is {
		p.put("true")
		return
	}
	p.put("false")
}

// truthIf leaves false out.
func (p *jsonPieces) truthIf(key string, is bool) {
	if is {
		p.truth(key, is)
	}
}

// texts is null for a nil list.
func (p *jsonPieces) texts(key string, list []string) {
	if list == nil {
		p.null(key)
		return
	}
	p.put(key)
	p.put("[")
	for i, s := range list {
		p.next(i)
		p.quote(s)
	}
	p.put("]")
}

// next writes the comma before an element of a list that is not the first.
func (p *jsonPieces) next(i int) {
	if i > 0 {
		p.put(",")
	}
}

// compact writes what is valid JSON without the space between its tokens.
func (p *jsonPieces) compact(key string, value []byte) {
	p.put(key)
	quoted, from := false, 0
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case quoted && c == '\\':
			i++ // whatever that is, it ends no string
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ' ' || c == '\t' || c == '\r' || c == '\n'):
			putAll(p, value[from:i])
			from = i + 1
		}
	}
	putAll(p, value[from:])
}
