package runner

import (
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

// What is thrown about a file that is not in the box, or can't be written to, is
// answered with what to type.
func TestErrorsOfFilesAreAnswered(t *testing.T) {
	for _, c := range []struct {
		language     Language
		source, hint string
	}{
		{Python, "open('/srv/nowhere/x', 'w')", "its error tells of a file (No such file or directory: \"/srv/nowhere/x\"): "},
		{Python, "open('/usr/x', 'w')", "its error tells of a file (Read-only file system: \"/usr/x\"): a box writes to its /tmp"},
		{Python, "import ctypes; ctypes.CDLL('libnone.so')", "its error tells of a file (No such file or directory: \"libnone.so\"): "},
		{Python, "import no_such_package", "its error tells of a module (ModuleNotFoundError: \"no_such_package\"): "},
		{Node, "require('node:fs').writeFileSync('/srv/nowhere/x', '')", "its error tells of a file (ENOENT: \"/srv/nowhere/x\"): "},
		{Node, "require('no-such-package')", "its error tells of a module (Cannot find module: \"no-such-package\"): "},
		{Python, "import socket\ntry: socket.create_connection(('192.0.2.1', 80))\nexcept OSError: pass\nopen('/srv/nowhere/x')", "its error tells of a file (No such file or directory: \"/srv/nowhere/x\"): "},
		{Python, "1/0", ""},
		{Node, "throw new Error('not so')", ""},
	} {
		res := evaluate(t, c.language, Request{Source: c.source}, profiles.Overrides{})
		if res.Reason != jail.ReasonExecutionFailed || !strings.HasPrefix(res.Hint, c.hint) || (res.Hint == "") != (c.hint == "") ||
			c.hint != "" && !strings.Contains(res.Hint, "with --trace") {
			t.Errorf("%s: %s: %s, %q, want hint %q", c.language, c.source, res.Reason, res.Hint, c.hint)
		}
	}
}
