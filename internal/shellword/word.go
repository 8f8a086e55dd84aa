// Package shellword writes words for shells and for people: what jail tells them to type
// goes from a terminal, a record or a log right into a shell, and paths in it, or in what
// they read, may be of a program's or an earlier run's choice.
package shellword

import (
	"fmt"
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
	case utf8.ValidString(s) && !unseen(s):
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\'' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == utf8.RuneError && size == 1 || !Seen(r):
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
