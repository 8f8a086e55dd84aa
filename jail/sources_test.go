package jail

import (
	"strings"
	"testing"
)

// A grant brings the mounts below it along, so none of them may be the
// kernel's. /usr and its like have none; / would have all.
func TestGrantAroundKernelMounts(t *testing.T) {
	places := &Places{mounts: hostMounts{{point: "/srv", kind: "ext4"}, {point: "/srv/chroot/proc", kind: "proc"}}, read: true}
	for source, refused := range map[string]bool{"/srv": true, "/srv/chroot": true, "/srv/chroot/pro": false, "/srv/chroot/bin": false, "/sr": false} {
		r := &resolver{places: places}
		if why := r.kernelMountBelow(source); strings.Contains(why, "/srv/chroot/proc") != refused {
			t.Errorf("kernelMountBelow(%q) = %q, want refused: %v", source, why, refused)
		}
	}
}
