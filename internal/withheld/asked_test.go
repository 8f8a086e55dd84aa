package withheld

import (
	"os"
	"testing"
)

// What is not looked at is not said to be gone; what links lead to is not at their names.
func TestGone(t *testing.T) {
	dir := closedTree(t, "data.txt", "granted/in.txt")
	os.Symlink("data.txt", dir+"/link")
	os.Symlink("../data.txt", dir+"/granted/out")
	h := New()
	h.closed = append(h.closed, dir+"/far")
	os.Mkdir(dir+"/far", 0o755)
	for p, want := range map[string]bool{"/data.txt": false, "/granted": false, "/nothing": true, "/link": true, "/far": false, "/far/x": false, "/farther": true} {
		if got := h.Gone(dir + p); got != want {
			t.Errorf("Gone(%s) = %v, want %v", p, got, want)
		}
	}
	for from, want := range map[string]bool{"/link": true, "/granted/out": true, "/data.txt": true, "/granted/in.txt": false, "/nothing": false} {
		if got := h.Lead(dir+from, dir+"/data.txt"); got != want {
			t.Errorf("Lead(%s) = %v, want %v", from, got, want)
		}
	}
	h.over = true
	if h.Gone(dir + "/nothing") {
		t.Errorf("what could not be looked at in time is said to be gone")
	}
}
