package jail

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// What keeps a box from its session keyring is told as that, and not as namespaces that
// can't be had.
func TestCloneErrorsOfKeys(t *testing.T) {
	for errno, remedy := range map[unix.Errno]string{unix.EDQUOT: "kernel.keys.maxkeys", unix.EKEYREJECTED: "security module"} {
		var e *SetupError
		if !errors.As(cloneError(errno), &e) || e.Operation != "keyctl" || !strings.Contains(e.Remedy, remedy) || strings.Contains(e.Remedy, "user namespaces") {
			t.Errorf("%v: %+v", errno, e)
		}
	}
}
