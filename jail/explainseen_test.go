package jail_test

import (
	"os"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
)

// TestExplainShowsWhatIsUnseen: paths in a plan may be of an earlier run's choice, and
// people read it on terminals.
func TestExplainShowsWhatIsUnseen(t *testing.T) {
	const odd = "out\x1b[mx\u202ey\u3164"
	spec := shell("true")
	dir := t.TempDir() + "/" + odd
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	spec.View = append(spec.View, jail.Mount{Kind: jail.MountRO, Source: dir, Target: "/in/" + odd})
	plan, err := jail.Explain(spec)
	if err != nil {
		t.Fatal(err)
	}
	if text := plan.Text(); strings.ContainsAny(text, "\x1b\u202e\u3164") || !strings.Contains(text, `out\x1b[mx\u202ey\u3164`) {
		t.Errorf("what can't be seen stands raw, or not at all, in\n%+q", text)
	}
}
