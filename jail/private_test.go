package jail

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// aRun is a run of tier 2 on this host that has no box yet.
func aRun(t *testing.T) *run {
	t.Helper()
	r := newRun(t.Context(), tier2(t, "true"))
	t.Cleanup(r.close)
	if err := r.check(); err != nil {
		t.Fatal(err)
	}
	return r
}

// left makes the folder of a supervisor that is gone, and gives back its path.
func left(t *testing.T, r *run) string {
	t.Helper()
	if err := r.makePrivate(); err != nil {
		t.Fatal(err)
	}
	path := r.private
	r.fds.closeAll() // and with it the lock
	r.fds, r.private = nil, ""
	return path
}

// Only what jail made is swept, whatever else is called alike.
func TestSweepsOnlyPrivateFolders(t *testing.T) {
	r := aRun(t)
	marked := left(t, r)
	base := filepath.Dir(marked)
	if unix.Lsetxattr(base, privateMark, []byte(markBox), 0) != nil {
		leaveOut(t, "there are no extended attributes in "+base)
	}
	unix.Lremovexattr(base, privateMark)
	renamed := func(name string) string {
		path := filepath.Join(base, name)
		if err := os.Rename(left(t, r), path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	kept := map[string]string{
		"its name has no digits": renamed(privatePrefix + "notes"),
		"its name is longer":     renamed(filepath.Base(marked) + "0"),
		"its mode is another":    left(t, r),
		"it has no mark":         left(t, r),
	}
	early := left(t, r) // of a supervisor that was killed before it marked it
	if err := os.Chmod(kept["its mode is another"], 0o750); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{kept["it has no mark"], early} {
		if err := unix.Lremovexattr(path, privateMark); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(kept["it has no mark"], "theirs"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		kept["its owner is another"] = left(t, r)
		if err := os.Lchown(kept["its owner is another"], 54321, 54321); err != nil {
			t.Fatal(err)
		}
	}
	gone(t, marked, func() { r.sweepPrivateOlder(0) })
	gone(t, early, func() { r.sweepPrivateOlder(0) })
	r.sweepPrivateOlder(0)
	for why, path := range kept {
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("%s, and it is gone: %v", why, err)
		}
		os.RemoveAll(path)
	}
}

// What there was no time for goes on in the next run, not a minute later.
func TestSweepGoesOn(t *testing.T) {
	r := aRun(t)
	path := left(t, r)
	if _, err := unix.Lgetxattr(path, privateMark, nil); err != nil {
		leaveOut(t, "there are no extended attributes: "+err.Error())
	}
	if err := os.Mkdir(filepath.Join(path, "d"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.sweepPrivate()
	if _, err := os.Lstat(path); err != nil {
		t.Fatal("a young one, perhaps not locked yet, is gone:", err)
	}
	removePrivateUntil(path, time.Now())
	gone(t, path, r.sweepPrivate)
}

// gone sweeps until a folder is gone. A sweep has a tenth of a second, which on a busy
// machine may pass before it has begun.
func gone(t *testing.T, path string, sweep func()) {
	t.Helper()
	for until := time.Now().Add(patience(20 * time.Second)); ; {
		sweep()
		if _, err := os.Lstat(path); err != nil {
			return
		}
		if time.Now().After(until) {
			t.Errorf("%s stays", path)
			return
		}
	}
}

// A TMPDIR may be relative; the box is told of its folder by an absolute path.
func TestPrivateFolderIsAbsolute(t *testing.T) {
	r := aRun(t)
	base := os.Getenv("TMPDIR")
	t.Chdir(filepath.Dir(base))
	t.Setenv("TMPDIR", "./"+filepath.Base(base))
	path := left(t, r)
	defer os.Remove(path)
	for _, p := range []string{path, privateName()} {
		if !strings.HasPrefix(p, base+"/"+privatePrefix) {
			t.Errorf("%s, want it in %s", p, base)
		}
	}
}

// A second box in place of a first, which has another uid, owns the folder.
func TestPrivateFolderOfASecondBox(t *testing.T) {
	if os.Getuid() != 0 {
		leaveOut(t, "an ordinary user's boxes have its uid")
	}
	r := aRun(t)
	for pid := range 2 {
		r.own(&child{pid: 4711 + pid})
		if err := r.settle(); err != nil {
			t.Fatal(err)
		}
		r.handed.closeAll()
		var st unix.Stat_t
		if err := unix.Lstat(r.private, &st); err != nil || int(st.Uid) != r.hostUID || int(st.Gid) != r.hostGID {
			t.Errorf("box %d: owner %d:%d, want %d:%d (%v)", pid, st.Uid, st.Gid, r.hostUID, r.hostGID, err)
		}
	}
}

// The umask is the caller's, and may be anything; so may the folder around be.
func TestPrivateFolderUnderAnyUmask(t *testing.T) {
	for _, tt := range []struct {
		umask int
		above os.FileMode
	}{{0o777, 0o755}, {0o277, 0o755}, {0o477, 0o755}, {0o22, 0o755 | os.ModeSetgid}} {
		s := tier2(t, "touch a && ls -ld . | cut -c1-10")
		if err := os.Chmod(os.TempDir(), tt.above); err != nil {
			t.Fatal(err)
		}
		old := unix.Umask(tt.umask)
		res, err := RunIO(t.Context(), s, IO{})
		unix.Umask(old)
		if err != nil {
			t.Errorf("umask %03o, below %v: %v", tt.umask, tt.above, err)
			continue
		}
		wantStdout(t, res, "drwx------\n")
	}
}
