package jail

import (
	"fmt"
	"strings"
	"testing"
)

// However much is ours in a view, a plan's first part has room in its message, and
// nothing is left out.
func TestFirstPartHasRoom(t *testing.T) {
	for _, n := range []int{1, 30, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 60, 100, 3000} {
		s := shell("ls -d /made-*; test -s /f")
		for i := range n { // of all that there is to make a tmpfs takes the most
			s.View = append(s.View, Mount{Kind: MountTmpfs, Target: fmt.Sprintf("/made-%d%s", i, strings.Repeat("-", 60)), Size: 1 << 20})
		}
		s.View = append(s.View, Mount{Kind: MountFile, Target: "/f", Content: strings.Repeat("x", 10*n)})
		v, faults := resolve(s)
		if faults != nil {
			t.Fatal(faults)
		}
		p, err := compile(s, root(), v, shape{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.first) > firstRoom {
			t.Errorf("%d folders: a first part of %d bytes, want at most %d", n, len(p.first), firstRoom)
		}
		if made := strings.Count(p.Text(), "FSCONFIG_SET_STRING, \"size\"") - 3; made != n {
			t.Errorf("%d folders: %d are made", n, made)
		}
		if n > 100 {
			continue
		}
		if res := runBox(t, s, IO{}); res.Reason != ReasonOK || strings.Count(res.Stdout.Text, "\n") != n {
			t.Errorf("%d folders: the box has %.200s", n, res.Stdout.Text)
		}
	}
}
