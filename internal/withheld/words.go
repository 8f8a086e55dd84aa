package withheld

import (
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/internal/shellword"
)

// What a command, or a list of places, may name is taken from its words: a word too many
// costs a hint, and one too few is a file that somebody runs.

// A text may be a stranger's, and his variables in it the caller's: neither its words nor
// what they stand for are without end.
const (
	mostExpanded  = 1 << 18 // bytes
	mostPathWords = 1 << 13
)

// pathWords are what of a text may be paths: the whole, its words, and some of them in a
// row, as a path may have spaces in it. Variables stand for what also says they do, or the
// caller has in them. Not whole says that there are more, or that nobody waits any more.
func pathWords(text string, also func(name string) string, stopped func() bool) (list []string, whole bool) {
	const mostInARow = 12
	whole = true
	room := mostExpanded - len(text)
	text = os.Expand(text, func(name string) string {
		value := ""
		if rest := strings.TrimLeft(name, shellword.NameLetters); rest != "" { // ${name:-word}
			value = os.Getenv(name[:len(name)-len(rest)]) + " " + rest
		} else if value = also(name); value == "" {
			value = os.Getenv(name)
		}
		if room -= len(value); room < 0 {
			whole = false
			return ""
		}
		return value
	})
	var begins, ends []int
	in := false
	for i, c := range text {
		between := pathname.Around(c) || strings.ContainsRune(`=!|&@\`, c)
		switch {
		case !between && !in:
			begins = append(begins, i)
		case between && in:
			ends = append(ends, i)
		}
		in = !between
	}
	if in {
		ends = append(ends, len(text))
	}
	has := map[string]bool{}
	add := func(word string) {
		switch word = strings.TrimSpace(word); {
		case word == "" || len(word) > unix.PathMax || has[word]:
		case len(list) == mostPathWords:
			whole = false
		default:
			has[word], list = true, append(list, word)
		}
	}
	add(text)
	bare := strings.NewReplacer(`"`, "", `'`, "", `\`, "")
	for n, begin := range begins {
		if !whole || stopped() {
			return list, false
		}
		if word := text[begin:ends[n]]; strings.HasPrefix(word, "-") { // -I/x
			if at := strings.IndexAny(word, "./~"); at > 0 {
				begin += at
			}
			add(word[min(len("-I"), len(word)):])
		}
		word := text[begin:ends[n]]
		add(word)
		if at := strings.IndexAny(word, "*?%"); at >= 0 { // /x/?.lua
			if slash := strings.LastIndexByte(word[:at], '/'); slash > 0 {
				add(word[:slash])
				add(word[:slash+1]) // which is no bare word
			}
		}
		for _, end := range ends[n+1 : min(n+mostInARow, len(ends))] {
			if end-begin > 2*unix.PathMax { // with quotes and the like
				break
			}
			if row := bare.Replace(text[begin:end]); strings.ContainsAny(row, "/~") {
				add(row)
			}
		}
	}
	return list, whole
}

// placed are the paths that a word may name, as it is and with its links followed: from the
// root, from a home, or else from each of some folders.
func (h *Looks) placed(word string, from ...string) (list []string) {
	add := func(dir, rest string) {
		p := path.Join(dir, rest)
		if !path.IsAbs(p) || p == "/" || slices.Contains(list, p) {
			return
		}
		list = append(list, p)
		if real := h.led(dir + "/" + rest); real != p && real != "/" {
			list = append(list, real)
		}
	}
	if rest, ok := strings.CutPrefix(word, "~"); ok {
		name, rest, _ := strings.Cut(rest, "/")
		for _, home := range h.homes {
			if name == "" || path.Base(home) == name {
				add(home, rest)
			}
		}
		return list
	}
	if path.IsAbs(word) {
		add("/", word)
		return list
	}
	for _, dir := range from {
		if dir != "" {
			add(dir, word)
		}
	}
	return list
}

// led is where a path leads, as the kernel goes: links are followed before what is behind
// them is looked for, and may be missing.
func (h *Looks) led(p string) string {
	if !slices.Contains(strings.Split(p, "/"), "..") {
		rest := ""
		for at := path.Clean(p); at != "/"; at = path.Dir(at) {
			if f, ok := h.look(at); ok {
				return path.Join(f.Real, rest)
			}
			rest = path.Join(path.Base(at), rest)
		}
		return path.Clean(p)
	}
	at := "/"
	for part := range strings.SplitSeq(p, "/") {
		if part == ".." {
			at = path.Dir(at)
			continue
		}
		at = path.Join(at, part)
		if f, ok := h.look(at); ok {
			at = f.Real
		}
	}
	return at
}
