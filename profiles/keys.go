package profiles

import (
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/seed-75010da9/jail/internal/shellword"
)

// keyPath is a table's or key's path, and where in the text it starts.
func keyPath(n *unstable.Node) (path []string, offset int) {
	for it := n.Key(); it.Next(); {
		if path == nil {
			offset = int(it.Node().Raw.Offset)
		}
		path = append(path, string(it.Node().Data))
	}
	return path, offset
}

// pathKey makes one map key of a path. TOML allows every character in a quoted
// key but not NUL unescaped; an escaped one only makes a false duplicate.
func pathKey(path []string) string { return strings.Join(path, "\x00") }

// dotted is a path as one writes it: parts that are not bare are quoted.
func dotted(path []string) string {
	parts := make([]string, len(path))
	for i, p := range path {
		parts[i] = p
		if p == "" || strings.Trim(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
			parts[i] = fmt.Sprintf("%q", p)
		}
	}
	return strings.Join(parts, ".")
}

// shorten keeps messages to a line: the value is in the file to be read.
func shorten(s string) string {
	const most = 80
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[:i] + "…"
	}
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// shown is a path or name of the program's choice, as a word of a shell's. One that no
// program comes with in earnest is cut.
func shown(s string) string {
	const longest = 400
	if len(s) > longest {
		s = strings.ToValidUTF8(s[:longest], "") + "…"
	}
	return shellword.Quote(s)
}
