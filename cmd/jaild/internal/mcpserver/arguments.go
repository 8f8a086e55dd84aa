package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/runner"
)

// An argument is one that a tool takes.
type argument struct {
	name   string
	needed bool
	want   string                     // "": it is any JSON, which the runner checks
	set    func(json.RawMessage) bool // false: it is not what is wanted
}

const fixed = "limits, profiles, grants and the rest of the box are fixed by whoever started this server"

// decode reads a call's arguments, strictly: an argument that there is none of is
// refused, since it may be one that was meant to weaken the box.
func decode(text json.RawMessage, tool string, takes []argument) (faults jail.Faults) {
	fault := func(field, value, want string) {
		faults = append(faults, jail.Fault{Field: field, Value: value, Want: want})
	}
	names := make([]string, len(takes))
	for i, a := range takes {
		names[i] = a.name
	}
	accepted := tool + " takes " + strings.Join(names, ", ")
	seen := map[string]bool{}
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); len(text) > 0 && (err != nil || t != json.Delim('{')) {
		fault("arguments", brief(text), "must be an object: "+accepted)
		return faults
	}
	for len(faults) < mostFaults && d.More() {
		key, err := d.Token()
		var value json.RawMessage
		if err == nil {
			err = d.Decode(&value)
		}
		name, _ := key.(string)
		if err != nil {
			fault("arguments", "", "must be JSON: "+err.Error())
			return faults
		}
		i := slices.Index(names, name)
		switch {
		case i < 0:
			fault(brief([]byte(name)), brief(value), "there is no such argument: "+accepted+"; "+fixed)
		case seen[name]:
			fault(name, brief(value), "must be there once")
		case takes[i].want != "" && runner.WantText(value) != "":
			fault(name, "", runner.WantText(value))
		case !takes[i].set(value):
			fault(name, brief(value), takes[i].want)
		}
		seen[name] = true
	}
	for _, a := range takes {
		if a.needed && !seen[a.name] {
			fault(a.name, "", "must be there: "+a.want)
		}
	}
	return faults
}

// mostFaults bounds what a call of nothing but faults is answered.
const mostFaults = 20

// brief is the beginning of a value.
func brief(b []byte) string {
	const most = 60
	if len(b) > most {
		return strings.ToValidUTF8(string(b[:most]), "") + "…"
	}
	return string(b)
}

// text sets a string.
func text(to *string) func(json.RawMessage) bool {
	return func(v json.RawMessage) bool { return v[0] == '"' && json.Unmarshal(v, to) == nil }
}

// words sets a list of strings that a program can be started with.
func words(to *[]string) func(json.RawMessage) bool {
	return func(v json.RawMessage) bool {
		var list []any
		if json.Unmarshal(v, &list) != nil {
			return false
		}
		for _, x := range list {
			s, ok := x.(string)
			if !ok || strings.IndexByte(s, 0) >= 0 {
				return false
			}
			*to = append(*to, s)
		}
		return len(*to) > 0 && (*to)[0] != ""
	}
}

// whole sets a number of bytes.
func whole(to *int64, least int64) func(json.RawMessage) bool {
	return func(v json.RawMessage) bool { return json.Unmarshal(v, to) == nil && v[0] != 'n' && *to >= least }
}

// choice sets one of a few words.
func choice[T ~string](to *T, of []T) func(json.RawMessage) bool {
	return func(v json.RawMessage) bool {
		return v[0] == '"' && json.Unmarshal(v, to) == nil && slices.Contains(of, *to)
	}
}

func oneOf[T ~string](of []T) string { return fmt.Sprintf("must be one of %q", of) }
