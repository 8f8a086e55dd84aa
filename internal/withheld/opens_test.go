package withheld

import (
	"strings"
	"testing"
)

// What else a folder opens is looked for as deep as a grant goes, and told once.
func TestFoldersAreHintedWithAllThatTheyOpen(t *testing.T) {
	dir := closedTree(t, "some/a/.git/hooks/x", "some/a/.git/.github/x", "some/b c/node_modules/x/node_modules/y/z", "some/env/pyvenv.cfg", "some/env/lib/site-packages/x", "some/bare/HEAD", "some/bare/objects/x", "some/bare/refs/x",
		"many/0/.git/x", "many/1/.git/x", "many/2/.git/x", "many/3/.git/x", "many/4/.git/x", "many/5/.git/x", "many/6/.git/x", "many/7/.git/x", "many/8/.git/x", "none/HEAD")
	h := New()
	for p, want := range map[string]string{"some": "its a/.git, 'b c/node_modules', bare, env as well", "many": " and more as well", "none": ""} {
		got := h.OpensOf(dir + "/" + p)
		if !strings.Contains(got, want) || (got == "") != (want == "") || strings.Count(got, ", ") > 8 {
			t.Errorf("%s opens %q, want %q", p, got, want)
		}
	}
}
