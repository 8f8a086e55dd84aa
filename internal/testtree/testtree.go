// Package testtree makes trees of files for tests.
package testtree

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Home makes files in a folder, and folders of the names that end in a slash, with those
// around them: the caller's home in it is me, with programs in me/tools/bin. It returns the
// folder without links.
func Home(t *testing.T, in string, names ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		at := filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(at), 0o755)
		if strings.HasSuffix(name, "/") {
			os.MkdirAll(at, 0o755)
		} else if err := os.WriteFile(at, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", filepath.Join(dir, "me"))
	t.Setenv("PATH", filepath.Join(dir, "me/tools/bin")+":/usr/bin")
	return dir
}

// Outside is a folder for everybody to look into that lies in no box's own: not below /tmp.
// It is removed with the test.
func Outside(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "jail-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Crowded is a folder with a socket that lies deeper than many files of another's, and
// with the files.
func Crowded(t *testing.T, in string, files int) string {
	t.Helper()
	dir := Home(t, in, "big/ws/", "big/other/deep/", "me/x")
	l, err := net.Listen("unix", filepath.Join(dir, "big/other/deep/s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	for i := range files {
		if err := os.WriteFile(filepath.Join(dir, "big/ws", fmt.Sprint(i)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
