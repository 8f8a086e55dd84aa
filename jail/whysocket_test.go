package jail

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/withheld"
)

// No flag is named that does not lead to a socket, nor is one said not to be that does.
func TestWhyOfSocketsThatAreNotThere(t *testing.T) {
	dir := tracedTree(t)
	at := filepath.Join(dir, "granted", "s")
	l, err := net.Listen("unix", at)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	os.Chmod(at, 0o777)
	kept := landlockABI() >= abiUnix
	for _, allowed := range []bool{false, true} {
		s := shell("true")
		s.Unix = allowed
		access := "connect it"
		if !allowed && !kept {
			access = "have a socket"
		}
		_, tries := whyOf(t, s, "unix:"+at)
		if got := tries[access]; got.Allowed || got.Grant != "" || kept != strings.HasPrefix(got.Never, "Landlock keeps") || !kept && !strings.HasPrefix(got.Never, withheld.NotHinted+"--unix opens it together") {
			t.Errorf("--unix %v, outside of the box: %+v", allowed, got)
		}
		_, tries = whyOf(t, s, "unix:"+dir+"/nothing")
		if got := tries[access]; got.Allowed || got.Never != "" || !strings.Contains(got.Why, "there is no such socket in the box") {
			t.Errorf("--unix %v, nowhere: %+v", allowed, got)
		}
		_, tries = whyOf(t, s, "unix:@name")
		if got := tries[access]; got.Allowed || got.Grant != "" || !strings.HasPrefix(got.Never, "no abstract name leads out") {
			t.Errorf("--unix %v, abstract: %+v", allowed, got)
		}
	}
	if address, ok := unixAddress("@ab"); !ok || string(address) != string([]byte{unix.AF_UNIX, 0, 0, 'a', 'b'}) {
		t.Errorf("%q, %v", address, ok)
	}
}
