package mcpserver

import "encoding/json"

// An idScanner finds the id of a message that is too long to be kept, or broken: the
// value of the member "id" of the line's object itself, wherever it stands. One
// further in is an argument's. It takes the line in pieces.
type idScanner struct {
	depth           int  // of objects and lists around
	quoted, escaped bool // in a string, behind its backslash
	inValue         bool // of a member of the outermost object, else in its name
	dead            bool // it is no object
	name, value     []byte
	id              json.RawMessage
}

// mostID bounds what is kept of a name or a value.
const mostID = 256

func (s *idScanner) scan(part []byte) {
	for _, c := range part {
		if s.depth == 0 && c != '{' && c > ' ' {
			s.dead = true
		}
		if s.dead {
			return
		}
		s.next(c)
	}
}

func (s *idScanner) next(c byte) {
	switch {
	case s.quoted:
		s.quoted = s.escaped || c != '"'
		s.escaped = !s.escaped && c == '\\'
	case c == '"':
		s.quoted = true
	case c == '{' || c == '[':
		s.depth++
		return
	case c == '}' || c == ']':
		if s.depth--; s.depth == 0 {
			s.member()
			s.dead = true
		}
		return
	case s.depth == 1 && c == ':':
		s.inValue = true
		return
	case s.depth == 1 && c == ',':
		s.member()
		return
	case c <= ' ':
		return
	}
	if s.depth != 1 {
		return
	}
	to := &s.name
	if s.inValue {
		to = &s.value
	}
	if len(*to) < mostID { // what is longer is no id, and no JSON any more
		*to = append(*to, c)
	}
}

// member is for the end of one.
func (s *idScanner) member() {
	var value any
	if string(s.name) == `"id"` && s.id == nil && json.Unmarshal(s.value, &value) == nil {
		switch value.(type) {
		case string, float64:
			s.id = append(s.id, s.value...)
		}
	}
	s.name, s.value, s.inValue = s.name[:0], s.value[:0], false
}

// found is the id, or nil.
func (s *idScanner) found() json.RawMessage { return s.id }

// idOf is the id of a message that can't be read, or nil.
func idOf(text []byte) json.RawMessage {
	var s idScanner
	s.scan(text)
	return s.found()
}
