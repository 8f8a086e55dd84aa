package jail

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// diskFolder is a folder on a block device of its own, an ext4 of some MiB.
func diskFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	image, at := filepath.Join(dir, "image"), filepath.Join(dir, "disk")
	for _, words := range [][]string{
		{"mkdir", at},
		{"truncate", "-s", "32M", image},
		{"mke2fs", "-q", "-F", "-t", "ext4", image},
		{"mount", "-o", "loop", image, at},
	} {
		if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", words, err, out)
		}
	}
	t.Cleanup(func() { unix.Unmount(at, 0) })
	return at
}

// The record tells what a box has written to a disk and read from one, where
// control groups of version 2 count it, and claims nothing where they don't.
func TestIOInTheRecord(t *testing.T) {
	s := shell("true")
	res, err := RunIO(t.Context(), s, IO{})
	if err != nil {
		t.Fatalf("%v: %s", err, text(res))
	}
	var group Layer
	for _, l := range res.Layers {
		if l.Name == LayerCgroup {
			group = l
		}
	}
	counted := res.Usage.IOWriteBytes != nil && res.Usage.IOReadBytes != nil
	if group.Mechanism != "cgroup2" {
		if counted {
			t.Errorf("counted without control groups of version 2: %s", text(res))
		}
		return
	}
	if !counted {
		t.Skipf("not for a host whose group of version 2 was not given the controller io: %s", group.Note)
	}
	if os.Getuid() != 0 {
		t.Skip("not for an ordinary user: mounts a disk")
	}
	const size = 2 << 20
	s = shell("dd if=/dev/zero of=/disk/f bs=1M count=2 oflag=direct && dd if=/disk/f of=/dev/null bs=1M iflag=direct")
	s.View = append(s.View, Mount{Kind: MountRW, Source: diskFolder(t), Target: "/disk"})
	res, err = RunIO(t.Context(), s, IO{})
	if err != nil || res.Reason != ReasonOK || !strings.Contains(res.Stderr.Text, "2+0 records out") {
		t.Fatalf("%v: %s", err, text(res))
	}
	wrote, read := *res.Usage.IOWriteBytes, *res.Usage.IOReadBytes
	// Besides, there is what the file system and the programs themselves take.
	if wrote < size || wrote > 4*size || read < size {
		t.Errorf("of %d bytes the record has %d written and %d read", size, wrote, read)
	}
}
