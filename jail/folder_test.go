package jail

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/seed-75010da9/jail/internal/folder"
	"golang.org/x/sys/unix"
)

// What is in a folder counts wherever it lies, once, and what can't be looked into
// is too much.
func TestFolderUse(t *testing.T) {
	const limit, size = 8 << 20, 1 << 20
	write := func(t *testing.T, path string) {
		t.Helper()
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sub := func(t *testing.T, dir string, mode uint32) string {
		t.Helper()
		dir = filepath.Join(dir, "sub")
		if err := unix.Mkdir(dir, mode); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	const tooMuch = limit + 1
	for name, c := range map[string]struct {
		fill        func(t *testing.T, dir string)
		least, most int64
	}{
		"nothing":          {func(*testing.T, string) {}, 0, 0},
		"a file":           {func(t *testing.T, dir string) { write(t, dir+"/a") }, size, size + 64<<10},
		"a folder":         {func(t *testing.T, dir string) { write(t, sub(t, dir, 0o700)+"/a") }, size, size + 64<<10},
		"a closed folder":  {func(t *testing.T, dir string) { write(t, sub(t, dir, 0o300)+"/a") }, size, size + 64<<10},
		"folders too deep": {func(t *testing.T, dir string) { chain(t, dir, folder.Deepest, 0o700) }, tooMuch, 1 << 40},
		"few descriptors": {func(t *testing.T, dir string) {
			chain(t, dir, 200, 0o700)
			limitDescriptors(t, 10)
		}, tooMuch, 1 << 40},
		"links": {func(t *testing.T, dir string) {
			write(t, dir+"/a")
			for i := range 20 {
				if err := os.Link(dir+"/a", dir+"/"+strconv.Itoa(i)); err != nil {
					t.Fatal(err)
				}
			}
		}, size, size + 128<<10},
		"many links": {func(t *testing.T, dir string) {
			write(t, dir+"/a")
			for i := range 100 {
				if err := os.Link(dir+"/a", dir+"/"+strconv.Itoa(i)); err != nil {
					t.Fatal(err)
				}
			}
		}, size + 100*4096, 2 * size},
	} {
		t.Run(name, func(t *testing.T) {
			dir := ownTemp(t)
			asOrdinary(t, dir)
			c.fill(t, dir)
			fd, err := unix.Open(dir, folder.Flags, 0)
			if err != nil {
				t.Fatal(err)
			}
			if got := folder.Use(fd, limit); got < c.least || got > c.most {
				t.Errorf("folder.Use = %d, want %d to %d", got, c.least, c.most)
			}
		})
	}
}

// A folder that can't be looked into doesn't hide what is in it.
func TestTier2FolderFull(t *testing.T) {
	s := tier2(t, "umask 0477; mkdir h; dd if=/dev/zero of=h/big bs=1M count=32; sleep 600")
	s.Limits.TmpSize = 16 << 20
	if res := runBox(t, s, IO{}); res.Reason != ReasonDiskFull {
		t.Errorf("reason %s: %s", res.Reason, text(res))
	}
}
