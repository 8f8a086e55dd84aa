package main

import (
	"os"
	"testing"

	"github.com/seed-75010da9/jail/test/shipped"
	"golang.org/x/sys/unix"
)

// TestPlaceIsSeenNowhereElse: the host's mount table stays as it is, whichever
// thread the place got.
func TestPlaceIsSeenNowhereElse(t *testing.T) {
	if os.Geteuid() != 0 {
		shipped.LeaveOut(t, "it needs root")
	}
	dir := t.TempDir()
	before, err := mountCount()
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		p, err := newPlace(func() error { return unix.Mount(dir, dir, "", unix.MS_BIND, "") })
		if err != nil {
			t.Fatal(err)
		}
		var inside, main string
		p.do(func() {
			inside, _ = os.Readlink("/proc/thread-self/ns/mnt")
			main, _ = os.Readlink("/proc/self/ns/mnt")
		})
		if inside == main || inside == "" {
			t.Errorf("mount namespace in the place = %s, of the program = %s, want two", inside, main)
		}
		if now, err := mountCount(); err != nil || now != before {
			t.Errorf("the program sees %d mounts, want %d: %v", now, before, err)
		}
		p.close()
	}
}
