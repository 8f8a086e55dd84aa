package engine

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"github.com/tetratelabs/wazero/experimental/sys"
	wasi "github.com/tetratelabs/wazero/sys"
)

// OpenFile opens what a grant allows, if it is a regular file or a folder.
func (f *folder) OpenFile(p string, flag sys.Oflag, mode fs.FileMode) (sys.File, sys.Errno) {
	at := f.place(p)
	change := flag&(sys.O_RDWR|sys.O_WRONLY|sys.O_CREAT|sys.O_TRUNC|sys.O_APPEND) != 0
	switch {
	case at.grant == nil && len(f.all.names(at.abs)) > 0:
		if change {
			return nil, sys.EISDIR
		}
		return &made{all: f.all, at: at.abs}, 0
	case at.grant == nil:
		return nil, sys.ENOENT
	case change && !at.write:
		return nil, sys.EROFS
	}
	if no := at.links(at.rel); no != 0 {
		return nil, no
	}
	if info, err := at.lstat(); err == nil && info.Mode()&fs.ModeSymlink != 0 && flag&sys.O_NOFOLLOW != 0 {
		return nil, sys.ELOOP
	}
	file, err := at.open(openFlags(flag), mode&0o777)
	if err != nil {
		return nil, errno(err)
	}
	info, err := file.Stat()
	switch {
	case err != nil:
		file.Close()
		return nil, errno(err)
	case !info.IsDir() && (flag&sys.O_DIRECTORY != 0 || strings.HasSuffix(p, "/")):
		file.Close()
		return nil, sys.ENOTDIR
	case !info.IsDir() && !info.Mode().IsRegular():
		file.Close()
		return nil, sys.EACCES
	}
	return &opened{file: file, dir: info.IsDir(), appends: flag&sys.O_APPEND != 0}, 0
}

// openFlags are those of open(2). A named pipe that nobody writes to would else have
// us wait, where no deadline reaches.
func openFlags(flag sys.Oflag) int {
	flags := os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY
	for _, f := range [...]struct {
		from sys.Oflag
		to   int
	}{
		{sys.O_RDWR, os.O_RDWR}, {sys.O_WRONLY, os.O_WRONLY}, {sys.O_APPEND, os.O_APPEND}, {sys.O_CREAT, os.O_CREATE},
		{sys.O_EXCL, os.O_EXCL}, {sys.O_TRUNC, os.O_TRUNC}, {sys.O_SYNC, os.O_SYNC}, {sys.O_DSYNC, syscall.O_DSYNC},
	} {
		if flag&f.from != 0 {
			flags |= f.to
		}
	}
	return flags
}

func (at place) open(flags int, mode fs.FileMode) (*os.File, error) {
	if at.root == nil {
		return os.OpenFile(at.path, flags|syscall.O_NOFOLLOW, mode)
	}
	return at.root.OpenFile(at.rel, flags, mode)
}

func (at place) lstat() (fs.FileInfo, error) {
	if at.root == nil {
		return os.Lstat(at.path)
	}
	return at.root.Lstat(at.rel)
}

func (f *folder) stat(p string, look func(place) (fs.FileInfo, error), last bool) (wasi.Stat_t, sys.Errno) {
	at := f.place(p)
	if at.grant == nil {
		if len(f.all.names(at.abs)) > 0 {
			return madeStat(), 0
		}
		return wasi.Stat_t{}, sys.ENOENT
	}
	rel := at.rel
	if !last {
		rel = path.Dir(rel)
	}
	if no := at.links(rel); no != 0 {
		return wasi.Stat_t{}, no
	}
	info, err := look(at)
	if err != nil {
		return wasi.Stat_t{}, errno(err)
	}
	if strings.HasSuffix(p, "/") && !info.IsDir() {
		return wasi.Stat_t{}, sys.ENOTDIR
	}
	return wasi.NewStat_t(info), 0
}

func (f *folder) Lstat(p string) (wasi.Stat_t, sys.Errno) { return f.stat(p, place.lstat, false) }

func (f *folder) Stat(p string) (wasi.Stat_t, sys.Errno) {
	return f.stat(p, func(at place) (fs.FileInfo, error) {
		if at.root == nil {
			return os.Lstat(at.path)
		}
		return at.root.Stat(at.rel)
	}, true)
}

func (f *folder) Mkdir(p string, mode fs.FileMode) sys.Errno {
	at, no := f.to(p)
	if no != 0 {
		if no != sys.ENOENT && len(f.all.names(at.abs)) > 0 || at.grant != nil && at.rel == "." {
			return sys.EEXIST
		}
		return no
	}
	return errno(at.root.Mkdir(at.rel, mode&0o777))
}

func (f *folder) Rmdir(p string) sys.Errno  { return f.remove(p, true) }
func (f *folder) Unlink(p string) sys.Errno { return f.remove(p, false) }

func (f *folder) remove(p string, dir bool) sys.Errno {
	at, no := f.to(p)
	if no != 0 {
		return no
	}
	info, err := at.root.Lstat(at.rel)
	switch {
	case err != nil:
		return errno(err)
	case dir && !info.IsDir():
		return sys.ENOTDIR
	case !dir && info.IsDir():
		return sys.EISDIR
	}
	return errno(at.root.Remove(at.rel))
}

// both is the two places of a change within one grant.
func (f *folder) both(from, to string) (a, b place, no sys.Errno) {
	if a, no = f.to(from); no != 0 {
		return a, b, no
	}
	if b, no = f.to(to); no == 0 && a.grant != b.grant {
		no = sys.ENOTSUP
	}
	return a, b, no
}

func (f *folder) Rename(from, to string) sys.Errno {
	a, b, no := f.both(from, to)
	if no != 0 {
		return no
	}
	return errno(a.root.Rename(a.rel, b.rel))
}

func (f *folder) Link(from, to string) sys.Errno {
	a, b, no := f.both(from, to)
	if no != 0 {
		return no
	}
	return errno(a.root.Link(a.rel, b.rel))
}

// Symlink makes a link with any text: whoever follows it here stays in the grant.
func (f *folder) Symlink(text, p string) sys.Errno {
	at, no := f.to(p)
	if no != 0 {
		return no
	}
	return errno(at.root.Symlink(text, at.rel))
}

func (f *folder) Readlink(p string) (string, sys.Errno) {
	at := f.place(p)
	switch {
	case at.grant == nil && len(f.all.names(at.abs)) == 0:
		return "", sys.ENOENT
	case at.grant == nil || at.root == nil:
		return "", sys.EINVAL
	}
	if no := at.links(path.Dir(at.rel)); no != 0 {
		return "", no
	}
	text, err := at.root.Readlink(at.rel)
	return text, errno(err)
}

func (f *folder) Chmod(p string, mode fs.FileMode) sys.Errno {
	at, no := f.to(p)
	if no == 0 {
		no = at.links(at.rel)
	}
	if no != 0 {
		return no
	}
	return errno(at.root.Chmod(at.rel, mode&0o777))
}

func (f *folder) Utimens(p string, atime, mtime int64) sys.Errno {
	at, no := f.to(p)
	if no == 0 {
		no = at.links(at.rel)
	}
	if no != 0 {
		return no
	}
	return errno(at.root.Chtimes(at.rel, moment(atime), moment(mtime)))
}

// moment is a time for Chtimes, which keeps what is zero.
func moment(ns int64) time.Time {
	if ns == sys.UTIME_OMIT {
		return time.Time{}
	}
	return time.Unix(0, ns)
}
