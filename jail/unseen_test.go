package jail

import (
	"slices"
	"strings"
	"testing"
)

// Where there is a loopback, what the kernel answers for every other network is told to
// be seen by nobody.
func TestUnreachableNetworkIsUnseen(t *testing.T) {
	for net, want := range map[Net]bool{NetNone: false, NetLoopback: true} {
		s := shell("exit 1")
		s.Net = net
		res := runBox(t, s, IO{})
		if got := res.Observed != nil && slices.ContainsFunc(res.Observed.Blind, func(b string) bool { return strings.Contains(b, "ENETUNREACH") }); got != want {
			t.Errorf("net %s: %+v", net, res.Observed)
		}
	}
}
