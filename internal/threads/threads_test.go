package threads

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// In a process of its own, which has as few threads as any.
func TestClaim(t *testing.T) {
	if os.Getenv("JAIL_TEST_THREADS") == "" {
		cmd := exec.Command("/proc/self/exe", "-test.run=^TestClaim$")
		cmd.Env = append(os.Environ(), "JAIL_TEST_THREADS=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	count := func() int { n, _ := runtime.ThreadCreateProfile(nil); return n }
	one := ForBox + base + runtime.GOMAXPROCS(0)
	if m := Missing(1); m <= 0 {
		t.Fatalf("Missing(1) = %d, want some", m)
	}
	first := Claim()
	if n := count(); n < one || Missing(0) != 0 {
		t.Errorf("%d threads for one box and %d missing, want %d and none", n, Missing(0), one)
	}
	if m := Missing(1); m != one+ForBox-count() {
		t.Errorf("Missing(1) beside a box = %d, want %d", m, one+ForBox-count())
	}
	first()
	had := count()
	Claim()()
	if n := count(); n != had {
		t.Errorf("%d threads for a second box after the first, want the %d that there are", n, had)
	}
	Keep(3)
	if n, want := count(), one+2*ForBox; n < want || Missing(3) != 0 || Missing(4) <= 0 {
		t.Errorf("%d threads kept for 3 boxes, %d missing for them, want %d and none", n, Missing(3), want)
	}
}

func TestRoom(t *testing.T) {
	for _, line := range []string{"Umask:\t0022\nUid:\t7\t8\t8\t8\nGid:\t9\n", "Name:\tx\nUid:\t7"} {
		if n, ok := field([]byte(line), "Uid"); n != 7 || !ok {
			t.Errorf("field(%q, Uid) = %d, %v, want 7", line, n, ok)
		}
	}
	if n, ok := field([]byte("Name:\tUid\n"), "Uid"); ok {
		t.Errorf("field = %d of a text without it", n)
	}
	if n := Of(os.Getuid()); n < 2 {
		t.Errorf("tasks = %d, want this process's threads at least", n)
	}
	if all, own := everybodys(), Of(os.Getuid()); all < 2 || all > 1<<22 || own > all+50 { // some come and go
		t.Errorf("everybodys = %d, and the user has %d of them", all, own)
	}
	for _, g := range groups() {
		if !strings.HasPrefix(g, "/sys/fs/cgroup") {
			t.Errorf("groups: %q lies elsewhere", g)
		}
	}
	if room := Room(1); room <= 0 {
		t.Errorf("Room = %d, want some for this test to have started", room)
	}
}
