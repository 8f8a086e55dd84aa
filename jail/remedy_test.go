package jail

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Nobody is told to let everybody into root's home.
func TestUnreachable(t *testing.T) {
	for p, want := range map[string]string{"/root/.pyenv/versions/3.11.7": "outside of /root", "/root": "outside of /root", "/srv/x": "let everybody pass", "/rooted": "let everybody pass"} {
		if got := unreachable(p); !strings.Contains(got, want) || strings.Contains(got, "everybody") != (want == "let everybody pass") {
			t.Errorf("unreachable(%q) = %q, want %q", p, got, want)
		}
	}
}

// What a shell was to read is told to be given to one.
func TestShellLine(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"ls | wc"}, "sh -c 'ls | wc'"}, {[]string{"export", "A=1"}, "sh -c 'export A=1 && …'"}, {[]string{"ls /tmp"}, ""}, {[]string{"ls|wc"}, ""}, {[]string{"nosuch", "a | b"}, ""},
	} {
		if got := shellLine(c.args); !strings.HasSuffix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("shellLine(%q) = %q, want %q", c.args, got, c.want)
		}
	}
}

// A caller without room for the program's process is told whose limit that is.
func TestNoRoomForTheProgram(t *testing.T) {
	p := testPlan(t, shell("true"), shape{})
	e := (&Step{Stage: StageExec, Operation: "clone", Operand: "the program's process"}).failure(-int32(unix.EAGAIN), p)
	if e.Remedy != moreProcesses {
		t.Errorf("remedy %q, want %q", e.Remedy, moreProcesses)
	}
}
