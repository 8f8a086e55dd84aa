package container

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The table of attacks holds in the container as on the host: this is where boxes
// of tier 2 are for. It is run by root, who becomes an ordinary user for half of
// it, and in a pod by that user alone.
func TestAttacks(t *testing.T) {
	if testing.Short() {
		t.Skip("not in a short run: the table is run on the host as well")
	}
	binary := filepath.Join(site, "escape.test")
	build := exec.Command("go", "test", "-c", "-o", binary, "github.com/seed-75010da9/jail/test/escape")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, who := range []member{members[0], podUser} {
		e := in(t, who, binary, "-test.v", "-test.run=^TestTier2$")
		if e.status != 0 || !strings.Contains(e.stdout, "--- PASS: TestTier2/") {
			t.Errorf("%s: status %d\n%s%s", who.name, e.status, failures(e.stdout), e.stderr)
		}
		t.Logf("%s: %d attacks passed, %d skipped", who.name, strings.Count(e.stdout, "        --- PASS: "), strings.Count(e.stdout, "        --- SKIP: "))
	}
}

// failures are the lines of a test's output that are about what failed.
func failures(output string) string {
	var lines []string
	for line := range strings.Lines(output) {
		if strings.Contains(line, "FAIL") || strings.Contains(line, "_test.go:") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[:min(len(lines), 100)], "")
}
