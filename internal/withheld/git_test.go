package withheld

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What git runs no hint has written to, wherever it lies.
func TestHintsAreNotForWhatGitRuns(t *testing.T) {
	dir := closedTree(t, "bare.git/HEAD", "bare.git/objects/x", "bare.git/refs/x", "bare.git/hooks/x", "proj/githooks/pre-commit", "proj/src/x", "quoted/own/x", "quoted/src/x", "sub/hooks/x", "sub/src/x",
		"main/.git/modules/sub/HEAD", "incl/h/x", "plain/.git/HEAD", "plain/hooks/x", "long/src/x", "shared/x", "optional/own/x", "all/x", "all/.git/HEAD", "linked/real/x")
	for file, text := range map[string]string{
		"proj/.git/config":             "[core]\n\tbare = false\n\thooksPath = githooks\n",
		"quoted/.git/config":           "[Core] HooksPath = \"own\" # ours\n",
		"main/.git/modules/sub/config": "[core]\n\tworktree = ../../../../sub\n\thookspath=hooks\n",
		"sub/.git":                     "gitdir: ../main/.git/modules/sub\n",
		"incl/.git/config":             "[include]\n\tpath = more\n",
		"incl/.git/more":               "[core]\n\thooksPath = h\n[include]\n\tpath = more\n",
		"long/.git/config":             strings.Repeat("# much\n", 50000),
		"optional/.git/config":         "[core]\n\thooksPath = :(optional)own\n",
		"linked/.git/config":           "[core]\n\thooksPath = link\n",
		"me/.gitconfig":                "[core]\n\thooksPath = ~/../shared\n",
		"plain/.git/config":            "[other]\n\thooksPath = hooks\n",
	} {
		os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755)
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	os.Symlink("real", dir+"/linked/link")
	h := New()
	for p, want := range map[string]string{
		"bare.git": "repository's own", "bare.git/hooks": "repository's own", "bare.git/hooks/x": "repository's own", "proj/githooks": "hooksPath", "proj/githooks/pre-commit": "hooksPath", "proj": "hooksPath",
		"proj/src": "", "quoted/own/x": "hooksPath", "quoted/src": "", "sub/hooks": "hooksPath", "sub/src": "", "incl/h": "hooksPath", "plain/hooks": "", "plain": "", "long/src": "too long", "linked/real": "hooksPath",
		"all": "", "optional/own": "hooksPath", "shared": "hooksPath", "shared/x": "hooksPath",
	} {
		f, ok := h.At(filepath.Join(dir, p))
		if got := h.Why(f, Write); !ok || !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("unhintable(%s) to be written = %q, %v, want %q", p, got, ok, want)
		}
	}
}

// A repository that GIT_DIR names has its work tree in the folder that the caller is in, or
// where GIT_WORK_TREE says: that is where what its settings name lies.
func TestHintsAreNotForTheWorkTreeOfVariables(t *testing.T) {
	dir := closedTree(t, "repo.git/HEAD", "here/hooks/x", "here/tools/x", "here/src/x", "tree/hooks/x", "tree/src/x")
	if err := os.WriteFile(dir+"/repo.git/config", []byte("[core]\n\thooksPath = hooks\n[diff]\n\texternal = tools/x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir + "/here")
	t.Setenv("GIT_DIR", "../repo.git")
	refused := func(p string) bool {
		t.Helper()
		h := New()
		f, ok := h.At(filepath.Join(dir, p))
		if !ok {
			t.Fatal(p, "is not there")
		}
		return h.Why(f, Write) != ""
	}
	for p, want := range map[string]bool{"here/hooks": true, "here/hooks/x": true, "here/tools/x": true, "here/src": false, "tree/hooks": false} {
		if got := refused(p); got != want {
			t.Errorf("%s: refused: %v, want %v", p, got, want)
		}
	}
	t.Setenv("GIT_WORK_TREE", dir+"/tree")
	for p, want := range map[string]bool{"tree/hooks": true, "tree/hooks/x": true, "tree/src": false} {
		if got := refused(p); got != want {
			t.Errorf("with GIT_WORK_TREE, %s: refused: %v, want %v", p, got, want)
		}
	}
}

// Settings of the repository that the caller is in, or has granted, name what lies outside
// of it, and what they name is run all the same.
func TestHintsAreNotForWhatSettingsNameElsewhere(t *testing.T) {
	dir := closedTree(t, "r/src/x", "r/.git/HEAD", "inc/h/pre-commit", "inc/f/x.sh", "inc/cfg", "inc/more/x", "inc/data/x", "tree/x", "g/.git/HEAD", "g/x", "far/run.sh")
	for file, text := range map[string]string{
		"r/.git/config": "[include]\n\tpath = " + dir + "/inc/cfg\n[core]\n\thooksPath = " + dir + "/inc/h\n\tworktree = " + dir + "/tree\n[filter \"x\"]\n\tclean = " + dir + "/inc/f/x.sh --all\n[remote \"o\"]\n\turl = " + dir + "/inc/data\n",
		"inc/cfg":       "[alias]\n\tx = \"!" + dir + "/inc/more/x\"\n",
		"g/.git/config": "[diff]\n\texternal = " + dir + "/far/run.sh\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir + "/r/src")
	h := For(Box{Read: []string{dir + "/g/x"}})
	for p, refused := range map[string]bool{
		"inc/h": true, "inc/h/pre-commit": true, "inc/f": true, "inc/f/x.sh": true, "inc/cfg": true, "inc/more/x": true, "inc": true, "inc/data": false, "inc/data/x": false, "tree": true, "tree/x": true, "far": true, "far/run.sh": true, "r/src": false, "r": false,
	} {
		f, ok := h.At(filepath.Join(dir, p))
		if got := h.Why(f, Write); !ok || (got != "") != refused || refused && !strings.Contains(got, "git") {
			t.Errorf("unhintable(%s) to be written = %q, %v, want refused: %v", p, got, ok, refused)
		}
		if got := h.Why(f, Read); got != "" {
			t.Errorf("unhintable(%s) to be read = %q", p, got)
		}
	}
}
