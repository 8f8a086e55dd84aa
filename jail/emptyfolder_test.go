package jail

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/internal/folder"
	"golang.org/x/sys/unix"
)

// asOrdinary leaves the test's thread with an ordinary user's rights on files.
func asOrdinary(t *testing.T, dir string) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	const id = 54321
	if err := os.Chown(dir, id, id); err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread()
	if err := unix.Setfsuid(id); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		unix.Setfsuid(0)
		runtime.UnlockOSThread()
	})
}

// chain makes folders in one another, deeper than a path can name.
func chain(t *testing.T, dir string, depth int, mode uint32) {
	t.Helper()
	fd, err := unix.Open(dir, folder.Flags, 0)
	for range depth {
		if err == nil {
			err = unix.Mkdirat(fd, "d", mode)
		}
		below := -1
		if err == nil {
			below, err = unix.Openat(fd, "d", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		}
		unix.Close(fd)
		fd = below
	}
	if err != nil {
		t.Fatal(err)
	}
	unix.Close(fd)
}

// Whatever a box can make goes, and with few descriptors.
func TestRemovePrivate(t *testing.T) {
	for name, fill := range map[string]func(t *testing.T, dir string){
		"nothing":     func(*testing.T, string) {},
		"deep":        func(t *testing.T, dir string) { chain(t, dir, 3000, 0o700) },
		"deep closed": func(t *testing.T, dir string) { chain(t, dir, 3000, 0o300) },
		"flat closed": func(t *testing.T, dir string) {
			for i := range 1500 {
				sub := filepath.Join(dir, strconv.Itoa(i))
				if err := unix.Mkdir(sub, 0o300); err != nil {
					t.Fatal(err)
				}
				if err := unix.Mknod(filepath.Join(sub, "pipe"), unix.S_IFIFO|0o600, 0); err != nil {
					t.Fatal(err)
				}
				if err := unix.Symlink("/", filepath.Join(sub, "link")); err != nil {
					t.Fatal(err)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := ownTemp(t)
			asOrdinary(t, dir)
			private := filepath.Join(dir, "p")
			if err := unix.Mkdir(private, 0o700); err != nil {
				t.Fatal(err)
			}
			fill(t, private)
			limitDescriptors(t, 8)
			removePrivateUntil(private, time.Now().Add(patience(20*time.Second))) // on a busy host
			if err := unix.Access(private, unix.F_OK); err != unix.ENOENT {
				t.Errorf("is left: %v", err)
			}
		})
	}
}

// limitDescriptors leaves the test so many more descriptors than it has.
func limitDescriptors(t *testing.T, more int) {
	t.Helper()
	end := 0 // the first number that is too high
	for ; more > 0; end++ {
		if _, err := unix.FcntlInt(uintptr(end), unix.F_GETFD, 0); err != nil {
			more--
		}
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	few := syscall.Rlimit{Cur: uint64(end), Max: limit.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit) })
}

// What lies behind a link or was moved away is left alone, and the time limit holds.
func TestEmptyFolderLeaves(t *testing.T) {
	dir := t.TempDir()
	private, outside := filepath.Join(dir, "p"), filepath.Join(dir, "o")
	for _, d := range []string{private, outside} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	kept := filepath.Join(outside, "kept")
	if err := os.WriteFile(kept, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(private, "link")); err != nil {
		t.Fatal(err)
	}
	removePrivateUntil(private, time.Now())
	if _, err := os.Stat(private); err != nil {
		t.Error("went on when there was no time:", err)
	}
	removePrivateUntil(private, time.Now().Add(20*time.Second))
	if _, err := os.Stat(private); err == nil {
		t.Error("is left")
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error("followed a link:", err)
	}
	if err := os.Symlink(outside, private); err != nil {
		t.Fatal(err)
	}
	removePrivateUntil(private, time.Now().Add(20*time.Second))
	if _, err := os.Stat(kept); err != nil {
		t.Error("followed a link in place of the folder:", err)
	}
}
