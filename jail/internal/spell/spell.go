// Package spell writes a system call as people read it: socket(AF_INET,
// SOCK_STREAM). It knows the arguments of the calls that boxes are refused.
package spell

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// Memory reads what a call's pointers lead to: as much of b as there is.
type Memory func(address uint64, b []byte) int

// Call is the call with that name or, if it has none, number. What its arguments
// hold was chosen by whoever made the call; of the text nothing can steer a
// terminal, and it is bounded.
func Call(name string, nr int32, args [6]uint64, memory Memory) string {
	if name == "" {
		return "system call " + strconv.Itoa(int(nr))
	}
	for i := range calls {
		if calls[i].name != name {
			continue
		}
		kinds := strings.Fields(calls[i].args)
		words := make([]string, 0, len(kinds))
		for i, k := range kinds {
			if text := argument(k, args[i], args, memory); text != "" {
				words = append(words, text)
			}
		}
		return name + "(" + strings.Join(words, ", ") + ")"
	}
	return name + "(…)"
}

// argument is one argument of a kind, or "" for one that says nothing.
func argument(kind string, v uint64, args [6]uint64, memory Memory) string {
	low := uint32(v)
	switch kind {
	case "-": // in its place, and of no interest
		return ""
	case "…":
		return "…"
	case "int", "pid":
		return strconv.Itoa(int(int32(low)))
	case "fd":
		if int32(low) == unix.AT_FDCWD {
			return "AT_FDCWD"
		}
		return "fd" // which one changes from call to call
	case "hex":
		return fmt.Sprintf("%#x", low)
	case "size":
		return strconv.FormatUint(v, 10)
	case "mode":
		return octal(low & 0o7777)
	case "node":
		return nodeMode(low & 0xffff)
	case "text":
		return text(v, memory)
	case "socket":
		if low&unix.SOCK_NONBLOCK != 0 {
			return named(kind, low) + "|SOCK_NONBLOCK"
		}
	case "protocol":
		return protocol(uint32(args[0]), low)
	case "made1", "made2": // the mode of a file that is made, by the flags in argument 1 or 2
		flags := uint32(args[kind[len(kind)-1]-'0'])
		if flags&(unix.O_CREAT|tmpfile) == 0 {
			return ""
		}
		return octal(low & 0o7777)
	}
	return named(kind, low)
}

// tmpfile is O_TMPFILE without the O_DIRECTORY that it contains.
const tmpfile = unix.O_TMPFILE &^ unix.O_DIRECTORY

func octal(v uint32) string { return "0" + strconv.FormatUint(uint64(v), 8) }

func nodeMode(mode uint32) string {
	rest := octal(mode &^ unix.S_IFMT)
	for _, n := range fileTypes {
		if n.value == mode&unix.S_IFMT {
			return n.name + "|" + rest
		}
	}
	return octal(mode)
}

func protocol(family, v uint32) string {
	switch {
	case v == 0:
		return ""
	case family == unix.AF_NETLINK:
		return named("netlink", v)
	case family == unix.AF_INET || family == unix.AF_INET6:
		return named("ip", v)
	}
	return strconv.Itoa(int(int32(v)))
}

const (
	longestRead = 256 // of a string, in bytes
	longestText = 80  // of what is shown of it, in runes
)

// text is the string that v points to, quoted, or the address where it can't be
// read.
func text(v uint64, memory Memory) string {
	if v == 0 {
		return "NULL"
	}
	b := make([]byte, longestRead)
	n := 0
	if memory != nil {
		n = memory(v, b)
	}
	if n <= 0 {
		return fmt.Sprintf("%#x", v)
	}
	s := string(b[:n])
	whole := false
	if end := strings.IndexByte(s, 0); end >= 0 {
		s, whole = s[:end], true
	}
	return quote(s, whole)
}

// quote shows s printable, and no more of it than longestText.
func quote(s string, whole bool) string {
	var b strings.Builder
	b.WriteByte('"')
	runes := 0
	for len(s) > 0 && runes < longestText {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case unicode.IsGraphic(r):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
		s, runes = s[size:], runes+1
	}
	b.WriteByte('"')
	if len(s) > 0 || !whole {
		b.WriteString("…")
	}
	return b.String()
}

// named is v by the names of a kind, or as a number.
func named(kind string, v uint32) string {
	for i := range kinds {
		if kinds[i].kind == kind {
			return kinds[i].spell(v)
		}
	}
	return fmt.Sprintf("%#x", v)
}

func (k *kind) spell(v uint32) string {
	if v &^= k.ignore; !k.bits {
		for _, n := range k.names {
			if n.value == v {
				return n.name
			}
		}
		if v < 1<<16 {
			return strconv.Itoa(int(v))
		}
		return fmt.Sprintf("%#x", v)
	}
	var words []string
	for _, n := range k.names {
		if n.value != 0 && v&n.value == n.value {
			words = append(words, n.name)
			v &^= n.value
		}
	}
	if v != 0 || len(words) == 0 && k.zero == "" {
		words = append(words, fmt.Sprintf("%#x", v))
	}
	if len(words) == 0 {
		return k.zero
	}
	return strings.Join(words, "|")
}
