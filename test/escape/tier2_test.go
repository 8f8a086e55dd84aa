package escape

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/internal/attacks"
	"github.com/seed-75010da9/jail/jail"
)

// TestTier2 runs the table against boxes of tier 2, which have no namespaces and
// no root of their own, and beside it the rows that are about tier 2 alone. The
// list of what they can't stop is held to: a row on it must succeed, any other
// must fail.
func TestTier2(t *testing.T) {
	for _, who := range site.Roles() {
		who.Tier = jail.Tier2
		tier2(t, who, who.Name, nil)
		// What holds boxes together on older kernels.
		tier2(t, who, who.Name+" without Landlock's scopes", []ablation.Wall{ablation.Scope})
	}
}

func tier2(t *testing.T, who attacks.Role, name string, off []ablation.Wall) {
	t.Run(name, func(t *testing.T) {
		if attacks.LandlockABI() == 0 {
			skip(t, attacks.NoTier2)
		}
		// The others' controls are TestEscape's.
		controls := len(attacks.Table())
		for i, r := range slices.Concat(attacks.Table(), attacks.Tier2Rows()) {
			t.Run(r.Name(), func(t *testing.T) {
				t.Parallel()
				if why := r.Skip(who); why != "" {
					skip(t, why)
				}
				for _, p := range r.Proofs(who) {
					if p.Where == attacks.InBox {
						p.Off = off
					} else if i < controls {
						continue
					}
					carry(t, r, who, p)
				}
			})
		}
	})
}

// TestTier2IsDocumented: its page lists the rows that tier 2 does not stop.
func TestTier2IsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/tier2.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for line := range strings.Lines(string(text)) {
		if row, ok := strings.CutPrefix(line, "| `"); ok {
			name, _, _ := strings.Cut(row, "`")
			listed = append(listed, name)
		}
	}
	slices.Sort(listed)
	if want := attacks.OpenInTier2(); !slices.Equal(listed, want) {
		t.Errorf("the page lists %q, want %q", listed, want)
	}
}
