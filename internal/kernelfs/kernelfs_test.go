package kernelfs

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// What this machine has mounted is called the same by both.
func TestNameOfMounts(t *testing.T) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for line := range strings.Lines(string(text)) {
		mount, filesystem, _ := strings.Cut(line, " - ")
		kind, _, _ := strings.Cut(filesystem, " ")
		var st unix.Statfs_t
		point := strings.Fields(mount)[4]
		if kind == "autofs" || strings.HasPrefix(kind, "fuse.") || strings.HasPrefix(kind, "nfs") || unix.Statfs(point, &st) != nil {
			continue
		}
		name := Name(int64(st.Type))
		switch {
		case kind == "devtmpfs" || kind == "nsfs":
		case name != "" && name != kind: // it is covered by another
		case Mounted(kind) != (name != ""):
			t.Errorf("at %s: Name = %q, Mounted(%q) = %v, want both or none", point, name, kind, Mounted(kind))
		default:
			seen++
		}
	}
	if seen == 0 {
		t.Error("no mount was seen")
	}
}
