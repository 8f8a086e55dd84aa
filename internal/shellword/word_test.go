package shellword

import (
	"os/exec"
	"strings"
	"testing"
)

// Hostile names are words of one shell and the next, and nothing else happens.
func TestQuote(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"/usr/lib/a-b_c+d.so.1", "/usr/lib/a-b_c+d.so.1"},
		{"a:b@c%d=e,f", "a:b@c%d=e,f"},
		{"", "''"},
		{"/a b", "'/a b'"},
		{"~/x", "'~/x'"},
		{"/a;touch INJ1;echo $(touch INJ2)", "'/a;touch INJ1;echo $(touch INJ2)'"},
		{"it's", `'it'\''s'`},
		{"`x`", "'`x`'"},
		{"!x*?[a]{b}<>|&()#\"", "'!x*?[a]{b}<>|&()#\"'"},
		{`back\slash`, `'back\slash'`},
		{"two\nlines", `$'two\012lines'`},
		{"esc\x1b[31m'\\", `$'esc\033[31m\'\\'`},
		{"bad\xff", `$'bad\377'`},
		{"bidi\u202egpj", `$'bidi\342\200\256gpj'`},
		{"…", "'…'"},
	} {
		if got := Quote(c.text); got != c.want {
			t.Errorf("Quote(%q) = %s, want %s", c.text, got, c.want)
		}
		for _, name := range []string{"bash", "sh"} {
			if name == "sh" && strings.HasPrefix(c.want, "$'") {
				continue // POSIX has it since 2024 alone
			}
			out, err := exec.Command(name, "-c", "printf %s "+c.want).Output()
			if err != nil && len(out) == 0 && name == "bash" {
				continue // there is none
			}
			if string(out) != c.text {
				t.Errorf("%s makes %q of %s, want %q", name, out, c.want, c.text)
			}
		}
	}
}
