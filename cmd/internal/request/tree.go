package request

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// A node is one value of a JSON text as it was written: an object keeps its keys
// in order, and those that it has twice.
type node struct {
	value any // nil, bool, string, json.Number, []node or []member
}

type member struct {
	key string
	node
}

// deepest is how far values may be nested: a request needs 4.
const deepest = 16

// parse reads one JSON value and nothing behind it.
func parse(text []byte) (node, error) {
	if !utf8.Valid(text) {
		return node{}, errors.New(`must be UTF-8; other bytes are written as {"base64": "…"}`)
	}
	if loneSurrogate(text) {
		return node{}, errors.New(`must not hold half of a surrogate pair (\ud800 to \udfff alone)`)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	n, err := value(d, 0)
	if err != nil {
		return node{}, err
	}
	if _, err := d.Token(); err != io.EOF {
		return node{}, errors.New("must be one JSON value with nothing behind it")
	}
	return n, nil
}

func value(d *json.Decoder, depth int) (node, error) {
	if depth > deepest {
		return node{}, fmt.Errorf("values must not be nested more than %d deep", deepest)
	}
	t, err := d.Token()
	if err != nil {
		return node{}, err
	}
	switch t {
	case json.Delim('['):
		list := []node{}
		for d.More() {
			n, err := value(d, depth+1)
			if err != nil {
				return node{}, err
			}
			list = append(list, n)
		}
		_, err := d.Token()
		return node{value: list}, err
	case json.Delim('{'):
		members, err := object(d, depth)
		return node{value: members}, err
	}
	return node{value: t}, nil
}

func object(d *json.Decoder, depth int) ([]member, error) {
	members := []member{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		n, err := value(d, depth+1)
		if err != nil {
			return nil, err
		}
		members = append(members, member{key.(string), n})
	}
	_, err := d.Token()
	return members, err
}

// loneSurrogate finds an escaped half of a surrogate pair without the other half,
// which encoding/json would replace in silence: an argument would be another.
func loneSurrogate(text []byte) bool {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		unit, ok := escaped(text[i:])
		switch {
		case !ok: // another escape: what it escapes is no backslash of its own
			i++
		case unit < 0xd800 || unit > 0xdfff:
			i += 5
		default:
			var low uint16
			if i+6 < len(text) {
				low, _ = escaped(text[i+6:])
			}
			if unit > 0xdbff || low < 0xdc00 || low > 0xdfff {
				return true
			}
			i += 11
		}
	}
	return false
}

// escaped is the code unit of a \uXXXX at the start of text.
func escaped(text []byte) (unit uint16, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	for _, c := range text[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		unit = unit<<4 | uint16(c)
	}
	return unit, true
}

// kind names what n is, for faults.
func (n node) kind() string {
	switch n.value.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case []node:
		return "a list"
	}
	return "an object"
}

// shown is n in a fault: what is long or made of parts is only named.
func (n node) shown() string {
	const longest = 80
	switch v := n.value.(type) {
	case string:
		if len(v) <= longest {
			return v
		}
		return v[:longest] + "…"
	case json.Number:
		if len(v) <= longest {
			return string(v)
		}
	case bool:
		return fmt.Sprint(v)
	}
	return n.kind()
}
