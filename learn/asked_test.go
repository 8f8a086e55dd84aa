package learn

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
)

// What a program asked of whether it may write to it, and did not, is told, and is told as
// what may be why it ended otherwise enforced.
func TestAskedToWrite(t *testing.T) {
	asked := func(p string) jail.PathUse {
		u := read(p)
		u.MayWrite = true
		return u
	}
	l := From("base", []string{"x"}, []Watched{watched(asked("/proj/in"), asked("/proj/o/out"), made("/proj/o/out"), read("/proj/data"))})
	about := func(p string) bool {
		return slices.ContainsFunc(l.Open, func(line string) bool { return strings.Contains(line, "asked whether it may write to \""+p+"\"") })
	}
	for p, want := range map[string]bool{"/proj/in": true, "/proj/o/out": false, "/proj/data": false} {
		if about(p) != want {
			t.Errorf("%q: told of %s %v, want %v", l.Open, p, !want, want)
		}
	}
	if slices.ContainsFunc(l.Writable, func(g Grant) bool { return g.Host == "/proj/in" }) {
		t.Errorf("%+v: grants what was only asked for", l.Writable)
	}

	zero, three, was := 0, 3, asked("/proj/in")
	was.Source = was.Path
	in := jail.Result{Reason: jail.ReasonOK, ExitCode: &zero, Used: &jail.Used{Paths: []jail.PathUse{was}}}
	same := jail.Result{Reason: jail.ReasonOK, ExitCode: &zero, Used: &jail.Used{Unwritable: []string{"/proj/in"}}}
	if c := Compare(jail.Spec{}, in, jail.Spec{}, same); !c.Same || len(c.Differences) > 0 {
		t.Errorf("%+v: it went on whatever it was told", c)
	}
	other := same
	other.Reason, other.ExitCode = jail.ReasonExecutionFailed, &three
	c := Compare(jail.Spec{}, in, jail.Spec{}, other)
	if n := len(c.Differences); n != 2 || !strings.Contains(c.Differences[1], `view.rw = ["/proj/in"]`) {
		t.Errorf("%q: want the end, and what it was told", c.Differences)
	}
	c = Compare(jail.Spec{}, in, jail.Spec{}, same)
	if c.Tell([]string{"it said something else"}); c.Same || len(c.Differences) != 2 {
		t.Errorf("%q: want what was said, and what it was told", c.Differences)
	}
}

// A file that is called as keys are is granted where it was used, and its line says so.
func TestKeysAreTold(t *testing.T) {
	l := From("base", []string{"x"}, []Watched{watched(read("/proj/server.key"), read("/proj/data"))})
	for _, g := range l.ReadOnly {
		if told := strings.Contains(g.Why, "called as keys and tokens are"); told != (g.Host == "/proj/server.key") {
			t.Errorf("%s: %q", g.Host, g.Why)
		}
	}
}
