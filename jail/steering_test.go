package jail

import (
	"os"
	"path/filepath"
	"slices"
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
		"bare/HEAD", "bare/objects/x", "bare/refs/x", "bare/hooks/x", "bare/config",
	} {
		plant(t, filepath.Join(top, name), "")
	}
	plant(t, filepath.Join(top, ".git/config"), "[core]\n\thooksPath = scripts/hooks\n")
	list, unseen := NewHints().Steering(top)
	want := []string{".git/config", ".git/hooks", ".git/modules/m/hooks", "bare/config", "bare/hooks", "env", "linked/.git", "pkg/node_modules", "scripts/hooks", "sub/.envrc"}
	for i, at := range list {
		list[i] = strings.TrimPrefix(at, top+"/")
	}
	if !slices.Equal(list, want) || unseen != "" {
		t.Errorf("Steering = %q, %q, want %q", list, unseen, want)
	}
}

// A link in the place of one can't be kept as it is, and more than there is room for is told.
func TestSteeringUnseen(t *testing.T) {
	top := t.TempDir()
	if err := os.Symlink("/nowhere", filepath.Join(top, ".envrc")); err != nil {
		t.Fatal(err)
	}
	if list, unseen := NewHints().Steering(top); len(list) != 0 || !strings.Contains(unseen, ".envrc\" is a link") {
		t.Errorf("Steering of a link = %q, %q, want none, and the link", list, unseen)
	}
	top = t.TempDir()
	for i := range mostSteering + 1 {
		plant(t, filepath.Join(top, strings.Repeat("x", i+1), ".envrc"), "")
	}
	if list, unseen := NewHints().Steering(top); len(list) != mostSteering || unseen == "" {
		t.Errorf("Steering of many = %d, %q, want %d, and that there are more", len(list), unseen, mostSteering)
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
