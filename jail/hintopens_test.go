package jail

import (
	"net"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/seccomp"
	"golang.org/x/sys/unix"
)

// --unix is named with what it opens where Landlock does not keep sockets, and not where
// a folder that was granted has one.
func TestUnixIsHintedWithWhatItOpens(t *testing.T) {
	dir := closedTree(t, "quiet/x", "loud/deep/er/x", "loud/ws/")
	for i := range 2500 { // which a box made there, to be looked at first
		os.WriteFile(dir+"/loud/ws/"+strconv.Itoa(i), nil, 0o644)
	}
	l, err := net.Listen("unix", dir+"/loud/deep/er/bus")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	nr, _ := seccomp.Number("socket")
	call := &refused{name: "socket", nr: int32(nr), arch: seccomp.Arch(), args: [6]uint64{unix.AF_UNIX, unix.SOCK_STREAM}}
	for _, c := range []struct {
		folder       string
		abi          int
		hinted       bool
		opens, never string
	}{
		{"quiet", 7, true, "every Unix socket", ""}, {"quiet", 9, true, "", ""}, {"loud", 7, false, "", "and one lies in " + dir + "/loud/deep/er"}, {"loud", 9, true, "", ""}, {"", 7, true, "every Unix socket", ""},
	} {
		s := Spec{Args: []string{"true"}, Limits: Limits{}.WithDefaults()}
		if c.folder != "" {
			s.View = []Mount{ro(dir+"/"+c.folder, dir+"/"+c.folder)}
		}
		h := ordinary()
		h.landlockABI = c.abi
		r := afterwards(t, s, h, shape{})
		r.view, _ = resolve(s)
		r.plan.view = r.view
		g := r.unixGrant()
		if (g.flags == "--unix") != c.hinted || !strings.Contains(g.opens, c.opens) || (g.opens == "") != (c.opens == "") || !strings.Contains(g.never, c.never) || (g.never == "") != c.hinted {
			t.Errorf("%s, ABI %d: %+v, want hinted: %v", c.folder, c.abi, g, c.hinted)
		}
		if c.abi < abiResolveUnix {
			if got := r.grantOf(call); got != g {
				t.Errorf("%s: grantOf = %+v, want %+v", c.folder, got, g)
			}
		}
	}
	s := Spec{Args: []string{"true"}, Limits: Limits{}.WithDefaults(), Tier: Tier2}
	h := ordinary()
	h.landlockABI = abiResolveUnix
	if g := afterwards(t, s, h, shape{}).unixGrant(); g.flags != "--unix" || !strings.Contains(g.opens, "abstract names") {
		t.Errorf("tier 2: %+v, want what it opens", g)
	}
	d := Denial{Grant: "--unix", Opens: "every socket"}
	if d.wayOut() != "--unix allows it, and opens every socket" || d.Way() != "--unix, which opens every socket" {
		t.Errorf("%q, %q", d.wayOut(), d.Way())
	}
}

// A folder to be written is named with what lies in it and is run by somebody.
func TestFoldersAreHintedWithWhatTheyOpen(t *testing.T) {
	needListener(t)
	dir := closedTree(t, "job/.git/config", "job/.husky/x", "job/in.txt", "plain/x")
	for script, opens := range map[string]string{"echo x >DIR/job/new": "its .git, .husky as well", "echo x >DIR/plain/new": "", "cat DIR/job/in.txt": ""} {
		s := shell(strings.ReplaceAll(script, "DIR", dir) + " || exit 1")
		s.View, s.Trace = append(s.View, ro(dir+"/plain", dir+"/plain")), true
		res := runBox(t, s, IO{})
		if !strings.Contains(res.Hint, " allows it") || !strings.Contains(res.Hint, opens) || strings.Contains(res.Hint, "and opens") != (opens != "") {
			t.Errorf("%s: hint %q, want it to open %q", script, res.Hint, opens)
		}
	}
}
