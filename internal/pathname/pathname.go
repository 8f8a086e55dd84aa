// Package pathname is about absolute paths as text. Nothing of it looks at a file.
package pathname

import (
	"strings"
	"unicode"
)

// Below says whether a path is a folder, or lies in it. Both are clean.
func Below(p, dir string) bool {
	dir = strings.TrimSuffix(dir, "/")
	return p == dir || len(p) > len(dir) && p[len(dir)] == '/' && p[:len(dir)] == dir
}

// Around says whether a character is one that programs put around a path in what they
// print.
func Around(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("'\"`‘’“”:,;()[]{}<>", r)
}
