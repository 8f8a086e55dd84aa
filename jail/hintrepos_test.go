package jail

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Who stands in a folder around a repository, grants one, or names it to the program, is
// hinted at nothing to be written that its settings name.
func TestHintsAreNotForWhatSettingsBelowName(t *testing.T) {
	dir := closedTree(t, "me/x", "src/deep/r/.git/HEAD", "src/hooks/x", "src/inc/x", "src/tree/x", "src/data/x", "bare/HEAD", "bare/objects/x", "bare/refs/x", "far/x", "named/.git/HEAD", "else/x", "src/node_modules/p/.git/HEAD", "src/p/x")
	for file, text := range map[string]string{
		"src/deep/r/.git/config":         "[core]\n\thooksPath = ../../hooks\n\tworktree = ../../../tree\n[include]\n\tpath = ../../../inc/x\n",
		"bare/config":                    "[core]\n\tbare = true\n\thooksPath = " + dir + "/far\n",
		"named/.git/config":              "[core]\n\thooksPath = " + dir + "/else\n",
		"src/node_modules/p/.git/config": "[core]\n\thooksPath = " + dir + "/src/p\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	given := func(kind MountKind, at string) view {
		return view{grants: map[string]*mount{"/g": {Mount: Mount{Kind: kind, Source: filepath.Join(dir, at), Target: "/g"}}}}
	}
	for _, c := range []struct {
		stands string
		has    view
		named  string
		kept   []string
	}{
		{"me", view{}, "", nil},
		{"src", view{}, "", []string{"src/hooks", "src/hooks/x", "src/inc/x", "src/inc", "src/tree", "src/tree/x"}},
		{"me", given(MountRO, "src"), "", []string{"src/hooks", "src/hooks/x", "src/inc/x", "src/inc", "src/tree", "src/tree/x"}},
		{"me", given(MountRW, "src/deep"), "", []string{"src/hooks", "src/hooks/x", "src/inc/x", "src/inc", "src/tree", "src/tree/x"}},
		{"me", given(MountRO, "bare"), "", []string{"far", "far/x"}},
		{"bare/refs", view{}, "", []string{"far", "far/x"}},
		{"me", view{}, "named/.git", []string{"else", "else/x"}},
	} {
		t.Chdir(filepath.Join(dir, c.stands))
		h := newHostLooks(c.has, hostLooksTake)
		if c.named != "" {
			h.named = []string{filepath.Join(dir, c.named)}
		}
		for _, p := range []string{"src/hooks", "src/hooks/x", "src/inc/x", "src/inc", "src/tree", "src/tree/x", "src/data", "src/data/x", "src/p", "far", "far/x", "else", "else/x"} {
			kept := false
			for _, k := range c.kept {
				kept = kept || k == p
			}
			f, ok := h.at(filepath.Join(dir, p))
			if why := h.unhintable(f, hintWrite); !ok || (why != "") != kept || kept && !strings.Contains(why, "git") {
				t.Errorf("from %s with %v and %q: unhintable(%s) to be written = %q, want kept back: %v", c.stands, c.has.grants["/g"], c.named, p, why, kept)
			}
			if why := h.unhintable(f, hintRead); why != "" {
				t.Errorf("from %s: unhintable(%s) to be read = %q", c.stands, p, why)
			}
		}
	}
}

// What was granted to be read and could not be looked through for repositories may hold
// any; what else is looked through may be whatever the caller has.
func TestHintsAreNotForWhatUnseenSettingsMayName(t *testing.T) {
	dir := closedTree(t, "me/x", "many/x", "out/x")
	for i := range 70 {
		os.MkdirAll(filepath.Join(dir, "many", strings.Repeat("r", i+1), ".git"), 0o755)
	}
	t.Chdir(dir + "/me")
	for kind, kept := range map[MountKind]bool{MountRO: true, MountRW: false} {
		h := newHostLooks(view{grants: map[string]*mount{"/g": {Mount: Mount{Kind: kind, Source: dir + "/many", Target: "/g"}}}}, hostLooksTake)
		f, _ := h.at(dir + "/out")
		if why := h.unhintable(f, hintWrite); strings.Contains(why, "not all repositories") != kept || !kept && why != "" {
			t.Errorf("unhintable of what lies outside of a %s grant with too many repositories = %q, want kept back: %v", kind, why, kept)
		}
	}
}

// The command's words and git's variables name repositories.
func TestNamedPaths(t *testing.T) {
	r := run{spec: Spec{Dir: "/w", Args: []string{"git", "-C", "/a/repo", "--git-dir=/b/.git", "status", "-c", "x=../up"}, Env: []string{"GIT_DIR=/c/.git", "PATH=/d"}}}
	got := strings.Join(r.namedPaths(), " ")
	for p, want := range map[string]bool{"/w": true, "/a/repo": true, "/b/.git": true, "/c/.git": true, "/up": true, "/d": false} {
		if strings.Contains(" "+got+" ", " "+p+" ") != want {
			t.Errorf("namedPaths() = %s; want %s among them: %v", got, p, want)
		}
	}
}
