package shapes

import (
	"os"
	"path/filepath"
	"testing"
)

// A tree is a root that was made.
type tree struct {
	path string
	env  string // PATH in it
	node bool   // it has node
	fake bool   // its node and python3 are not the real ones
}

const usualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// newTree makes the folders that every tree has.
func newTree(t *testing.T) tree {
	t.Helper()
	x := tree{path: t.TempDir(), env: usualPath}
	for _, dir := range []string{"proc", "sys", "dev", "tmp", "etc", "usr/bin", "home/anna", "usr/local/bin"} {
		x.mkdir(t, dir)
	}
	if err := os.Chmod(x.at("tmp"), 0o1777); err != nil {
		t.Fatal(err)
	}
	x.write(t, "etc/passwd", "root:x:0:0::/root:/bin/sh\nanna:x:1000:1000::/home/anna:/bin/sh\n")
	x.write(t, "home/anna/job.py", "print('script', 6 * 7)\n")
	if err := os.Chown(x.at("home/anna"), 1000, 1000); err != nil {
		t.Fatal(err)
	}
	for dir := x.path; dir != "/" && dir != os.TempDir(); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil { // TempDir's are for their owner alone
			t.Fatal(err)
		}
	}
	return x
}

func (x tree) at(name string) string { return filepath.Join(x.path, name) }

func (x tree) mkdir(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(x.at(dir), 0o755); err != nil {
		t.Fatal(err)
	}
}

func (x tree) write(t *testing.T, name, text string) {
	t.Helper()
	x.mkdir(t, filepath.Dir(name))
	if err := os.WriteFile(x.at(name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// link makes a symbolic link, in place of what is there.
func (x tree) link(t *testing.T, to, name string) {
	t.Helper()
	x.mkdir(t, filepath.Dir(name))
	os.Remove(x.at(name))
	if err := os.Symlink(to, x.at(name)); err != nil {
		t.Fatal(err)
	}
}

// has copies a program into the tree.
func (x tree) has(t *testing.T, from, name string) {
	t.Helper()
	x.mkdir(t, filepath.Dir(name))
	run(t, "cp", "-L", from, x.at(name))
}

// hasNode gives the tree node, if this machine has one.
func (x *tree) hasNode(t *testing.T, s store) {
	t.Helper()
	if s.node == "" {
		return
	}
	x.node = true
	if err := os.Link(s.node, x.at("usr/bin/node")); err != nil {
		t.Fatal(err)
	}
}

// glibc are the packages of dash, python3, and what node is linked to.
var glibc = []string{"libc6", "dash", "python3-minimal", "python3.11-minimal", "libpython3.11-minimal", "libexpat1", "zlib1g", "libgcc-s1", "libstdc++6"}

// merged is Debian as it is installed today.
func merged(t *testing.T, s store) tree {
	x := newTree(t)
	for _, dir := range []string{"bin", "sbin", "lib", "lib64"} {
		x.mkdir(t, "usr/"+dir)
		x.link(t, "usr/"+dir, dir)
	}
	s.unpack(t, x.path, glibc...)
	x.link(t, "dash", "usr/bin/sh")
	x.has(t, x.at("usr/bin/dash"), "home/anna/prog")
	x.hasNode(t, s)
	return x
}

// split is Debian as its packages of that release lie unpacked.
func split(t *testing.T, s store) tree {
	x := newTree(t)
	s.unpack(t, x.path, glibc...)
	x.link(t, "dash", "bin/sh")
	x.has(t, x.at("bin/dash"), "home/anna/prog")
	x.hasNode(t, s)
	return x
}

// fedoraLike has its libraries in /usr/lib64, which Debian's loader finds by
// the cache alone, one folder for programs, and python3 behind alternatives.
func fedoraLike(t *testing.T, s store) tree {
	x := newTree(t)
	from := merged(t, s)
	for name, to := range map[string]string{"bin": "usr/bin", "sbin": "usr/sbin", "usr/sbin": "bin", "lib": "usr/lib", "lib64": "usr/lib64"} {
		x.link(t, to, name)
	}
	x.mkdir(t, "usr/lib")
	x.mkdir(t, "usr/lib64")
	run(t, "sh", "-c", `cp -a "$1"/usr/lib/*-linux-gnu/*.so* "$2"/usr/lib64/ && cp -a "$1"/usr/lib/python3* "$2"/usr/lib/`, "sh", from.path, x.path)
	x.has(t, from.at(loader()), "usr/"+loader())
	x.has(t, from.at("usr/bin/dash"), "usr/bin/bash")
	x.link(t, "bash", "usr/bin/sh")
	x.has(t, from.at("usr/bin/dash"), "home/anna/prog")
	x.has(t, from.at("usr/bin/python3.11"), "usr/bin/python3.11")
	x.link(t, "/usr/bin/python3.11", "etc/alternatives/python3")
	x.link(t, "/etc/alternatives/python3", "usr/bin/python3")
	x.write(t, "etc/ld.so.conf", "/usr/lib64\n")
	run(t, "ldconfig", "-r", x.path)
	x.hasNode(t, s)
	return x
}
