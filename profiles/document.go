package profiles

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/seed-75010da9/jail/jail"
)

// A document is one profile's text as a flat list of settings. Tables, dotted
// keys and inline tables all come to the same: a path, a value, a line.
//
// The list is made from the syntax tree and not by decoding into a struct,
// because a decoder stops at the first value of a wrong type, and whoever
// writes a policy should see all that is wrong with it.
type document struct {
	name    string
	text    []byte
	entries []entry
	tables  []entry // headers: path and line
	faults  jail.Faults
	lines   []int // of the faults
	seen    map[string]place
	keys    int // keys and headers so far
	mark    struct{ offset, newlines int }
}

// An entry is one key and its value.
type entry struct {
	path []string
	line int
	v    value
}

// A place remembers where, and how, a key or table was first written.
type place struct {
	line int
	kind placeKind
}

type placeKind int

const (
	leafPlace   placeKind = iota // key = value, inline tables too
	headerPlace                  // [table]
	dottedPlace                  // the "a" of a.b = value: may be added to in dotted form only
	parentPlace                  // the "a" of [a.b]: may still get a header of its own
)

const (
	// maxKeys bounds how many keys and headers a profile may hold.
	maxKeys = 1024
	// maxKeyDepth bounds how many parts a key may have; no profile uses more
	// than four.
	maxKeyDepth = 8
)

// parseDocument reads TOML text. Syntax errors end it, everything else is
// collected in faults.
func parseDocument(name string, text []byte) *document {
	d := &document{name: name, text: text, seen: map[string]place{}}
	var p unstable.Parser
	p.Reset(text)
	var table []string
	skip := false
	for p.NextExpression() {
		e := p.Expression()
		path, offset := keyPath(e)
		line := d.line(offset)
		if d.keys++; d.keys > maxKeys {
			d.fault(line, path, "", fmt.Sprintf("at most %d keys and tables", maxKeys))
			return d
		}
		if len(path) > maxKeyDepth {
			d.tooDeep(line, path)
			skip = skip || e.Kind != unstable.KeyValue
			continue
		}
		switch e.Kind {
		case unstable.Table:
			table = path
			skip = !d.openTable(path, line)
		case unstable.ArrayTable:
			d.fault(line, path, "[["+dotted(path)+"]]", "no lists of tables; a table is written [name]")
			skip = true
		case unstable.KeyValue:
			if !skip {
				d.add(&p, e, table, line)
			}
		}
	}
	d.syntaxFault(p.Error())
	return d
}

func (d *document) syntaxFault(err error) {
	if err == nil {
		return
	}
	line, near := 1+bytes.Count(d.text, []byte{'\n'}), ""
	var pe *unstable.ParserError
	if errors.As(err, &pe) {
		// A highlight is a piece of the text: what both can grow to tells
		// where it starts.
		if off := cap(d.text) - cap(pe.Highlight); off >= 0 && off <= len(d.text) {
			line = d.line(off)
		}
		near = string(pe.Highlight)
	}
	d.fault(line, nil, near, "TOML; this is not: "+err.Error())
}

// openTable notes a [table] header. A table has one header, and none when it
// was already written in dotted or inline form.
func (d *document) openTable(path []string, line int) bool {
	key := pathKey(path)
	if old, ok := d.seen[key]; ok && old.kind != parentPlace {
		d.fault(line, path, "["+dotted(path)+"]", fmt.Sprintf("each table once; this one is already on line %d", old.line))
		return false
	}
	for i := 1; i < len(path); i++ {
		up := pathKey(path[:i])
		if old, ok := d.seen[up]; !ok {
			d.seen[up] = place{line, parentPlace}
		} else if old.kind == leafPlace || old.kind == dottedPlace {
			d.fault(line, path, "["+dotted(path)+"]", fmt.Sprintf("each key once; %s is already set on line %d", dotted(path[:i]), old.line))
			return false
		}
	}
	d.seen[key] = place{line, headerPlace}
	d.tables = append(d.tables, entry{path: path, line: line})
	return true
}

// tooDeep reports a key of more parts than any profile has.
func (d *document) tooDeep(line int, path []string) {
	d.fault(line, path[:1], "", fmt.Sprintf("a key of at most %d parts; this one has %d", maxKeyDepth, len(path)))
}

// add notes a key and its value, and what is in it when it is an inline table.
func (d *document) add(p *unstable.Parser, kv *unstable.Node, table []string, line int) {
	key, _ := keyPath(kv)
	path := append(append([]string{}, table...), key...)
	if len(path) > maxKeyDepth {
		d.tooDeep(line, path)
		return
	}
	shown := newValue(p, kv.Value()).text
	for i := len(table) + 1; i < len(path); i++ {
		up := pathKey(path[:i])
		if old, ok := d.seen[up]; !ok {
			d.seen[up] = place{line, dottedPlace}
		} else if old.kind != dottedPlace {
			d.fault(line, path, shown, fmt.Sprintf("each key once; %s is already set on line %d", dotted(path[:i]), old.line))
			return
		}
	}
	if old, ok := d.seen[pathKey(path)]; ok {
		d.fault(line, path, shown, fmt.Sprintf("each key once; this one is already set on line %d", old.line))
		return
	}
	if v := kv.Value(); v.Kind == unstable.InlineTable {
		d.addInline(p, v, path, line)
		return
	}
	d.seen[pathKey(path)] = place{line, leafPlace}
	d.entries = append(d.entries, entry{path, line, newValue(p, kv.Value())})
}

// addInline notes what is in an inline table and closes it: nothing may be
// added to it elsewhere.
func (d *document) addInline(p *unstable.Parser, v *unstable.Node, path []string, line int) {
	empty := true
	for it := v.Children(); it.Next(); {
		child := it.Node()
		if child.Kind != unstable.KeyValue {
			continue
		}
		empty = false
		if d.keys++; d.keys > maxKeys {
			d.fault(line, path, "", fmt.Sprintf("at most %d keys and tables", maxKeys))
			return
		}
		_, offset := keyPath(child)
		d.add(p, child, path, d.line(offset))
	}
	d.seen[pathKey(path)] = place{line, leafPlace}
	if empty {
		d.entries = append(d.entries, entry{path, line, value{kind: unstable.InlineTable, text: "{}"}})
	}
}

// fault notes that something on a line is not acceptable.
func (d *document) fault(line int, path []string, value, want string) {
	field := fmt.Sprintf("%s:%d", d.name, line)
	if len(path) > 0 {
		field += ": " + dotted(path)
	}
	i, _ := slices.BinarySearch(d.lines, line+1) // in the order of the text
	d.lines = slices.Insert(d.lines, i, line)
	d.faults = slices.Insert(d.faults, i, jail.Fault{Field: field, Value: shorten(value), Want: want})
}

// line is the number of the line that holds the byte at offset, from 1. It
// counts on from the last one that was asked for.
func (d *document) line(offset int) int {
	if offset < d.mark.offset {
		d.mark.offset, d.mark.newlines = 0, 0
	}
	d.mark.newlines += bytes.Count(d.text[d.mark.offset:offset], []byte{'\n'})
	d.mark.offset = offset
	return 1 + d.mark.newlines
}
