package attacks

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/jail"
)

// openInTier2 are the rows that a box of tier 2 does not stop, and why. docs/tier2.md
// has the same list, with what it means.
var openInTier2 = map[string]string{
	"left behind/device node that lies in a grant": "there are no mounts of the box's own to mark nodev",
	"namespaces/learn the host's name":             "there is no uts namespace",
	"tier 2/learn of a file":                       "Landlock has no right for stat(2)",
	"tier 2/learn of a process":                    "there is no pid namespace",
}

// OpenInTier2 are the names of the rows that a box of tier 2 does not stop.
func OpenInTier2() []string { return slices.Sorted(maps.Keys(openInTier2)) }

// refusedInTier2 are the rows whose box can't be made in tier 2.
var refusedInTier2 = []string{
	"mounts/take a read-only grant off a writable one", // a grant within a grant can't be less
	"mounts/take the place of a read-only folder by renaming what is above it",
	"limits/memory bomb in sockets", // needs a network of the box's own
	"descriptors/start in a folder that is a descriptor",
}

// fitTier2 makes a box that was made up for tier 1 one of tier 2.
func (a *Arena) fitTier2() {
	a.Spec.Optional = slices.DeleteFunc(a.Spec.Optional, func(l jail.LayerName) bool { return l != jail.LayerCgroup })
	a.env = append(a.env, "TMPDIR="+a.Folder("tmp"))
	for _, m := range a.Spec.View {
		// Root's boxes are a user whom nobody else is.
		if m.Source != a.role.site.attacker && strings.HasPrefix(m.Source, a.role.site.dir) {
			openUp(a.t, m.Source, m.Kind == jail.MountRW)
		}
	}
}

// openUp lets everybody read a granted tree, or write to it.
func openUp(t T, root string, write bool) {
	t.Helper()
	filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.Type()&os.ModeSymlink != 0 {
			return nil
		}
		info, err := d.Info()
		if err != nil || info.Mode()&0o400 == 0 { // its mode is what the row is about
			return nil
		}
		mode := info.Mode() | 0o444
		if d.IsDir() {
			mode |= 0o111
		}
		if write {
			mode |= 0o222
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return nil
	})
}
