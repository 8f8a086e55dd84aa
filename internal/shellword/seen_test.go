package shellword

import (
	"strconv"
	"testing"
)

// What nobody sees, and what turns around or breaks the text around it, stands nowhere.
func TestUnseen(t *testing.T) {
	for _, c := range []struct {
		name, text, word, quoted, toml, line string
	}{
		{"plain", "a", "a", `"a"`, `"a"`, "a"},
		{"of a script", "日本", "'日本'", `"日本"`, `"日本"`, "日本"},
		{"quotes", `a"\`, `'a"\'`, `"a\"\\"`, `"a\"\\"`, `a"\`},
		{"escape", "a\x1b[m", `$'a\033[m'`, `"a\x1b[m"`, `"a\u001B[m"`, "a�[m"},
		{"bidi", "a\u202eb", `$'a\342\200\256b'`, `"a\u202eb"`, `"a\u202Eb"`, "a�b"},
		{"filler", "a\u3164", `$'a\343\205\244'`, `"a\u3164"`, `"a\u3164"`, "a�"},
		{"halfwidth filler", "a\uffa0", `$'a\357\276\240'`, `"a\uffa0"`, `"a\uFFA0"`, "a�"},
		{"jamo fillers", "\u115f\u1160", `$'\341\205\237\341\205\240'`, `"\u115f\u1160"`, `"\u115F\u1160"`, "��"},
		{"to be ignored", "a\u2065\ufff0", `$'a\342\201\245\357\277\260'`, `"a\u2065\ufff0"`, `"a\u2065\uFFF0"`, "a��"},
		{"no characters", "a\ufdd0\ufffe", `$'a\357\267\220\357\277\276'`, `"a\ufdd0\ufffe"`, `"a\uFDD0\uFFFE"`, "a��"},
		{"blank notes and fillers", "a\U0001d159\U00016fe4", `$'a\360\235\205\231\360\226\277\244'`, `"a\U0001d159\U00016fe4"`, `"a\U0001D159\U00016FE4"`, "a��"},
		{"Braille", "a\u2800", `$'a\342\240\200'`, `"a\u2800"`, `"a\u2800"`, "a�"},
		{"variation", "a\ufe0f", `$'a\357\270\217'`, `"a\ufe0f"`, `"a\uFE0F"`, "a�"},
		{"tag", "a\U000e0041", `$'a\363\240\201\201'`, `"a\U000e0041"`, `"a\U000E0041"`, "a�"},
		{"wide space", "a\u3000b", `$'a\343\200\200b'`, `"a\u3000b"`, `"a\u3000b"`, "a\u3000b"},
		{"lines", "a\nb\u2028", `$'a\012b\342\200\250'`, `"a\nb\u2028"`, `"a\u000Ab\u2028"`, "a�b�"},
	} {
		if got := Quote(c.text); got != c.word {
			t.Errorf("%s: Quote(%+q) = %s, want %s", c.name, c.text, got, c.word)
		}
		if got := Text(c.text); got != c.quoted {
			t.Errorf("%s: Text(%+q) = %s, want %s", c.name, c.text, got, c.quoted)
		}
		if back, err := strconv.Unquote(Text(c.text)); back != c.text {
			t.Errorf("%s: Text(%+q) is read as %+q: %v", c.name, c.text, back, err)
		}
		if got := TOML(c.text); got != c.toml {
			t.Errorf("%s: TOML(%+q) = %s, want %s", c.name, c.text, got, c.toml)
		}
		if got := Line(c.text); got != c.line {
			t.Errorf("%s: Line(%+q) = %+q, want %+q", c.name, c.text, got, c.line)
		}
	}
}
