package seccomp

import (
	"os"
	"os/exec"
	"testing"
)

// TestRebuild compiles the policy again and compares it with the committed
// filters. It fails where it cannot: a filter that nobody compared is not one to
// trust. JAIL_SKIP_REBUILD holds the reason where that is accepted.
func TestRebuild(t *testing.T) {
	if why := os.Getenv("JAIL_SKIP_REBUILD"); why != "" {
		t.Skip("JAIL_SKIP_REBUILD:", why)
	}
	cmd := exec.Command("go", "run", "./internal/gen", "-check")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "GOOS=", "GOARCH=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go run ./internal/gen -check: %v\n%s\n(needs a C compiler and libseccomp-dev 2.5.4, as Debian 12 has; "+
			"to go without, set JAIL_SKIP_REBUILD to the reason)", err, out)
	}
}
