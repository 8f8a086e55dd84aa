package jail

import (
	"os"
	"strconv"
	"testing"
)

// Who has a parent's address space, as between vfork and execve, adds nothing; and
// of whom the part is not told counts in full.
func TestShared(t *testing.T) {
	self, parent := os.Getpid(), os.Getppid()
	folder := func(pid int) string { return "/proc/" + strconv.Itoa(pid) }
	if !oneMemory(folder(self), folder(self)) {
		leaveOut(t, "this kernel does not compare address spaces (kcmp)")
	}
	if oneMemory(folder(self), folder(parent)) {
		t.Error("this process and its parent are said to have one address space")
	}
	me := member{folder: folder(self), pid: self}
	alone := treeUse{members: []member{me}}.shared(1 << 40)
	if alone < 1<<20 {
		t.Errorf("of this process: %d bytes, want at least 1 MiB", alone)
	}
	child := me
	child.parent = self
	child.pid++
	if got := (treeUse{members: []member{me, child}}).shared(1 << 40); got > alone*3/2 {
		t.Errorf("with a child in the same memory: %d bytes, want about %d", got, alone)
	}
	untold := member{folder: t.TempDir(), pid: 1}
	if err := os.WriteFile(untold.folder+"/status", []byte("RssAnon:\t9 kB\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what    string
		members []member
		enough  int64
		want    int64
	}{
		{"two that tell the whole alone", []member{untold, untold}, 1 << 40, 18 << 10},
		{"three, of which two are more than enough", []member{untold, untold, untold}, 10 << 10, 18 << 10},
		{"one that has ended", []member{{folder: "/proc/no-such", pid: 1}}, 1 << 40, 0},
	} {
		if got := (treeUse{members: c.members}).shared(c.enough); got != c.want {
			t.Errorf("of %s: %d, want %d", c.what, got, c.want)
		}
	}
}
