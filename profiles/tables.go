package profiles

import (
	"slices"
	"strings"
)

// isTable says whether a path names a table that a profile may have.
func isTable(path []string) bool {
	key := strings.Join(path, ".")
	if slices.ContainsFunc(mapFields, func(m mapField) bool { return m.key == key }) {
		return true
	}
	return slices.ContainsFunc(fields, func(f field) bool { return strings.HasPrefix(f.key, key+".") })
}

// accepted lists the keys that are accepted where path stands.
func accepted(path []string) string {
	for up := len(path) - 1; up > 0; up-- {
		if isTable(path[:up]) {
			return "accepted in [" + dotted(path[:up]) + "]: " + strings.Join(keysIn(dotted(path[:up])+"."), ", ")
		}
	}
	return "accepted: " + strings.Join(keysIn(""), ", ")
}

// keysIn is the keys and tables directly below a prefix, in the order of the
// list of fields.
func keysIn(prefix string) []string {
	var keys []string
	add := func(key string) {
		rest, ok := strings.CutPrefix(key, prefix)
		if !ok {
			return
		}
		name, _, table := strings.Cut(rest, ".")
		if table {
			name = "[" + prefix + name + "]"
		}
		if !slices.Contains(keys, name) {
			keys = append(keys, name)
		}
	}
	for _, f := range fields {
		add(f.key)
	}
	for _, m := range mapFields {
		if strings.HasPrefix(m.key, prefix) {
			add(m.key + ".")
		}
	}
	return keys
}

// checkTables reports headers of tables that no profile has, which hold no key
// that would be reported by itself.
func (d *document) checkTables() {
	for _, t := range d.tables {
		if !isTable(t.path) && !slices.ContainsFunc(d.entries, func(e entry) bool {
			return len(e.path) > len(t.path) && slices.Equal(e.path[:len(t.path)], t.path)
		}) {
			d.fault(t.line, t.path, "["+dotted(t.path)+"]", "no such table; "+accepted(t.path))
		}
	}
}
