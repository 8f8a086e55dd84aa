package withheld

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The words of a command that may be paths are all there, with spaces in them, behind the
// letters of options, and where variables lead.
func TestWordsThatMayBePaths(t *testing.T) {
	t.Setenv("SOME_PLACE", "/some/place")
	for text, want := range map[string][]string{
		"sh ../ext/clean.sh %f":        {"sh", "../ext/clean.sh"},
		"'/sp ace/ed' -w":              {"/sp ace/ed"},
		`/sp\ ace/ed -w`:               {"/sp ace/ed"},
		`/a/b"c d"/e`:                  {"/a/bc d/e"},
		`cd\ /x/esc && x`:              {"/x/esc"},
		"!../upd/u":                    {"../upd/u"},
		"ext::/rem/helper %S":          {"/rem/helper"},
		"-I/p5 -Mx -C../up --t=/a/b":   {"/p5", "../up", "/a/b"},
		"/lua/?.lua;;":                 {"/lua/?.lua", "/lua"},
		"$SOME_PLACE/x ${SOME_PLACE}y": {"/some/place/x", "/some/placey"},
		"${OTHER:-/else/where} -x":     {"/else/where"},
		"$(dirs)/run":                  {"/run"},
		"$TOP/run":                     {"/top/run"},
		"/python@3.11/bin/python":      {"/python@3.11/bin/python"},
	} {
		got, whole := pathWords(text, func(name string) string { return map[string]string{"TOP": "/top"}[name] }, func() bool { return false })
		if !whole {
			t.Errorf("pathWords(%q): want it to be whole", text)
		}
		for _, w := range want {
			if !slices.Contains(got, w) {
				t.Errorf("pathWords(%q) = %q, want %q among them", text, got, w)
			}
		}
	}
}

// A text of a stranger's has no words without end, nor do variables in it stand for more.
func TestWordsOfATextAreBounded(t *testing.T) {
	none, goOn := func(string) string { return "" }, func() bool { return false }
	var many strings.Builder
	for i := range 30000 {
		many.WriteString("a" + strconv.Itoa(i) + "/b ")
	}
	if list, whole := pathWords(many.String(), none, goOn); len(list) != mostPathWords || whole {
		t.Errorf("30000 words: %d, whole %v; want %d, and not whole", len(list), whole, mostPathWords)
	}
	if list, whole := pathWords(many.String(), none, func() bool { return true }); len(list) > 0 || whole {
		t.Errorf("words that nobody waits for: %d, whole %v", len(list), whole)
	}
	t.Setenv("LONG", strings.Repeat("/x", 1<<14))
	length := 0
	list, whole := pathWords(strings.Repeat("$LONG ", 1000), none, goOn)
	for _, word := range list {
		length += len(word)
	}
	if length > mostExpanded || whole {
		t.Errorf("a long variable, often: %d bytes, whole %v", length, whole)
	}
}

// What a word names lies where its links lead, be it there or not.
func TestPlacedBehindLinks(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	plant(t, filepath.Join(top, "work/x"), "")
	plant(t, filepath.Join(top, "else/sub/x"), "")
	if err := os.Symlink("../else/sub", filepath.Join(top, "work/up")); err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]string{
		"up":                 "else/sub",
		"up/x":               "else/sub/x",
		"up/new/one":         "else/sub/new/one",
		"up/../hooks":        "else/hooks",
		"../work/up/new":     "else/sub/new",
		top + "/work/up/new": "else/sub/new",
	} {
		list := New().placed(word, filepath.Join(top, "work"))
		if !slices.Contains(list, filepath.Join(top, want)) {
			t.Errorf("placed(%q) = %q, want %s among it", word, list, want)
		}
	}
}
