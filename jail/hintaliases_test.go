package jail

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/internal/hostmounts"
)

// What no hint names it names by no other path either, be that a bind mount of it, of a
// folder around it or in it, or one that lies in what would be named.
func TestHintsKnowBindMounts(t *testing.T) {
	for _, c := range []struct {
		from, to, path string
		use            hintUse
		want           string
	}{
		{"me/.ssh", "alias", "alias/config", hintRead, "me/.ssh/config\" as well, and it is where somebody's keys"},
		{"me/.ssh", "alias", "alias", hintRead, "me/.ssh\" as well, and it is where somebody's keys"},
		{"me/.ssh", "deep/in", "deep", hintRead, "which is mounted in it: it is"},
		{"me/.config/app", "alias", "alias", hintRead, "me/.config/app\" as well, and what is hidden in a home"},
		{"me", "alias", "alias", hintRead, "where keys or tokens are kept"},
		{"me", "alias", "alias/.config", hintRead, "hidden in a home"},
		{"job/secrets", "alias", "alias/x", hintRead, "as well, and it is called as keys"},
		{"me/tools/bin", "alias", "alias", hintWrite, "me/tools/bin\" as well, and programs that you run"},
		{"me/tools/bin", "alias", "alias", hintRead, ""},
		{"me/tools/src", "alias", "alias/tool.sh", hintWrite, ""},
		{"job/.git", "alias", "alias/hooks", hintWrite, "what is hidden tells programs"},
		{"job/data", "alias", "alias", hintWrite, ""},
		{"job/data", "alias", "alias/x", hintRead, ""},
		{"job/data", "deep/in", "deep", hintRead, ""},
	} {
		t.Run(c.from+" "+c.path, func(t *testing.T) {
			dir := closedTree(t, "me/.bashrc", "me/.ssh/config", "me/.config/app/x", "me/tools/bin/x", "me/tools/src/tool.sh", "job/secrets/x", "job/.git/hooks/x", "job/data/x", "alias/", "deep/in/")
			onto(t, "--bind", filepath.Join(dir, c.from), filepath.Join(dir, c.to))
			h := NewHints().looks
			f, ok := h.at(filepath.Join(dir, c.path))
			if got := h.unhintable(f, c.use); !ok || !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
				t.Errorf("unhintable(%s) = %q, %v, want %q", c.path, got, ok, c.want)
			}
		})
	}
}

// In a container the mount alone says what a folder is: its name on the file system.
func TestHintsKnowWhatContainersMount(t *testing.T) {
	dir := closedTree(t, "keys-of/config", "ws/x")
	h := NewHints().looks
	id, err := hostmounts.At(dir + "/ws")
	if err != nil {
		t.Fatal(err)
	}
	for root, want := range map[string]string{"/home/bob/.ssh": "keys", "/home/bob": "whole home", "/home/bob/.config": "hidden in a home", "/home/bob/job": "", "/var/lib/docker/volumes/v/_data": "", "/": ""} {
		h.mounts = hostmounts.List{{ID: id, Dev: "0:0", Root: root, Point: dir + "/ws"}}
		if got := h.keptBack(dir+"/ws", hintWrite); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("of a mount of %s: %q, want %q", root, got, want)
		}
	}
}
