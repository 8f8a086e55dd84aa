package jail

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Why a box has no Landlock is what the kernel says: a filter's answer is not its own.
func TestWhyThereIsNoLandlock(t *testing.T) {
	for err, want := range map[error]string{unix.EOPNOTSUPP: "not switched on", unix.EPERM: "a system-call filter forbids", unix.EACCES: "a system-call filter forbids", nil: "has no Landlock"} {
		if got := noLandlock(err); !strings.Contains(got, want) {
			t.Errorf("noLandlock(%v) = %q, want %q", err, got, want)
		}
	}
	if got := noLandlock(unix.ENOSYS); !strings.HasPrefix(got, "this kernel has no Landlock") || strings.Contains(got, "filter") != filtered() {
		t.Errorf("noLandlock(ENOSYS) = %q under a filter: %v", got, filtered())
	}
}
