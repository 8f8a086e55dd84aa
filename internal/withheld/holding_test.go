package withheld

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What lies right in a folder is told with what it is called like, and a folder that was
// not read whole is not taken for one.
func TestHoldings(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".env", ".git/hooks/x", ".npmrc", ".pytest_cache/x", "a", "d/id_rsa", "server.key"} {
		os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755)
		os.WriteFile(filepath.Join(dir, name), nil, 0o644)
	}
	var got []string
	list, ok := New().Holdings(dir)
	for _, h := range list {
		word := h.Name
		for letter, is := range map[string]bool{"d": h.Dir, "k": h.Keys, "s": h.Steers} {
			if is {
				word += " " + letter
			}
		}
		got = append(got, sorted(word))
	}
	if want := ".env k s,.git d s,.npmrc k s,.pytest_cache d,a,d d,server.key k"; !ok || strings.Join(got, ",") != want {
		t.Errorf("%s, %v, want %s", strings.Join(got, ","), ok, want)
	}
	os.Symlink(dir, filepath.Join(dir, "link"))
	for _, p := range []string{dir + "/link", dir + "/a", dir + "/nothing"} {
		if list, ok := New().Holdings(p); ok {
			t.Errorf("%s: %v, want that it is not known", p, list)
		}
	}
	many := filepath.Join(dir, "many")
	os.Mkdir(many, 0o755)
	for i := range mostEntries + 1 {
		os.WriteFile(filepath.Join(many, "f"+strings.Repeat("x", i%200)+string(rune('a'+i/200))), nil, 0o644)
	}
	if list, ok := New().Holdings(many); ok || len(list) != mostEntries {
		t.Errorf("%d, %v: want as much as there is room for, and that it is not all", len(list), ok)
	}
	if list, ok := NewFor(0).Holdings(dir); ok || list != nil {
		t.Errorf("%v, %v: want nothing, since there was no time", list, ok)
	}
}

// sorted is a name with its letters in order.
func sorted(word string) string {
	name, letters, _ := strings.Cut(word, " ")
	for _, l := range []string{"d", "k", "s"} {
		if strings.Contains(" "+letters+" ", " "+l+" ") {
			name += " " + l
		}
	}
	return name
}
