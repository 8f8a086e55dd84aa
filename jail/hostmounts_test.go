package jail

import (
	"slices"
	"testing"
)

func TestParseMounts(t *testing.T) {
	const mountinfo = `22 27 0:21 / /proc rw,relatime - proc proc rw,subset=pid
23 27 0:22 / /srv/tree\040one/sys ro,relatime shared:7 - sysfs sysfs rw
24 27 254:0 /a\012b /srv/tree\040one rw,relatime master:1 propagate_from:2 - ext4 /dev/vda rw,errors=continue
a line of another kind
26 27 0:30 /
27 27 0:31 / /srv/x rw shared:3
`
	want := hostMounts{
		{22, "0:21", "/", "/proc", false, "proc", "rw,subset=pid"},
		{23, "0:22", "/", "/srv/tree one/sys", true, "sysfs", "rw"},
		{24, "254:0", "/a\nb", "/srv/tree one", false, "ext4", "rw,errors=continue"},
	}
	if got := parseMounts(mountinfo); !slices.Equal(got, want) {
		t.Errorf("parseMounts = %+v, want %+v", got, want)
	}
}

// What would wake an automounter, or may never answer, is not looked at.
func TestClosedMounts(t *testing.T) {
	mounts := hostMounts{
		{point: "/proc", kind: "proc"}, {point: "/srv/chroot/proc", kind: "proc"}, {point: "/srv", kind: "ext4"},
		{point: "/net", kind: "autofs"}, {point: "/mnt/s", kind: "fuse.sshfs"}, {point: "/mnt/b", kind: "fuseblk"},
	}
	if got, want := mounts.closed(), []string{"/srv/chroot/proc", "/net", "/mnt/s", "/mnt/b"}; !slices.Equal(got, want) {
		t.Errorf("closed() = %q, want %q", got, want)
	}
}
