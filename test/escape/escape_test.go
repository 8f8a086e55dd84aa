package escape

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/internal/attacks"
)

// TestEscape is the table.
func TestEscape(t *testing.T) {
	if os.Getuid() != 0 {
		t.Run("root", func(t *testing.T) { skip(t, attacks.NotRoot) })
	}
	for _, who := range site.Roles() {
		t.Run(who.Name, func(t *testing.T) {
			for _, r := range attacks.Table() {
				t.Run(r.Name(), func(t *testing.T) {
					t.Parallel()
					prove(t, r, who)
				})
			}
		})
	}
}

// prove runs the row's proofs.
func prove(t *testing.T, r attacks.Row, who attacks.Role) {
	if why := r.Skip(who); why != "" {
		skip(t, why)
	}
	for _, p := range r.Proofs(who) {
		t.Run(p.Name, func(t *testing.T) { carry(t, r, who, p) })
	}
}

func carry(t *testing.T, r attacks.Row, who attacks.Role, p attacks.Proof) {
	t.Helper()
	if verdict, err := r.Carry(t, who, p); verdict != attacks.AsClaimed {
		t.Error(err)
	}
}

// TestTable: names are unique, every row has its source, and there are enough
// of them, most with a wall to take down.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	walled := 0
	for _, r := range append(attacks.Table(), attacks.Tier2Rows()...) {
		if seen[r.Name()] {
			t.Errorf("%s: is in the table twice", r.Name())
		}
		seen[r.Name()] = true
		if fault := r.Faults(); fault != "" {
			t.Errorf("%s: %s", r.Name(), fault)
		}
		if r.CanFail() {
			walled++
		}
		if strings.Count(r.Name(), "/") < 1 {
			t.Errorf("%s: is in no family", r.Name())
		}
	}
	const leastRows, leastWalled = 250, 220
	if len(seen) < leastRows || walled < leastWalled {
		t.Errorf("%d rows, of which %d can be shown to fail without their walls; want at least %d and %d", len(seen), walled, leastRows, leastWalled)
	}
}

// Each row names where it is on record: a CVE, an issue, or whose sandbox, judge or
// container does it. A few were made up from a manual page, for jail itself: no more of
// those, unless nobody has told of it.
func TestSources(t *testing.T) {
	onRecord := regexp.MustCompile(`CVE-\d|#\d|GHSA-|Bugtraq|[Mm]easured on|runc|isolate|bubblewrap|srt|sandbox-runtime|judge|codex|sandlock|httpjail|landrun|Docker|podman|fence|nsjail|Jupyter|pipelock|playground`)
	const most = 35
	var made []string
	for _, r := range append(attacks.Table(), attacks.Tier2Rows()...) {
		if r.Source() == "" {
			t.Errorf("%s: has no source", r.Name())
		}
		if !onRecord.MatchString(r.Source()) {
			made = append(made, r.Name())
		}
	}
	if len(made) > most {
		t.Errorf("%d rows are on no record, want at most %d: %q", len(made), most, made)
	}
}
