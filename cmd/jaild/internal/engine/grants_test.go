package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero/experimental/sys"
	"golang.org/x/sys/unix"
)

// site is a folder with a grant of each kind, and what is not granted beside them.
func site(t *testing.T) (string, grants) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ro/f", "rw/f", "rw/inner/f", "rw/sub/f", "one", "beside"} {
		os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"rw/out": "../beside", "rw/abs": dir + "/beside", "rw/inside": "sub/f", "ro/inside": "f", "ro/out": "../beside", "ro/dir": "."} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"ro/pipe", "rw/pipe"} {
		if err := unix.Mkfifo(filepath.Join(dir, name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	all, err := openGrants([]grantOption{{dir + "/ro", false}, {dir + "/rw", true}, {dir + "/rw/inner", false}, {dir + "/one", false}})
	if err != nil {
		t.Fatal(err)
	}
	return dir, all
}

// TestOpen: what can be opened, by a path in a folder that holds all grants.
func TestOpen(t *testing.T) {
	dir, all := site(t)
	top := &folder{all: all, at: dir}
	const create = sys.O_WRONLY | sys.O_CREAT
	for _, c := range []struct {
		path string
		flag sys.Oflag
		want sys.Errno
	}{
		{"ro/f", sys.O_RDONLY, 0}, {"ro/f/", sys.O_RDONLY, sys.ENOTDIR}, {"ro/inside", sys.O_RDONLY, 0}, {"ro/dir/dir/f", sys.O_RDONLY, 0},
		{"ro", sys.O_RDONLY | sys.O_DIRECTORY, 0}, {"ro/f", sys.O_DIRECTORY, sys.ENOTDIR}, {"ro/inside", sys.O_NOFOLLOW, sys.ELOOP},
		{"ro/f", sys.O_RDWR, sys.EROFS}, {"ro/f", sys.O_WRONLY | sys.O_APPEND, sys.EROFS}, {"ro/f", sys.O_TRUNC, sys.EROFS}, {"ro/new", create, sys.EROFS},
		{"ro/out", sys.O_RDONLY, sys.EPERM}, {"ro/pipe", sys.O_RDONLY, sys.EACCES}, {"ro/none", sys.O_RDONLY, sys.ENOENT},
		{"one", sys.O_RDONLY, 0}, {"one", sys.O_RDWR, sys.EROFS}, {"one/x", sys.O_RDONLY, sys.ENOENT},
		{"beside", sys.O_RDONLY, sys.ENOENT}, {"beside", create, sys.ENOENT}, {"new", create, sys.ENOENT}, {"../x", sys.O_RDONLY, sys.ENOENT},
		{".", sys.O_RDONLY, 0}, {".", sys.O_RDWR, sys.EISDIR},
		{"rw/f", sys.O_RDWR, 0}, {"rw/new", create, 0}, {"rw/new", create | sys.O_EXCL, sys.EEXIST}, {"rw/sub/new", create, 0}, {"rw", sys.O_RDWR, sys.EISDIR},
		// A grant lies in this one: no links are followed.
		{"rw/inside", sys.O_RDONLY, sys.EPERM}, {"rw/out", sys.O_RDONLY, sys.EPERM}, {"rw/abs", create, sys.EPERM},
		{"rw/inner/f", sys.O_RDONLY, 0}, {"rw/inner/f", sys.O_RDWR, sys.EROFS}, {"rw/inner/new", create, sys.EROFS},
		{"rw/pipe", sys.O_RDONLY, sys.EACCES}, {"rw/sub/../../beside", sys.O_RDONLY, sys.ENOENT},
	} {
		f, no := top.OpenFile(c.path, c.flag, 0o644)
		if no != c.want {
			t.Errorf("OpenFile(%s, %#x) = %v, want %v", c.path, c.flag, no, c.want)
		}
		if no == 0 {
			f.Close()
		}
	}
	if text, _ := os.ReadFile(dir + "/beside"); string(text) != "beside" {
		t.Errorf("beside is %q", text)
	}
}

// TestChange: what can be changed, and what is only looked at.
func TestChange(t *testing.T) {
	dir, all := site(t)
	top := &folder{all: all, at: dir}
	for _, c := range []struct {
		what string
		got  sys.Errno
		want sys.Errno
	}{
		{"mkdir rw/d", top.Mkdir("rw/d", 0o755), 0}, {"mkdir rw/d again", top.Mkdir("rw/d", 0o755), sys.EEXIST}, {"mkdir rw", top.Mkdir("rw", 0o755), sys.EEXIST},
		{"mkdir ro/d", top.Mkdir("ro/d", 0o755), sys.EROFS}, {"mkdir d", top.Mkdir("d", 0o755), sys.ENOENT}, {"mkdir rw/inner", top.Mkdir("rw/inner", 0o755), sys.EEXIST},
		{"rmdir rw/d", top.Rmdir("rw/d"), 0}, {"rmdir rw/f", top.Rmdir("rw/f"), sys.ENOTDIR}, {"rmdir rw/inner", top.Rmdir("rw/inner"), sys.EROFS}, {"rmdir rw", top.Rmdir("rw"), sys.EPERM},
		{"unlink rw/sub", top.Unlink("rw/sub"), sys.EISDIR}, {"unlink ro/f", top.Unlink("ro/f"), sys.EROFS}, {"unlink one", top.Unlink("one"), sys.EROFS}, {"unlink beside", top.Unlink("beside"), sys.ENOENT},
		{"rename in rw", top.Rename("rw/f", "rw/g"), 0}, {"rename out", top.Rename("rw/g", "beside"), sys.ENOENT}, {"rename to ro", top.Rename("rw/g", "ro/g"), sys.EROFS},
		{"rename from ro", top.Rename("ro/f", "rw/x"), sys.EROFS}, {"rename rw", top.Rename("rw", "moved"), sys.EPERM}, {"rename through a link", top.Rename("rw/g", "rw/out/../x"), 0},
		{"link in rw", top.Link("rw/x", "rw/y"), 0}, {"link from ro", top.Link("ro/f", "rw/z"), sys.EROFS},
		{"symlink", top.Symlink("anything", "rw/s"), 0}, {"symlink in ro", top.Symlink("x", "ro/s"), sys.EROFS}, {"symlink at the top", top.Symlink("x", "s"), sys.ENOENT},
		{"times", top.Utimens("rw/y", 1e9, sys.UTIME_OMIT), 0}, {"times of ro", top.Utimens("ro/f", 1, 1), sys.EROFS}, {"times through a link", top.Utimens("rw/out", 1, 1), sys.EPERM},
		{"mode", top.Chmod("rw/y", 0o600), 0}, {"mode of ro", top.Chmod("ro/f", 0o600), sys.EROFS}, {"mode through a link", top.Chmod("rw/abs", 0o777), sys.EPERM},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
	for p, want := range map[string]sys.Errno{"ro/f": 0, "one": 0, ".": 0, "ro/none": sys.ENOENT, "beside": sys.ENOENT, "ro/out": sys.EPERM, "rw/inside": sys.EPERM, "ro/f/": sys.ENOTDIR} {
		if _, no := top.Stat(p); no != want {
			t.Errorf("Stat(%s) = %v, want %v", p, no, want)
		}
	}
	if text, no := top.Readlink("rw/out"); text != "../beside" || no != 0 {
		t.Errorf("Readlink = %q, %v", text, no)
	}
	if st, no := top.Lstat("rw/out"); no != 0 || st.Mode.IsRegular() {
		t.Errorf("Lstat of a link: %v, %v", st.Mode, no)
	}
	if info, err := os.Stat(dir + "/beside"); err != nil || info.Mode().Perm() != 0o644 || info.ModTime().Unix() < 100 {
		t.Errorf("beside was touched: %v, %v", info.Mode(), info.ModTime())
	}
}

// TestMadeFolder: a folder that leads to grants has their names, and no others.
func TestMadeFolder(t *testing.T) {
	dir, all := site(t)
	top := &folder{all: all, at: "/"}
	f, no := top.OpenFile(dir[1:], sys.O_RDONLY, 0)
	if no != 0 {
		t.Fatal(no)
	}
	var names []string
	for {
		list, no := f.Readdir(2)
		if no != 0 || len(list) == 0 {
			break
		}
		for _, d := range list {
			names = append(names, d.Name)
		}
	}
	if got := strings.Join(names, " "); got != "one ro rw" {
		t.Errorf("%s has %q", dir, got)
	}
	if _, no := f.Write([]byte("x")); no == 0 {
		t.Error("it can be written to")
	}
}

// TestFile: an opened file does what one does.
func TestFile(t *testing.T) {
	_, all := site(t)
	top := &folder{all: all, at: all[len(all)-1].path[:strings.LastIndex(all[len(all)-1].path, "/")]}
	f, no := top.OpenFile("rw/new", sys.O_RDWR|sys.O_CREAT, 0o600)
	if no != 0 {
		t.Fatal(no)
	}
	defer f.Close()
	f.Write([]byte("abc"))
	f.SetAppend(true)
	f.Seek(0, 0)
	f.Write([]byte("def"))
	f.Pwrite([]byte("X"), 1) // which appends on Linux, pwrite(2)
	b := make([]byte, 8)
	n, no := f.Pread(b, 0)
	if string(b[:n]) != "abcdefX" || no != 0 || !f.IsAppend() {
		t.Errorf("%q, %v", b[:n], no)
	}
	if _, no := f.Seek(-1, 0); no != sys.EINVAL {
		t.Errorf("Seek(-1) = %v", no)
	}
	if st, no := f.Stat(); st.Size != 7 || no != 0 {
		t.Errorf("%+v, %v", st, no)
	}
	for what, no := range map[string]sys.Errno{"truncate": f.Truncate(2), "sync": f.Sync(), "datasync": f.Datasync(), "times": f.Utimens(1e9, 2e9)} {
		if no != 0 {
			t.Errorf("%s: %v", what, no)
		}
	}
	if st, _ := f.Stat(); st.Size != 2 || st.Mtim != 2e9 {
		t.Errorf("%+v", st)
	}
}
