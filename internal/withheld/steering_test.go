package withheld

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// What steers programs in a folder is found at whatever depth, and of a repository what git
// runs alone.
func TestSteering(t *testing.T) {
	top := t.TempDir()
	for _, name := range []string{
		"src/main.go", ".gitignore", ".cache/x", "sub/.envrc", "pkg/node_modules/a/node_modules/b", "env/pyvenv.cfg", "env/bin/python", "linked/.git", "scripts/hooks/pre-push",
		".git/HEAD", ".git/objects/x", ".git/refs/x", ".git/hooks/pre-commit", ".git/modules/m/HEAD", ".git/modules/m/objects/x", ".git/modules/m/refs/x", ".git/modules/m/hooks/x",
		".git/commondir", ".git/worktrees/w/commondir", ".git/worktrees/w/HEAD", ".git/worktrees/w/config.worktree",
		"bare/HEAD", "bare/objects/x", "bare/refs/x", "bare/hooks/x", "bare/config",
	} {
		plant(t, filepath.Join(top, name), "")
	}
	plant(t, filepath.Join(top, ".git/config"), "[core]\n\thooksPath = scripts/hooks\n")
	list, unseen, whole := New().Steering(top)
	want := []string{".git/commondir", ".git/config", ".git/hooks", ".git/modules/m/hooks", ".git/worktrees/w/commondir", ".git/worktrees/w/config.worktree", "bare/config", "bare/hooks", "env", "linked/.git", "pkg/node_modules", "scripts/hooks", "sub/.envrc"}
	for i, at := range list {
		list[i] = strings.TrimPrefix(at, top+"/")
	}
	if !slices.Equal(list, want) || unseen != "" || !whole {
		t.Errorf("Steering = %q, %q, %v, want %q, and all of it", list, unseen, whole, want)
	}
}

// A repository names what lies in a folder of it, in a work tree of it, and in settings
// that it includes.
func TestSteeringByTheRepositoryAround(t *testing.T) {
	top := t.TempDir()
	for _, name := range []string{"main/.git/HEAD", "main/tools/hooks/x", "main/shared/more", "tree/hooks/x", "main/.git/worktrees/w/HEAD"} {
		plant(t, filepath.Join(top, name), "")
	}
	plant(t, filepath.Join(top, "main/.git/config"), "[core]\n\thooksPath = tools/hooks\n\thooksPath = "+top+"/tree/hooks\n[include]\n\tpath = ../shared/more\n")
	plant(t, filepath.Join(top, "tree/.git"), "gitdir: "+top+"/main/.git/worktrees/w\n")
	for dir, want := range map[string][]string{
		"main":       {".git/config", "shared/more", "tools/hooks"},
		"main/tools": {"hooks"},
		"tree":       {".git", "hooks"},
	} {
		list, _, _ := New().Steering(filepath.Join(top, dir))
		for i, at := range list {
			list[i] = strings.TrimPrefix(at, filepath.Join(top, dir)+"/")
		}
		if !slices.Equal(list, want) {
			t.Errorf("Steering of %s = %q, want %q", dir, list, want)
		}
	}
}

// A link in the place of one can't be kept as it is, and more than there is room for is told.
func TestSteeringUnseen(t *testing.T) {
	top := t.TempDir()
	if err := os.Symlink("/nowhere", filepath.Join(top, ".envrc")); err != nil {
		t.Fatal(err)
	}
	if list, unseen, _ := New().Steering(top); len(list) != 0 || !strings.Contains(unseen, ".envrc\" is a link") {
		t.Errorf("Steering of a link = %q, %q, want none, and the link", list, unseen)
	}
	top = t.TempDir()
	for i := range mostSteering + 1 {
		plant(t, filepath.Join(top, strings.Repeat("x", i+1), ".envrc"), "")
	}
	plant(t, filepath.Join(top, "HEAD"), "") // a repository around it, whose settings name as many
	plant(t, filepath.Join(top, "objects/x"), "")
	plant(t, filepath.Join(top, "refs/x"), "")
	plant(t, filepath.Join(top, ".git/hooks/x"), "")
	var named strings.Builder
	for i := range mostSteering + 1 {
		plant(t, filepath.Join(top, "h", strconv.Itoa(i), "x"), "")
		fmt.Fprintf(&named, "[core]\n\thooksPath = h/%d\n", i)
	}
	plant(t, filepath.Join(top, "config"), named.String())
	list, unseen, _ := New().Steering(top)
	if len(list) != mostSteering || unseen == "" {
		t.Errorf("Steering of many = %d, %q, want %d, and that there are more", len(list), unseen, mostSteering)
	}
	if own := filepath.Join(top, ".git/hooks"); !slices.Contains(list, own) {
		t.Errorf("Steering of many = %q, want %s first", list, own)
	}
}

// What could not be looked at in time, or was too much, is never said to be all.
func TestSteeringInVain(t *testing.T) {
	top := t.TempDir()
	plant(t, filepath.Join(top, ".envrc"), "")
	if _, unseen, whole := NewFor(0).Steering(top); whole || unseen == "" {
		t.Errorf("Steering without time = %q, %v, want that there may be more", unseen, whole)
	}
	s := &steers{h: New(), dir: top, whole: true}
	s.among(1)
	if s.whole || s.unseen == "" || len(s.list) != 1 {
		t.Errorf("one of more files: %q, %q, %v, want what was found, and that there may be more", s.list, s.unseen, s.whole)
	}
}

// plant makes a file, and the folders that it lies in.
func plant(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
