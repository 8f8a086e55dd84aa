package jail

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func resolve(spec Spec) (view, Faults)        { return NewPlaces().resolve(spec) }
func resolveInPlace(spec Spec) (view, Faults) { return NewPlaces().resolveInPlace(spec) }

// fakeHost is a tree with one of each thing that could be granted:
//
//	dir/ dir/sub/ dir/file dir/link -> sub  dir/flink -> file
//	file  fifo  socket  loop -> loop  bin -> dir  dead -> nowhere
//	todev -> /dev  toproc -> /proc  toroot -> /
func fakeHost(t *testing.T) string {
	t.Helper()
	h := t.TempDir()
	at := func(p string) string { return filepath.Join(h, p) }
	steps := []error{
		os.MkdirAll(at("dir/sub"), 0o755),
		os.WriteFile(at("dir/file"), []byte("x"), 0o644), os.WriteFile(at("file"), []byte("x"), 0o644),
		os.Symlink("sub", at("dir/link")), os.Symlink("file", at("dir/flink")),
		os.Symlink("loop", at("loop")), os.Symlink("dir", at("bin")), os.Symlink("nowhere", at("dead")),
		os.Symlink("/dev", at("todev")), os.Symlink("/proc", at("toproc")), os.Symlink("/", at("toroot")),
		unix.Mkfifo(at("fifo"), 0o644),
	}
	l, err := net.Listen("unix", at("socket"))
	for _, err := range append(steps, err) {
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { l.Close() })
	return h
}

// HOST in a case is the fake host's folder.
func onHost(h string, mounts []Mount) []Mount {
	out := slices.Clone(mounts)
	for i := range out {
		out[i].Source = strings.ReplaceAll(out[i].Source, "HOST", h)
	}
	return out
}

func ro(source, target string) Mount { return Mount{Kind: MountRO, Source: source, Target: target} }
func rw(source, target string) Mount { return Mount{Kind: MountRW, Source: source, Target: target} }
func link(text, target string) Mount { return Mount{Kind: MountLink, Source: text, Target: target} }
func tmpfs(target string) Mount      { return Mount{Kind: MountTmpfs, Target: target, Size: 1 << 20} }
func sys(source, target string) Mount {
	return Mount{Kind: MountSystem, Source: source, Target: target}
}
func content(text, target string) Mount { return Mount{Kind: MountFile, Content: text, Target: target} }

