package jail

import (
	"slices"
	"strings"
	"testing"
)

func TestKernelMounts(t *testing.T) {
	const mountinfo = `22 27 0:21 / /proc rw,relatime - proc proc rw
23 27 0:22 / /srv/tree\040one/sys ro,relatime shared:7 - sysfs sysfs rw
24 27 254:0 / /srv/tree\040one rw,relatime master:1 - ext4 /dev/vda rw
25 27 0:5 / /srv/dev rw - devtmpfs none rw
a line of another kind
26 27 0:30 /
`
	got, want := kernelMounts(mountinfo), []string{"/proc", "/srv/tree one/sys", "/srv/dev"}
	if !slices.Equal(got, want) {
		t.Errorf("kernelMounts = %q, want %q", got, want)
	}
}

// A grant brings the mounts below it along, so none of them may be the
// kernel's. /usr and its like have none; / would have all.
func TestGrantAroundKernelMounts(t *testing.T) {
	points := []string{"/srv/chroot/proc"}
	for source, refused := range map[string]bool{"/srv": true, "/srv/chroot": true, "/srv/chroot/pro": false, "/srv/chroot/bin": false, "/sr": false} {
		r := &resolver{kernel: &points}
		if why := r.kernelMountBelow(source); strings.Contains(why, "/srv/chroot/proc") != refused {
			t.Errorf("kernelMountBelow(%q) = %q, want refused: %v", source, why, refused)
		}
	}
}
