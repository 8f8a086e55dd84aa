package hostmounts

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
	want := List{
		{22, "0:21", "/", "/proc", false, "proc", "rw,subset=pid"},
		{23, "0:22", "/", "/srv/tree one/sys", true, "sysfs", "rw"},
		{24, "254:0", "/a\nb", "/srv/tree one", false, "ext4", "rw,errors=continue"},
	}
	if got := parse(mountinfo); !slices.Equal(got, want) {
		t.Errorf("parse = %+v, want %+v", got, want)
	}
}

// What would wake an automounter, or may never answer, is not looked at.
func TestClosedMounts(t *testing.T) {
	mounts := List{
		{Point: "/proc", Kind: "proc"}, {Point: "/srv/chroot/proc", Kind: "proc"}, {Point: "/srv", Kind: "ext4"},
		{Point: "/net", Kind: "autofs"}, {Point: "/mnt/s", Kind: "fuse.sshfs"}, {Point: "/mnt/b", Kind: "fuseblk"},
	}
	if got, want := mounts.Closed(), []string{"/srv/chroot/proc", "/net", "/mnt/s", "/mnt/b"}; !slices.Equal(got, want) {
		t.Errorf("Closed() = %q, want %q", got, want)
	}
}
