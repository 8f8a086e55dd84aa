package runner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-75010da9/jail/jail"
)

// A Request is what is to be evaluated.
type Request struct {
	// Source is the body of a function (Node, Python) or a script (Sh).
	Source string
	// Input is JSON that the source finds as input (Node, Python) or on its stdin
	// (Sh). Empty is null, and for Sh an empty stdin.
	Input json.RawMessage
}

const (
	// MaxRequest is how many bytes the source and the input may have together.
	MaxRequest = 64 << 20
	// MaxDepth is how deep arrays and objects may be nested, in the input and in
	// the value. It is what every language's own reader and writer can do.
	MaxDepth = 500
	// maxScript is what fits into one argument with its space and its NUL
	// (MAX_ARG_STRLEN, execve(2)).
	maxScript = 128<<10 - 2
)

const wantRequest = `must be one JSON object {"source": TEXT, "input": any JSON}, input being optional`

// ParseRequest reads a request from its JSON, strictly. What is wrong with it comes
// back as [jail.Faults].
func ParseRequest(text []byte) (Request, error) {
	var r Request
	if !utf8.Valid(text) {
		return r, fault("request", "", "must be UTF-8")
	}
	if bytes.HasPrefix(text, []byte("\ufeff")) {
		return r, fault("request", "", "must begin without a byte order mark, which JSON has none of")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return r, fault("request", "", wantRequest+jsonError(err))
	}
	seen := map[string]bool{}
	var faults jail.Faults
	for d.More() {
		key, err := d.Token()
		var value json.RawMessage
		if err == nil {
			err = d.Decode(&value)
		}
		if err != nil {
			return r, fault("request", "", wantRequest+jsonError(err))
		}
		name := key.(string)
		if seen[name] {
			faults = append(faults, jail.Fault{Field: "request", Value: name, Want: "must not be there twice"})
		}
		seen[name] = true
		faults = append(faults, r.set(name, value)...)
	}
	if _, err := d.Token(); err != nil {
		return r, fault("request", "", wantRequest+jsonError(err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return r, fault("request", "", "must be one JSON object with nothing behind it")
	}
	if !seen["source"] {
		faults = append(faults, jail.Fault{Field: "source", Want: "must be there: " + wantRequest})
	}
	if len(faults) > 0 {
		return r, faults
	}
	return r, nil
}

func (r *Request) set(name string, value json.RawMessage) jail.Faults {
	switch name {
	case "source":
		if value[0] != '"' || json.Unmarshal(value, &r.Source) != nil {
			return fault("source", shortened(string(value)), "must be a string")
		}
		if want := WantText(value); want != "" {
			return fault("source", "", want)
		}
	case "input":
		r.Input = value
	default:
		return fault("request", shortened(name), "must not have this field; there are source and input")
	}
	return nil
}

// Check finds what is wrong with a request before anything exists: nil, or
// [jail.Faults].
func (r Request) Check(l Language) error {
	var faults jail.Faults
	bad := func(field, want string) { faults = append(faults, fault(field, "", want)...) }
	switch {
	case len(r.Source)+len(r.Input) > MaxRequest:
		bad("request", fmt.Sprintf("must have at most %d bytes of source and input together, and has %d", MaxRequest, len(r.Source)+len(r.Input)))
		return faults
	case !utf8.ValidString(r.Source):
		bad("source", "must be UTF-8")
	case strings.IndexByte(r.Source, 0) >= 0:
		bad("source", "must not hold a NUL character")
	case l == Sh && len(r.Source) > maxScript:
		bad("source", fmt.Sprintf("must be at most %d bytes for the shell, and has %d", maxScript, len(r.Source)))
	}
	switch {
	case len(r.Input) == 0:
	case !utf8.Valid(r.Input):
		bad("input", "must be UTF-8")
	case tooDeep(r.Input):
		bad("input", fmt.Sprintf("must not be nested deeper than %d levels", MaxDepth))
	case !json.Valid(r.Input):
		bad("input", "must be one JSON document"+jsonError(json.Unmarshal(r.Input, new(any))))
	}
	if len(faults) > 0 {
		return faults
	}
	return nil
}

// reader is what the runner finds on the box's stdin.
func (r Request) reader(l Language, token string, limit int64) (io.Reader, error) {
	if l == Sh {
		if len(r.Input) == 0 {
			return nil, nil
		}
		return io.MultiReader(bytes.NewReader(r.Input), strings.NewReader("\n")), nil
	}
	head, err := json.Marshal(EngineRequest{Token: token, Limit: limit, Source: l.source(r)})
	if err != nil {
		return nil, err
	}
	input := r.Input
	if len(input) == 0 {
		input = json.RawMessage("null")
	}
	head = append(head[:len(head)-1], `,"input":`...)
	return io.MultiReader(bytes.NewReader(head), bytes.NewReader(input), strings.NewReader("}")), nil
}

func fault(field, value, want string) jail.Faults {
	return jail.Faults{{Field: field, Value: value, Want: want}}
}

func jsonError(err error) string {
	if err == nil {
		return ""
	}
	return ": " + err.Error()
}

func shortened(s string) string { return most(s, 40) }

// WantText is what a string of a JSON text, or a list of them, must be to be taken as
// text, or "" if it is. encoding/json would put U+FFFD in the place of what is none, and
// another source would run than the one that was sent.
func WantText(value json.RawMessage) string {
	switch {
	case !utf8.Valid(value):
		return "must be UTF-8"
	case loneSurrogate(value):
		return "must be text, without halves of surrogate pairs"
	}
	return ""
}

// loneSurrogate says whether a JSON text has half of a surrogate pair in it, which
// no UTF-8 can hold.
func loneSurrogate(text []byte) bool {
	high := false // the escape before was the first half of a pair
	for i := 0; i < len(text); i++ {
		unit := uint64(0)
		if text[i] == '\\' {
			i++
			if text[i] == 'u' {
				unit, _ = strconv.ParseUint(string(text[i+1:i+5]), 16, 32)
				i += 4
			}
		}
		second := unit >= 0xdc00 && unit < 0xe000
		if second != high {
			return true
		}
		high = unit >= 0xd800 && unit < 0xdc00
	}
	return high
}

// tooDeep says whether arrays and objects are nested deeper than MaxDepth.
func tooDeep(text []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			if depth++; depth > MaxDepth {
				return true
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return false
}
