package shapes

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/test/shipped"
)

// debian are the packages that trees are made of.
var debian = []string{
	"libc6", "dash", "busybox-static", "python3-minimal", "python3.11-minimal", "libpython3.11-minimal",
	"libexpat1", "zlib1g", "libstdc++6", "libgcc-s1", "musl", "musl-dev", "patchelf",
}

// A store is the folder of what the trees are made of.
type store struct {
	debs string            // the packages
	file map[string]string // their files, by name
	jail string            // the program under test
	node string            // a copy of this machine's, on the trees' file system, or ""
}

// newStore fetches the packages and builds jail.
func newStore(t *testing.T) store {
	t.Helper()
	if os.Geteuid() != 0 {
		shipped.LeaveOut(t, "not as an ordinary user: trees are entered by pivot_root, and belong to root")
	}
	dir := t.TempDir()
	s := store{debs: filepath.Join(dir, "debs"), file: map[string]string{}, jail: filepath.Join(dir, "jail")}
	if err := os.Mkdir(s.debs, 0o755); err != nil {
		t.Fatal(err)
	}
	download := exec.Command("apt-get", append([]string{"-qq", "-o", "APT::Sandbox::User=root", "download"}, debian...)...)
	download.Dir = s.debs
	if out, err := download.CombinedOutput(); err != nil {
		shipped.LeaveOut(t, fmt.Sprintf("not without Debian's packages: apt-get download: %v\n%s", err, out))
	}
	files, err := filepath.Glob(filepath.Join(s.debs, "*.deb"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name, _, _ := strings.Cut(filepath.Base(f), "_")
		s.file[name] = f
	}
	if err := shipped.Build(s.jail); err != nil {
		t.Fatal(err)
	}
	s.node = copyNode(t, dir)
	return s
}

// copyNode copies this machine's node, so that trees can have it by a link.
func copyNode(t *testing.T, dir string) string {
	const node = "/usr/bin/node"
	real, err := filepath.EvalSymlinks(node)
	if err != nil {
		t.Logf("no tree has node: %v", err)
		return ""
	}
	copied := filepath.Join(dir, "node")
	run(t, "cp", real, copied)
	return copied
}

// unpack unpacks packages into tree, through links that stand for folders.
func (s store) unpack(t *testing.T, tree string, packages ...string) {
	t.Helper()
	for _, name := range packages {
		file, ok := s.file[name]
		if !ok {
			t.Fatalf("package %s was not fetched", name)
		}
		run(t, "sh", "-c", `dpkg-deb --fsys-tarfile "$1" | tar -x --keep-directory-symlink -C "$2"`, "sh", file, tree)
	}
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// machine is this architecture as the GNU tools call it.
func machine() string {
	if runtime.GOARCH == "arm64" {
		return "aarch64"
	}
	return "x86_64"
}

// loader is where programs look for glibc's.
func loader() string {
	if runtime.GOARCH == "arm64" {
		return "lib/ld-linux-aarch64.so.1"
	}
	return "lib64/ld-linux-x86-64.so.2"
}
