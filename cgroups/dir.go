package cgroups

import (
	"errors"
	"io"

	"golang.org/x/sys/unix"
)

// A dir is an open folder of a control-group file system. Everything inside is
// reached through the descriptor; the path is for messages only.
type dir struct {
	fd   int
	path string
}

const (
	dirFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC
	noDir    = -1
)

// openDir opens a folder by path and insists on its file system.
func openDir(path string, magic int64) (dir, error) {
	fd, err := openat(unix.AT_FDCWD, path, dirFlags)
	if err != nil {
		return dir{fd: noDir}, err
	}
	d := dir{fd, path}
	var fs unix.Statfs_t
	err = retry(func() error { return unix.Fstatfs(fd, &fs) })
	if err == nil && int64(fs.Type) != magic {
		err = errOtherFS
	}
	if err != nil {
		d.close()
		return dir{fd: noDir}, err
	}
	return d, nil
}

var errOtherFS = errors.New("not a control-group file system")

func (d dir) close() {
	if d.fd >= 0 {
		unix.Close(d.fd)
	}
}

// mkdir makes a new folder in d. The caller's umask may be anything, and one that
// an ordinary user can't search is of no use to it.
func (d dir) mkdir(name string) error {
	const mode = 0o755
	err := retry(func() error { return unix.Mkdirat(d.fd, name, mode) })
	if err == nil {
		var st unix.Stat_t
		err = retry(func() error { return unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) })
		if err == nil && st.Mode&0o777 != mode { // a look costs a tenth of a change
			err = retry(func() error { return unix.Fchmodat(d.fd, name, mode, 0) })
		}
		if err == unix.ENOENT { // a sweeper was faster, and whoever opens it will see
			err = nil
		}
	}
	if err == nil {
		return nil
	}
	e := &Error{Op: "mkdir", Path: d.path + "/" + name, Err: err}
	if lacksPermission(err) {
		e.Missing, e.Remedy = "write permission", remedyOfWrite(err)
	}
	return e
}

// open opens a folder in d.
func (d dir) open(name string) (dir, error) {
	fd, err := openat(d.fd, name, dirFlags|unix.O_NOFOLLOW)
	if err != nil {
		return dir{fd: noDir}, &Error{Op: "open", Path: d.path + "/" + name, Err: err}
	}
	return dir{fd, d.path + "/" + name}, nil
}

func (d dir) rmdir(name string) error {
	err := retry(func() error { return unix.Unlinkat(d.fd, name, unix.AT_REMOVEDIR) })
	if err != nil {
		return &Error{Op: "rmdir", Path: d.path + "/" + name, Err: err}
	}
	return nil
}

// write writes value into an existing file of d; it never makes one. The
// kernel takes a value in one write or not at all.
func (d dir) write(name, value string) error {
	fail := func(op string, err error) error {
		e := &Error{Op: op, Path: d.path + "/" + name, Value: value, Err: err}
		if lacksPermission(err) {
			e.Missing, e.Remedy = "write permission", remedyOfWrite(err)
		}
		return e
	}
	fd, err := openat(d.fd, name, unix.O_WRONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW)
	if err != nil {
		return fail("open", err)
	}
	defer unix.Close(fd)
	var n int
	err = retry(func() (err error) { n, err = unix.Write(fd, []byte(value)); return err })
	if err == nil && n != len(value) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return fail("write", err)
	}
	return nil
}

// read returns a file of d.
func (d dir) read(name string) (string, error) {
	text, err := readAt(d.fd, name, shortOfRoom)
	if err != nil {
		return "", &Error{Op: "read", Path: d.path + "/" + name, Err: err}
	}
	return text, nil
}

// shortOfRoom is what a read of a control group's file exceeds if there is more to come:
// they are written by one call of the kernel's, or record by record as long as the next
// one fits (fs/seq_file.c), and no record is as long as half of the room.
const shortOfRoom = 512

// readMax bounds what is read of one file, so that a wrong file is an error
// and not memory. The largest files read here are mountinfo and io.stat.
const readMax = 8 << 20

// readAt reads a file to its end, which is also where less than whole bytes came.
func readAt(at int, name string, whole int) (string, error) {
	fd, err := openat(at, name, unix.O_RDONLY|unix.O_CLOEXEC)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	// Most files hold a line; a buffer of the heap for each is what a short
	// run would spend its time on.
	var line [1024]byte
	buf := line[:]
	have := 0
	for {
		var n int
		err := retry(func() (err error) { n, err = unix.Read(fd, buf[have:]); return err })
		if err != nil {
			return "", err
		}
		have += n
		if n == 0 || n < whole {
			return string(buf[:have]), nil
		}
		if have > readMax {
			return "", unix.EFBIG
		}
		if have == len(buf) {
			buf = append(append(make([]byte, 0, 4*have), buf...), make([]byte, 3*have)...)
		}
	}
}

func openat(at int, name string, flags int) (fd int, err error) {
	err = retry(func() (err error) { fd, err = unix.Openat(at, name, flags, 0); return err })
	return fd, err
}
