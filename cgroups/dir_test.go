package cgroups

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// A host has thousands of mounts, so mountinfo is longer than any first buffer.
func TestReadAt(t *testing.T) {
	d := fake(t, nil)
	for _, size := range []int{0, 1, 1023, 1024, 1025, 4095, 4096, 4097, 16384, 100_000, 5 << 20, readMax} {
		want := make([]byte, size)
		for i := range want {
			want[i] = byte('a' + i%23) // no power of two: a block in the wrong place shows
		}
		if err := os.WriteFile(d.path+"/file", want, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readAt(d.fd, "file", 0)
		if err != nil || got != string(want) {
			t.Errorf("readAt of %d bytes = %d bytes, %v, want the same", size, len(got), err)
		}
	}
	if err := os.WriteFile(d.path+"/file", make([]byte, readMax+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := readAt(d.fd, "file", 0); !errors.Is(err, unix.EFBIG) {
		t.Errorf("readAt of %d bytes = %d bytes, %v, want EFBIG", readMax+1, len(got), err)
	}
}

// The kernel's own files come a page at a time, or a line.
func TestReadAtInPieces(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	want := bytes.Repeat([]byte("31 23 0:28 / /sys rw - tmpfs tmpfs rw\n"), 700)
	fd := int(r.Fd())
	go func() { // ends when all is read
		defer w.Close()
		for piece := want; len(piece) > 0; {
			n, _ := w.Write(piece[:min(len(piece), 777)])
			piece = piece[n:]
			for unread := 1; unread > 0; runtime.Gosched() {
				unread, _ = unix.IoctlGetInt(fd, unix.TIOCINQ)
			}
		}
	}()
	got, err := readAt(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", fd), 0)
	if err != nil || got != string(want) {
		t.Errorf("readAt of a pipe = %d bytes, %v, want %d", len(got), err, len(want))
	}
}