// What a view becomes: every entry in the order in which it is made, parents
// first. The box's own /tmp and /dev/shm, which come last at their depth, are
// left out here.
func TestResolve(t *testing.T) {
	h := fakeHost(t)
	for _, c := range []struct {
		name string
		view []Mount
		want string
	}{
		{"a folder and a file", []Mount{ro("HOST/dir", "/d"), ro("HOST/file", "/f")}, "ro /d, ro /f"},
		{"parents are made, outermost first", []Mount{ro("HOST/file", "/a/b/c/f")}, "dir /a, dir /a/b, dir /a/b/c, ro /a/b/c/f"},
		{"one parent for two", []Mount{ro("HOST/file", "/a/f"), rw("HOST/dir", "/a/d")}, "dir /a, ro /a/f, rw /a/d"},
		{"the shallow before the deep, whatever the order", []Mount{ro("HOST/file", "/d/sub"), tmpfs("/d")}, "tmpfs /d, ro /d/sub"},
		{"a named pipe", []Mount{ro("HOST/fifo", "/p")}, "ro /p"},
		{"a system path that is a link becomes that link", []Mount{sys("HOST/bin", "/b")}, "link /b -> dir"},
		{"a system path that is not there is left out", []Mount{sys("HOST/missing", "/lib64")}, ""},
		{"a system link into nowhere stays a link", []Mount{sys("HOST/dead", "/x")}, "link /x -> nowhere"},
		{"a link before what lies below it", []Mount{ro("HOST/file", "/a/f"), link("x", "/a")}, "link /a -> x, dir /x, ro /x/f"},
		{"a merged /usr", []Mount{sys("HOST/dir", "/usr"), link("usr/sub", "/bin"), ro("HOST/dir/sub", "/bin/link")}, "<fault>"},
		{"a target below a link of the box lands where it leads", []Mount{tmpfs("/usr"), link("usr", "/u"), ro("HOST/file", "/u/f")}, "tmpfs /usr, link /u -> usr, ro /usr/f"},
		{"and over two links, one of them absolute", []Mount{tmpfs("/real"), link("/b", "/a"), link("real", "/b"), ro("HOST/file", "/a/f")}, "tmpfs /real, link /a -> /b, link /b -> real, ro /real/f"},
		{"a grant in a granted folder, where one exists", []Mount{rw("HOST/dir", "/d"), ro("HOST/dir", "/d/sub")}, "rw /d, ro /d/sub nested"},
		{"a file in a granted folder, where one exists", []Mount{ro("HOST/dir", "/d"), ro("HOST/file", "/d/file")}, "ro /d, ro /d/file nested"},
		{"three deep", []Mount{ro("HOST/dir", "/d"), ro("HOST/dir", "/d/sub"), rw("HOST/dir", "/d/sub/sub")}, "ro /d, ro /d/sub nested, rw /d/sub/sub nested"},
		{"a tmpfs in a granted folder", []Mount{ro("HOST/dir", "/d"), tmpfs("/d/sub")}, "ro /d, tmpfs /d/sub nested"},
		{"a grant in a tmpfs", []Mount{tmpfs("/s"), ro("HOST/file", "/s/a/f")}, "tmpfs /s, dir /s/a, ro /s/a/f"},
		{"the same source twice", []Mount{ro("HOST/dir", "/a"), rw("HOST/dir", "/b")}, "ro /a, rw /b"},
		{"a file of the box", []Mount{content("x", "/etc/passwd")}, "dir /etc, file /etc/passwd"},
		{"names with spaces, newlines and no UTF-8", []Mount{ro("HOST/file", "/a b/\n\xff")}, "dir /a b, ro /a b/\n\xff"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Spec{View: onHost(h, c.view)}
			v, faults := resolve(s)
			got := entriesText(v)
			if len(faults) > 0 {
				got = "<fault>"
			}
			if got != c.want {
				t.Errorf("resolve = %q, want %q (%v)", got, c.want, faults)
			}
		})
	}
}

func entriesText(v view) string {
	var out []string
	for _, e := range v.entries {
		text := map[entryKind]string{entryDir: "dir ", entryLink: "link ", entryFile: "file "}[e.kind]
		if e.kind == entryMount {
			text = string(e.mount.Kind) + " "
		}
		text += e.path
		if e.kind == entryLink {
			text += " -> " + e.text
		}
		if e.nested {
			text += " nested"
		}
		if e.path != "/tmp" && e.path != "/dev/shm" {
			out = append(out, text)
		}
	}
	return strings.Join(out, ", ")
}

