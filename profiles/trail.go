package profiles

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A trail is how the kernel gets from a path to a file: the symbolic links on
// the way, and where it ends.
type trail struct {
	links []hop
	real  string
}

// A hop is one symbolic link: its own path, free of links, and its text.
type hop struct{ path, text string }

// maxHops is the kernel's MAXSYMLINKS; see path_resolution(7).
const maxHops = 40

// walk follows an absolute path link by link. "link/.." means what it means to
// the kernel, not what the text suggests.
func walk(path string) (trail, error) {
	var t trail
	todo := strings.Split(path, "/")
	at := "/"
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		info, err := os.Lstat(next)
		if err != nil {
			return t, err
		}
		if info.Mode()&os.ModeSymlink == 0 {
			at = next
			continue
		}
		text, err := os.Readlink(next)
		if err != nil {
			return t, err
		}
		if t.links = append(t.links, hop{next, text}); len(t.links) > maxHops {
			return t, &os.PathError{Op: "walk", Path: path, Err: syscall.ELOOP}
		}
		if filepath.IsAbs(text) {
			at = "/"
		}
		todo = append(strings.Split(text, "/"), todo...)
	}
	t.real = at
	return t, nil
}

// within says whether path is dir or lies below it; both are clean.
func within(dir, path string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir) && path[len(dir)] == '/'
}

// isFile says whether path leads to a regular file.
func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// isDir says whether path leads to a folder.
func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// isExecutable says whether path leads to a regular file with an execute bit.
func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
