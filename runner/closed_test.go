package runner

import (
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

// A source that closes or shuts the descriptor of its value has none, is told so, and its
// errors go where a program's do; what it has opened in that one's place gets nothing.
func TestValueDescriptorIsClosed(t *testing.T) {
	const reopen = "import os, socket\nos.closerange(3, 100)\nfds = [os.open('/tmp/x', os.O_RDWR | os.O_CREAT) for _ in range(20)]\n"
	const shut = "import os, socket, stat\nfor n in range(3, 30):\n  try:\n    if stat.S_ISSOCK(os.fstat(n).st_mode): socket.socket(fileno=os.dup(n)).shutdown(2)\n  except OSError: pass\n"
	for _, c := range []struct {
		language Language
		source   string
		reason   jail.Reason
		stderr   string
	}{
		{Python, "import os; os.closerange(3, 100); return 1", jail.ReasonInvalidOutput, "has closed the descriptor"},
		{Python, "import os; os.closerange(3, 100); 1/0", jail.ReasonExecutionFailed, "ZeroDivisionError"},
		{Python, shut + "return 1", jail.ReasonInvalidOutput, "has closed the descriptor"},
		{Python, reopen + "return 1", jail.ReasonInvalidOutput, "has closed the descriptor"},
		{Node, "require('fs').closeSync(3); return 1", jail.ReasonInvalidOutput, "has closed the descriptor"},
		{Node, "require('fs').closeSync(3); null.x", jail.ReasonExecutionFailed, "TypeError"},
		{Node, "const fs = require('fs'); fs.closeSync(3); fs.openSync('/tmp/x', 'w'); return 1", jail.ReasonInvalidOutput, "has closed the descriptor"},
	} {
		res := evaluate(t, c.language, Request{Source: c.source}, profiles.Overrides{})
		if res.Reason != c.reason || !strings.Contains(res.Stderr.Text, c.stderr) || strings.Contains(res.Stderr.Text, "runner>") || strings.Contains(res.Stderr.Text, "[eval]") {
			t.Errorf("%s: %s: reason %s: %s; stderr %s", c.language, c.source, res.Reason, res.Message, res.Stderr.Text)
		}
		if c.reason == jail.ReasonInvalidOutput && !strings.Contains(res.Hint, "closes descriptors") {
			t.Errorf("%s: %s: hint %q", c.language, c.source, res.Hint)
		}
	}
}
