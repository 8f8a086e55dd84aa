package escape

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/jail"
)

// openInTier2 are the rows that a box of tier 2 does not stop, and why. The README
// has the same list, with what it means.
var openInTier2 = map[string]string{
	"left behind/device node that lies in a grant": "there are no mounts of the box's own to mark nodev",
	"namespaces/learn the host's name":             "there is no uts namespace",
	"tier 2/learn of a file":                       "Landlock has no right for stat(2)",
	"tier 2/learn of a process":                    "there is no pid namespace",
}

// refusedInTier2 are the rows whose box can't be made in tier 2.
var refusedInTier2 = []string{
	"mounts/take a read-only grant off a writable one", // a grant within a grant can't be less
	"limits/memory bomb in sockets",                    // needs a network of the box's own
	"descriptors/start in a folder that is a descriptor",
}

// TestTier2 runs the table against boxes of tier 2, which have no namespaces and
// no root of their own, and beside it the rows that are about tier 2 alone. The
// list of what they can't stop is held to: a row on it must succeed, any other
// must fail.
func TestTier2(t *testing.T) {
	for _, who := range roles() {
		who.tier2(t, who.name, nil)
		// What holds boxes together on older kernels.
		who.tier2(t, who.name+" without Landlock's scopes", []ablation.Wall{ablation.Scope})
	}
}

func (who role) tier2(t *testing.T, name string, off []ablation.Wall) {
	t.Run(name, func(t *testing.T) {
		if landlockABI() == 0 {
			skip(t, noTier2)
		}
		for _, r := range slices.Concat(table(), tier2Rows()) {
			t.Run(r.name, func(t *testing.T) {
				t.Parallel()
				if r.skip != nil {
					if why := r.skip(who); why != "" {
						skip(t, why)
					}
				}
				r.proveTier2(t, who, off)
			})
		}
	})
}

func (r row) proveTier2(t *testing.T, who role, off []ablation.Wall) {
	if strings.HasPrefix(r.name, tier2Family) {
		t.Run("bare", func(t *testing.T) { r.succeeds(t, who, inChild, nil, nil) })
	}
	won, ended, got := r.inTier2(t, who, off)
	refused := got.Result.Reason == jail.ReasonSetupRefused
	_, open := openInTier2[r.name]
	switch {
	case open && !won:
		t.Errorf("is said to be open, and did not succeed\n%s", got)
	case !open && won:
		t.Errorf("ESCAPED (%s): the attack succeeded in the box\n%s", r.source, got)
	case refused != (r.refused || slices.Contains(refusedInTier2, r.name)):
		t.Errorf("refused: %v\n%s", refused, got)
	}
	if !open && !refused && !ended {
		t.Errorf("the attack did not get to its end\n%s", got)
	}
}

// inTier2 carries the attack out in a box of tier 2, and says whether it had its
// effect, and whether it got to its end.
func (r row) inTier2(t *testing.T, who role, off []ablation.Wall) (won, ended bool, got answer) {
	who.tier = jail.Tier2
	a := newArena(t, r, who, inBox, off)
	a.fitTier2()
	got = a.run()
	return a.outcome(got) == nil, r.dies || a.stdio || strings.Contains(got.Stdout, "escape: "), got
}

// fitTier2 makes a box that was made up for tier 1 one of tier 2.
func (a *arena) fitTier2() {
	a.spec.Optional = slices.DeleteFunc(a.spec.Optional, func(l jail.LayerName) bool { return l != jail.LayerCgroup })
	a.env = append(a.env, "TMPDIR="+a.folder("tmp"))
	for _, m := range a.spec.View {
		// Root's boxes are a user whom nobody else is.
		if m.Source != site.attacker && strings.HasPrefix(m.Source, site.dir) {
			openUp(a.t, m.Source, m.Kind == jail.MountRW)
		}
	}
}

// openUp lets everybody read a granted tree, or write to it.
func openUp(t *testing.T, root string, write bool) {
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

// TestTier2IsDocumented: the README lists the rows that tier 2 does not stop.
func TestTier2IsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Without namespaces")
	section, _, _ = strings.Cut(section, "\n## ")
	var listed []string
	for line := range strings.Lines(section) {
		if row, ok := strings.CutPrefix(line, "| `"); ok {
			name, _, _ := strings.Cut(row, "`")
			listed = append(listed, name)
		}
	}
	slices.Sort(listed)
	if want := slices.Sorted(maps.Keys(openInTier2)); !slices.Equal(listed, want) {
		t.Errorf("the README lists %q, want %q", listed, want)
	}
}
