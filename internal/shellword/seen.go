package shellword

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Hidden says whether a character is one that nobody sees, or that changes what is seen
// around it: control and format characters (escape sequences of terminals, bidirectional
// marks, zero-width ones, tags), separators of lines, variation selectors, private ones,
// what is to be ignored (Other_Default_Ignorable_Code_Point, unassigned ones among them)
// or is no character, and blanks that are letters, marks or symbols by their category (the
// fillers of Hangul and Khitan, the empty pattern of Braille, the head of a null note).
func Hidden(r rune) bool {
	switch r {
	case 0x17b4, 0x17b5, 0x2028, 0x2029, 0x2800, 0x16fe4, 0x1d159:
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point) || r >= 0xe0000
}

// Seen says whether a character is seen as what it is: not [Hidden], known to Unicode, and
// no space but the plain one.
func Seen(r rune) bool { return strconv.IsPrint(r) && !Hidden(r) }

// unseen says whether there is something in a text that is not.
func unseen(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !Seen(r) }) >= 0
}

// Text is s in double quotes, as Go and JSON read it, with what can't be seen by its
// number: for what people read and don't type.
func Text(s string) string {
	quoted := strconv.Quote(s) // which takes some of what is hidden for letters
	if !unseen(quoted) {
		return quoted
	}
	var b strings.Builder
	for _, r := range quoted {
		switch {
		case Seen(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// TOML is a basic string of TOML's that is s, which is valid UTF-8. What can't be seen
// stands in it by its number: who reads a profile is to see what it grants.
func TOML(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case Seen(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	return `"` + b.String() + `"`
}

// Line makes a message safe to print on one line of a terminal, and in a comment: in the
// place of each character that can't be seen stands one that says so. The spaces of other
// scripts stay.
func Line(s string) string {
	return strings.Map(func(r rune) rune {
		if Seen(r) || unicode.Is(unicode.Zs, r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}
