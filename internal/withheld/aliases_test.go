package withheld

import (
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/internal/hostmounts"
)

// In a container the mount alone says what a folder is: its name on the file system.
func TestHintsKnowWhatContainersMount(t *testing.T) {
	dir := closedTree(t, "keys-of/config", "ws/x")
	h := New()
	id, err := hostmounts.At(dir + "/ws")
	if err != nil {
		t.Fatal(err)
	}
	for root, want := range map[string]string{"/home/bob/.ssh": "keys", "/home/bob": "whole home", "/home/bob/.config": "hidden in a home", "/home/bob/job": "", "/var/lib/docker/volumes/v/_data": "", "/": ""} {
		h.mounts = hostmounts.List{{ID: id, Dev: "0:0", Root: root, Point: dir + "/ws"}}
		if got := h.keptBack(dir+"/ws", Write); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("of a mount of %s: %q, want %q", root, got, want)
		}
	}
}
