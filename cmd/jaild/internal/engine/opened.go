package engine

import (
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/tetratelabs/wazero/experimental/sys"
	wasi "github.com/tetratelabs/wazero/sys"
	"golang.org/x/sys/unix"
)

// An opened is a file or folder of a grant.
type opened struct {
	sys.UnimplementedFile
	file    *os.File
	dir     bool
	appends bool
}

func (o *opened) Dev() (uint64, sys.Errno) {
	st, no := o.Stat()
	return st.Dev, no
}

func (o *opened) Ino() (wasi.Inode, sys.Errno) {
	st, no := o.Stat()
	return st.Ino, no
}

func (o *opened) IsDir() (bool, sys.Errno) { return o.dir, 0 }
func (o *opened) IsAppend() bool           { return o.appends }

func (o *opened) SetAppend(on bool) sys.Errno {
	flags, err := unix.FcntlInt(o.file.Fd(), unix.F_GETFL, 0)
	if err == nil {
		flags &^= unix.O_APPEND
		if on {
			flags |= unix.O_APPEND
		}
		_, err = unix.FcntlInt(o.file.Fd(), unix.F_SETFL, flags)
	}
	if err == nil {
		o.appends = on
	}
	return errno(err)
}

func (o *opened) Stat() (wasi.Stat_t, sys.Errno) {
	info, err := o.file.Stat()
	if err != nil {
		return wasi.Stat_t{}, errno(err)
	}
	return wasi.NewStat_t(info), 0
}

// count is what was read or written, and why no more. The end of a file is no error.
func (o *opened) count(n int, err error) (int, sys.Errno) {
	switch {
	case o.dir:
		return 0, sys.EISDIR
	case err == io.EOF:
		return n, 0
	}
	return n, errno(err)
}

func (o *opened) Read(b []byte) (int, sys.Errno) {
	if len(b) == 0 {
		return 0, 0
	}
	return o.count(o.file.Read(b))
}

func (o *opened) Pread(b []byte, at int64) (int, sys.Errno) {
	if at < 0 {
		return 0, sys.EINVAL
	}
	return o.count(o.file.ReadAt(b, at))
}

func (o *opened) Write(b []byte) (int, sys.Errno) { return o.count(o.file.Write(b)) }

func (o *opened) Pwrite(b []byte, at int64) (int, sys.Errno) {
	if at < 0 {
		return 0, sys.EINVAL
	}
	n, err := unix.Pwrite(int(o.file.Fd()), b, at) // os.File refuses it for files that append
	return o.count(max(n, 0), err)
}

// An offset is a place in a file. The alias is for go vet, which takes every Seek of an
// int64 for io.Seeker's.
type offset = int64

func (o *opened) Seek(to offset, whence int) (int64, sys.Errno) {
	if o.dir && (to != 0 || whence != io.SeekStart) {
		return 0, sys.EISDIR
	}
	if whence < io.SeekStart || whence > io.SeekEnd {
		return 0, sys.EINVAL
	}
	at, err := o.file.Seek(to, whence)
	return at, errno(err)
}

func (o *opened) Readdir(n int) ([]sys.Dirent, sys.Errno) {
	if !o.dir {
		return nil, sys.ENOTDIR
	}
	infos, err := o.file.Readdir(n)
	var list []sys.Dirent
	for _, info := range infos {
		list = append(list, sys.Dirent{Name: info.Name(), Ino: inode(info), Type: info.Mode().Type()})
	}
	if err == io.EOF {
		err = nil
	}
	return list, errno(err)
}

func inode(info fs.FileInfo) wasi.Inode {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}

func (o *opened) Truncate(size int64) sys.Errno {
	switch {
	case o.dir:
		return sys.EISDIR
	case size < 0:
		return sys.EINVAL
	}
	return errno(o.file.Truncate(size))
}

func (o *opened) Sync() sys.Errno     { return errno(o.file.Sync()) }
func (o *opened) Datasync() sys.Errno { return errno(unix.Fdatasync(int(o.file.Fd()))) }

func (o *opened) Utimens(atime, mtime int64) sys.Errno {
	return errno(unix.UtimesNanoAt(int(o.file.Fd()), "", []unix.Timespec{spec(atime), spec(mtime)}, unix.AT_EMPTY_PATH))
}

// spec is a time as utimensat(2) has it.
func spec(ns int64) unix.Timespec {
	if ns == sys.UTIME_OMIT {
		return unix.Timespec{Nsec: unix.UTIME_OMIT}
	}
	return unix.NsecToTimespec(ns)
}

func (o *opened) Close() sys.Errno { return errno(o.file.Close()) }

// A made is a folder that is there only because grants lie below it.
type made struct {
	sys.UnimplementedFile
	all  grants
	at   string
	read int // names already read
}

func madeStat() wasi.Stat_t { return wasi.Stat_t{Mode: fs.ModeDir | 0o555, Nlink: 1} }

func (m *made) Dev() (uint64, sys.Errno)              { return 0, 0 }
func (m *made) Ino() (wasi.Inode, sys.Errno)          { return 0, 0 }
func (m *made) IsDir() (bool, sys.Errno)              { return true, 0 }
func (m *made) IsAppend() bool                        { return false }
func (m *made) SetAppend(bool) sys.Errno              { return sys.EISDIR }
func (m *made) Stat() (wasi.Stat_t, sys.Errno)        { return madeStat(), 0 }
func (m *made) Read([]byte) (int, sys.Errno)          { return 0, sys.EISDIR }
func (m *made) Pread([]byte, int64) (int, sys.Errno)  { return 0, sys.EISDIR }
func (m *made) Write([]byte) (int, sys.Errno)         { return 0, sys.EISDIR }
func (m *made) Pwrite([]byte, int64) (int, sys.Errno) { return 0, sys.EISDIR }
func (m *made) Close() sys.Errno                      { return 0 }

func (m *made) Seek(to offset, whence int) (int64, sys.Errno) {
	if to != 0 || whence != io.SeekStart {
		return 0, sys.EISDIR
	}
	m.read = 0
	return 0, 0
}

func (m *made) Readdir(n int) ([]sys.Dirent, sys.Errno) {
	names := m.all.names(m.at)
	names = names[min(m.read, len(names)):]
	if n > 0 {
		names = names[:min(n, len(names))]
	}
	m.read += len(names)
	var list []sys.Dirent
	for _, name := range names {
		kind := fs.ModeDir
		if g, _ := m.all.find(m.at + "/" + name); g != nil && g.root == nil {
			kind = 0
		}
		list = append(list, sys.Dirent{Name: name, Type: kind})
	}
	return list, 0
}
