package withheld

import (
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// A gitEntry is a setting of git's: one line of a file, as git reads it (git-config(1)).
type gitEntry struct {
	section, of string // [section "of"]; the section and the key in small letters
	key, value  string // the value without quotes, escapes and comments
}

// gitEntries are the settings in a file. What git would refuse is read as far as it goes.
func gitEntries(text string) (list []gitEntry) {
	text = strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\ufeff")
	e := gitEntry{}
	for {
		text = strings.TrimLeft(text, " \t\r\n\v\f")
		switch {
		case text == "":
			return list
		case text[0] == '#', text[0] == ';':
			_, text, _ = strings.Cut(text, "\n")
		case text[0] == '[':
			e = gitEntry{}
			e.section, e.of, text = gitSection(text[1:])
			list = append(list, e)
		default:
			end := strings.IndexAny(text, "=\n")
			if end < 0 {
				end = len(text)
			}
			e.key, e.value = strings.ToLower(strings.TrimSpace(text[:end])), ""
			if text = text[end:]; strings.HasPrefix(text, "=") {
				e.value, text = gitValue(text[1:])
			}
			list = append(list, e)
		}
	}
}

// gitSection reads what is behind the [ of a heading.
func gitSection(text string) (section, of, rest string) {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n', c == ']' && !quoted:
			if c == ']' {
				i++
			}
			if of = b.String(); section == "" {
				section, of = of, ""
			}
			return strings.ToLower(strings.TrimSpace(section)), of, text[i:]
		case c == '"':
			if quoted = !quoted; quoted {
				section = b.String()
				b.Reset()
			}
		case c == '\\' && quoted && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	return strings.ToLower(strings.TrimSpace(section)), b.String(), ""
}

// gitValue reads what is behind the = of a setting.
func gitValue(text string) (value, rest string) {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			return strings.TrimSpace(b.String()), text[i:]
		case c == '"':
			quoted = !quoted
		case (c == '#' || c == ';') && !quoted:
			_, rest, _ = strings.Cut(text[i:], "\n")
			return strings.TrimSpace(b.String()), rest
		case c == '\\' && i+1 < len(text):
			i++
			switch text[i] {
			case '\n': // the value goes on
			case 'n', 't':
				b.WriteByte(' ')
			case 'b':
			default:
				b.WriteByte(text[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return strings.TrimSpace(b.String()), ""
}

// FileText is what is in a file of the host's, or of a longer one the beginning, by a byte
// longer than asked for.
func FileText(real string, longest int64) (string, error) {
	fd, err := unix.Open(real, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	opened := os.NewFile(uintptr(fd), real)
	defer opened.Close()
	text, err := io.ReadAll(io.LimitReader(opened, longest+1))
	return string(text), err
}
