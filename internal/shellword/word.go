// Package shellword writes words for shells: what jail tells people to type goes from a
// terminal, a record or a log right into one, and paths in it may be of a program's or
// an earlier run's choice.
package shellword

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Quote is s as one word of a POSIX shell, which makes s of it and does nothing else: as
// it is where that is plain, else in single quotes. What can't be seen, or is no text,
// stands in it by its bytes, as bash, zsh and ksh read them.
func Quote(s string) string {
	switch {
	case s != "" && strings.Trim(s, plain) == "":
		return s
	case utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) < 0:
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\'' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == utf8.RuneError && size == 1 || !strconv.IsPrint(r):
			for _, c := range []byte(s[i : i+size]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String() + "'"
}

const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:@%=,"
