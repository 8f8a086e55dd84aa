package cgroups

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// blockDevice is a new block device of that many bytes, in place of a disk.
func blockDevice(t *testing.T, size int64) string {
	t.Helper()
	control, err := os.OpenFile("/dev/loop-control", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("not for a host without loop devices, or a user who may not make one: %v", err)
	}
	defer control.Close()
	number, err := unix.IoctlRetInt(int(control.Fd()), unix.LOOP_CTL_GET_FREE)
	if err != nil {
		t.Fatal(err)
	}
	backing, err := os.Create(filepath.Join(t.TempDir(), "disk"))
	if err != nil {
		t.Fatal(err)
	}
	defer backing.Close()
	if err := backing.Truncate(size); err != nil {
		t.Fatal(err)
	}
	name := "/dev/loop" + strconv.Itoa(number)
	device, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetInt(int(device.Fd()), unix.LOOP_SET_FD, int(backing.Fd())); err != nil {
		device.Close()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		unix.IoctlSetInt(int(device.Fd()), unix.LOOP_CLR_FD, 0)
		device.Close()
	})
	return name
}

// What a group reads from a disk and writes to one is counted wherever its parent
// has the controller io, and is not known elsewhere.
func TestIOIsCounted(t *testing.T) {
	p := testParent(t)
	g := testGroup(t, p, small)
	s, err := g.Stats()
	if err != nil {
		t.Fatal(err)
	}
	has := ""
	if p.Version() == V2 {
		if has, err = p.dirs[0].read("cgroup.controllers"); err != nil {
			t.Fatal(err)
		}
	}
	counts := slices.Contains(strings.Fields(has), controllerIO)
	if got := s.IORead != nil && s.IOWrite != nil; got != counts || counts && *s.IORead+*s.IOWrite != 0 {
		t.Fatalf("Stats() of an idle group below one with %q has io %v, %v", has, s.IORead, s.IOWrite)
	}
	if !counts {
		return
	}
	const size = 1 << 20
	disk := blockDevice(t, 2*size)
	for _, words := range [][]string{
		{"dd", "if=/dev/zero", "of=" + disk, "bs=1M", "count=1", "oflag=direct", "conv=notrunc"},
		{"dd", "if=" + disk, "of=/dev/null", "bs=1M", "count=2", "iflag=direct"},
	} {
		if out, err := enter(g, exec.Command(words[0], words[1:]...)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", words, err, out)
		}
	}
	if s, err = g.Stats(); err != nil {
		t.Fatal(err)
	}
	// What dd itself is read from may lie on a disk, too.
	if *s.IOWrite < size || *s.IOWrite > 2*size || *s.IORead < 2*size {
		t.Errorf("Stats() after %d bytes written and %d read: %d written and %d read", size, 2*size, *s.IOWrite, *s.IORead)
	}
}

// A controller that is not there is refused with the kernel's own word on it: one
// that a group was not given is something else than one that it does not know.
func TestLackOfAController(t *testing.T) {
	g := testBareGroup(t, testV2(t))
	d := g.dirs[0]
	has, err := d.read("cgroup.controllers")
	if err != nil {
		t.Fatal(err)
	}
	all := []string{"pids", "memory", "cpu", controllerIO, "cpuset"}
	var known []string
	if text, err := os.ReadFile("/proc/cgroups"); err == nil {
		for line := range strings.Lines(string(text)) {
			// Its name, hierarchy and groups, and whether it is switched on at boot.
			if f := strings.Fields(line); len(f) == 4 && f[3] == "1" {
				known = append(known, f[0])
			}
		}
	}
	i := slices.IndexFunc(all, func(c string) bool {
		return !slices.Contains(strings.Fields(has), c) && slices.Contains(known, c)
	})
	for _, tt := range []struct {
		controller string
		errno      unix.Errno
		remedy     string
	}{{"nonesuch", unix.EINVAL, remedySwitchedOff}, {all[max(i, 0)], unix.ENOENT, remedyNotHandedDown}} {
		if i < 0 && tt.errno == unix.ENOENT {
			continue // this group was given all of them
		}
		err := d.lacks([]string{tt.controller})
		var e *Error
		if !errors.As(err, &e) || e.Missing != "controller "+tt.controller || !errors.Is(err, tt.errno) ||
			e.Path != d.path+"/cgroup.subtree_control" || e.Value != "+"+tt.controller || e.Remedy != tt.remedy {
			t.Errorf("lacks(%s) = %+v, want %v of cgroup.subtree_control", tt.controller, err, tt.errno)
		}
	}
}
