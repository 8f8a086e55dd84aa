package learn

import (
	"path"
	"strings"
)

// passing says whether a name looks like one that the next run is not going to use:
// a temporary one, the number of a process, a hash.
func passing(name string) bool {
	base := strings.TrimSuffix(name, path.Ext(name))
	lower := strings.ToLower(base)
	for _, prefix := range []string{"tmp", "temp", ".tmp", ".#"} {
		if rest, ok := strings.CutPrefix(lower, prefix); ok && strings.ContainsAny(rest, "0123456789") {
			return true
		}
	}
	if strings.HasSuffix(name, ".tmp") || strings.HasSuffix(name, ".swp") || strings.HasSuffix(name, "~") {
		return true
	}
	for _, part := range strings.FieldsFunc(base, func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == ',' }) {
		if random(part) {
			return true
		}
	}
	return false
}

// random says whether a word looks as if nobody had thought of it.
func random(word string) bool {
	digits, uppers, lowers, hex := 0, 0, 0, 0
	for _, r := range word {
		switch {
		case r >= '0' && r <= '9':
			digits++
			hex++
		case r >= 'A' && r <= 'Z':
			uppers++
		case r >= 'a' && r <= 'z':
			lowers++
		}
		if r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F' {
			hex++
		}
	}
	n := len(word)
	switch {
	case n >= 8 && hex == n && digits > 0 && digits < n: // a hash
		return true
	case n >= 5 && digits == n: // a process, a time
		return !date(word)
	case n >= 6 && digits > 0 && uppers > 0 && lowers > 0: // mkstemp(3)
		return true
	}
	return false
}

// date says whether digits are a day, as people write it: 20240131.
func date(word string) bool {
	return len(word) == 8 && (strings.HasPrefix(word, "19") || strings.HasPrefix(word, "20")) && word[4:6] >= "01" && word[4:6] <= "12" && word[6:] <= "31"
}

// packs are folders that are installed as a whole: what is used of one is not
// listed file by file.
var packs = []string{"node_modules", "site-packages", "dist-packages", ".git", "vendor", ".venv", "venv", "__pycache__", "target", "build", "dist", ".cache"}
