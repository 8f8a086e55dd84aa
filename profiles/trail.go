package profiles

import (
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A trail is how the kernel gets from a path to a file: the symbolic links on
// the way, and where it ends. Where the way breaks off, real is where the file
// would be.
type trail struct {
	links  []hop
	real   string
	broken error // why the way breaks off, or nil
}

// A hop is one symbolic link: its own path, free of links, and its text.
type hop struct{ path, text string }

// maxHops is the kernel's MAXSYMLINKS; see path_resolution(7).
const maxHops = 40

// walk follows an absolute path link by link. "link/.." means what it means to
// the kernel, not what the text suggests.
func walk(path string) (trail, error) { return walkFrom("/", path, nil) }

// errOutside is the end of a trail that leaves where it may go.
var errOutside = errors.New("leads outside")

// walkFrom follows a path from a folder that is known to be free of links. It
// asks for each part's link text and nothing else: one system call a part, and
// EINVAL is the answer for everything that is there and is no link. Where may
// is given, what it does not accept is not even looked at.
func walkFrom(at, path string, may func(string) bool) (trail, error) {
	var t trail
	text := make([]byte, syscall.PathMax)
	todo := path
	for todo != "" {
		var name string
		name, todo, _ = strings.Cut(todo, "/")
		switch name {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		if may != nil && !may(next) {
			return t, errOutside
		}
		n, err := syscall.Readlink(next, text)
		if err == syscall.EINVAL {
			at = next
			continue
		}
		if err == nil && len(t.links) == maxHops {
			err = syscall.ELOOP
		}
		if err != nil {
			t.real, t.broken = filepath.Join(next, todo), err
			return t, &os.PathError{Op: "readlink", Path: next, Err: err}
		}
		link := hop{next, string(text[:n])}
		t.links = append(t.links, link)
		if filepath.IsAbs(link.text) {
			at = "/"
		}
		todo = link.text + "/" + todo
	}
	t.real = at
	return t, nil
}

// upward is a clean absolute path and every folder above it, and nothing for
// any other path: climbing a relative one would never come to "/".
func upward(path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !filepath.IsAbs(path) {
			return
		}
		for yield(path) && path != "/" {
			path = filepath.Dir(path)
		}
	}
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
