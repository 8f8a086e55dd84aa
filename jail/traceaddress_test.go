package jail

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// An address that the box has no way to is named where a program connects to it, and one
// of its own is not.
func TestTraceTellsOfAddresses(t *testing.T) {
	needListener(t)
	const python = "/usr/bin/python3"
	if _, err := os.Stat(python); err != nil {
		leaveOut(t, err.Error())
	}
	s := shell("")
	s.Args, s.Net, s.Trace = []string{python, "-c", `import socket
def to(family, *address):
    try: socket.socket(family, socket.SOCK_STREAM).connect(address)
    except OSError as e: return str(e)
print(to(socket.AF_INET, "10.1.2.3", 80), to(socket.AF_INET, "10.1.2.3", 80), to(socket.AF_INET6, "2001:db8::1", 443), to(socket.AF_INET6, "::ffff:10.1.2.4", 81))
to(socket.AF_INET, "127.0.0.1", 82), to(socket.AF_INET6, "::1", 83), to(socket.AF_INET, "0.0.0.0", 84)
raise SystemExit(1)`}, NetLoopback, true
	res := runBox(t, s, IO{})
	counts := map[string]int64{"connecting to 10.1.2.3:80": 2, "connecting to [2001:db8:0:0:0:0:0:1]:443": 1, "connecting to 10.1.2.4:81": 1}
	for _, d := range res.Denials {
		if !strings.HasPrefix(d.What, connectingTo) {
			continue
		}
		if counts[d.What] != d.Count || d.Errno != "ENETUNREACH" || d.Layer != LayerNamespaces || d.Never != noWayOut || d.Source != sourceAddresses || !slices.Contains(res.Observed.Sources, d.Source) {
			t.Errorf("%+v, want %v", d, counts)
		}
		delete(counts, d.What)
	}
	if len(counts) > 0 || !strings.Contains(res.Message, "it was refused the network: connecting to 10.1.2.3:80 (ENETUNREACH, 2 times)") || res.Hint != noNetwork || strings.Count(res.Stdout.Text, "unreachable") < 2 {
		t.Errorf("%v are missing in %s", counts, text(res))
	}
	addresses := newSeenPaths()
	for i := range 3 * mostAddresses {
		addresses.unreachable(addressText([]byte{10, 0, 0, byte(i)}, 1))
	}
	if list := addresses.addressDenials(); len(list) != mostAddresses+1 || list[mostAddresses].Count != 2*mostAddresses {
		t.Errorf("%+v: want %d addresses and the number of others", list, mostAddresses)
	}
}