// What is refused: the field and a part of the reason.
func TestResolveRefuses(t *testing.T) {
	h := fakeHost(t)
	for _, c := range []struct {
		name        string
		view        []Mount
		field, want string
	}{
		{"a grant that is missing", []Mount{ro("HOST/missing", "/d")}, "view[0].source", "must be a file or folder that exists"},
		{"a link to a folder", []Mount{ro("HOST/bin", "/b")}, "view[0].source", "must not lead through a symbolic link"},
		{"below a link", []Mount{rw("HOST/bin/sub", "/b")}, "view[0].source", "must not lead through a symbolic link"},
		{"a link into nowhere", []Mount{ro("HOST/dead", "/d")}, "view[0].source", "must not lead through a symbolic link"},
		{"a link to itself", []Mount{ro("HOST/loop", "/d")}, "view[0].source", "must not lead through a symbolic link"},
		{"below a file", []Mount{ro("HOST/file/x", "/d")}, "view[0].source", "not a directory"},
		{"a socket", []Mount{ro("HOST/socket", "/s")}, "view[0].source", "sockets and devices are not granted"},
		{"a device", []Mount{ro("/dev/null", "/n")}, "view[0].source", "sockets and devices are not granted"},
		{"the root", []Mount{ro("/", "/host")}, "view[0].source", "whole file system is never granted"},
		{"the root by a link", []Mount{ro("HOST/toroot", "/host")}, "view[0].source", "must not lead through a symbolic link"},
		{"the root by a profile", []Mount{sys("/", "/host")}, "view[0].source", "whole file system is never granted"},
		{"/proc", []Mount{ro("/proc", "/p")}, "view[0].source", "nothing below /proc"},
		{"/proc by a link", []Mount{ro("HOST/toproc", "/p")}, "view[0].source", "must not lead through a symbolic link"},
		{"a process's root", []Mount{rw("/proc/self/root/etc", "/p")}, "view[0].source", "must not lead through a symbolic link"},
		{"/sys", []Mount{ro("/sys", "/s")}, "view[0].source", "nothing below /sys"},
		{"/dev", []Mount{ro("/dev", "/d")}, "view[0].source", "nothing below /dev"},
		{"/dev by a link", []Mount{ro("HOST/todev", "/d")}, "view[0].source", "must not lead through a symbolic link"},
		{"/dev by dots", []Mount{rw("/usr/../dev", "/d")}, "view[0].source", "nothing below /dev"},
		{"/dev by a profile's dots", []Mount{sys("/usr/../dev", "/d")}, "view[0].source", "nothing below /dev"},

		{"twice at one place", []Mount{ro("HOST/dir", "/d"), rw("HOST/dir", "/d")}, "view[1].target", "already taken"},
		{"twice at one place by a link", []Mount{tmpfs("/a"), link("a", "/b"), ro("HOST/dir", "/a/x"), ro("HOST/dir", "/b/x")}, "view[3].target", "already taken"},
		{"twice in a granted folder", []Mount{ro("HOST/dir", "/d"), ro("HOST/dir", "/d/sub"), rw("HOST/dir", "/d/sub")}, "view[2].target", "granted twice"},
		{"at a link of the box", []Mount{link("x", "/l"), ro("HOST/dir", "/l")}, "view[1].target", "already taken"},
		{"in a granted folder, where nothing is", []Mount{ro("HOST/dir", "/d"), ro("HOST/dir", "/d/new")}, "view[1].target", "must exist in the granted tree HOST/dir"},
		{"in a granted folder, through a link", []Mount{rw("HOST/dir", "/d"), ro("HOST/dir", "/d/link")}, "view[1].target", "without links"},
		{"in a granted folder, below a link", []Mount{rw("HOST/dir", "/d"), ro("HOST/dir", "/d/link/x")}, "view[1].target", "without links"},
		{"a folder on a file", []Mount{ro("HOST/dir", "/d"), ro("HOST/dir", "/d/file")}, "view[1].target", "as a folder"},
		{"a file on a folder", []Mount{ro("HOST/dir", "/d"), ro("HOST/file", "/d/sub")}, "view[1].target", "as a file"},
		{"below a granted file", []Mount{ro("HOST/file", "/f"), ro("HOST/file", "/f/x")}, "view[1].target", "must exist in the granted tree"},
		{"a link in a granted folder", []Mount{ro("HOST/dir", "/d"), link("x", "/d/l")}, "view[1].target", "in which jail makes nothing"},
		{"a file of the box in a granted folder", []Mount{ro("HOST/dir", "/d"), content("x", "/d/f")}, "view[1].target", "in which jail makes nothing"},
		{"below a file of the box", []Mount{content("x", "/f"), ro("HOST/file", "/f/x")}, "view[1].target", "lies below the file /f"},
		{"through a loop of links", []Mount{link("b", "/a"), link("a", "/b"), ro("HOST/file", "/a/f")}, "view[2].target", "loop of links"},
		{"into /proc by a link", []Mount{link("proc", "/x"), ro("HOST/file", "/x/f")}, "view[1].target", "must not lie below /proc"},
		{"into /dev by a link", []Mount{link("/dev", "/x"), ro("HOST/file", "/x/f")}, "view[1].target", "must not lie below /dev"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, faults := resolve(Spec{View: onHost(h, c.view)})
			if len(faults) != 1 || faults[0].Field != c.field || !strings.Contains(faults[0].Want, strings.ReplaceAll(c.want, "HOST", h)) {
				t.Errorf("faults %q, want one of %s with %q", faults, c.field, c.want)
			}
		})
	}
}
