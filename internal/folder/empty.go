package folder

import (
	"errors"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// What a box leaves in a folder is of the box's making: folders in one
// another deeper than any path is long, folders that even their owner can't look
// into, more of them than there is time for. So it is removed by descriptors, of
// which three are open at any depth; no link is followed, and no mount entered.

// A level is a folder on the way down, with the names in it that were read and are
// still to go.
type level struct {
	name     string // in the folder above
	dev, ino uint64
	names    []string
	removed  bool // something has gone since the names were read
}

// An emptying removes what is in a folder. It is the only owner of its descriptor.
type emptying struct {
	fd     int // of the last level
	levels []level
	buf    []byte
}

// Empty removes what is in the folder that place is opened on, which stays
// open. It says whether it got through in time; there may be more left that can't
// be removed at all.
func Empty(place int, until time.Time) bool {
	fd, err := unix.Openat(place, ".", Flags, 0)
	if err != nil {
		return false
	}
	e := emptying{fd: fd, buf: make([]byte, 8<<10)}
	defer func() { unix.Close(e.fd) }()
	top, ok := levelOf(fd, "")
	if !ok {
		return false
	}
	e.levels = []level{top}
	for len(e.levels) > 0 {
		if !time.Now().Before(until) {
			return false
		}
		l := &e.levels[len(e.levels)-1]
		if len(l.names) == 0 && !e.read(l) {
			if !e.up() {
				return false
			}
			continue
		}
		name := l.names[0]
		l.names = l.names[1:]
		e.remove(l, name)
	}
	return true
}

func levelOf(fd int, name string) (level, bool) {
	var st unix.Stat_t
	err := unix.Fstat(fd, &st)
	// The first names count as new ones.
	return level{name: name, dev: st.Dev, ino: st.Ino, removed: true}, err == nil
}

// read reads more names. Those that could not be removed come again, so it ends
// when nothing has gone meanwhile.
func (e *emptying) read(l *level) bool {
	if !l.removed {
		return false
	}
	l.removed = false
	if _, err := unix.Seek(e.fd, 0, unix.SEEK_SET); err != nil {
		return false
	}
	for len(l.names) == 0 { // the first ones may be "." and ".." alone
		n, err := unix.ReadDirent(e.fd, e.buf)
		if err != nil || n <= 0 {
			return false
		}
		_, _, l.names = unix.ParseDirent(e.buf[:n], -1, nil)
	}
	return true
}

// remove removes a name, or goes down where there is something below it.
func (e *emptying) remove(l *level, name string) {
	err := unix.Unlinkat(e.fd, name, 0)
	if errors.Is(err, unix.EISDIR) || errors.Is(err, unix.EPERM) { // EPERM is POSIX's for a folder
		err = unix.Unlinkat(e.fd, name, unix.AT_REMOVEDIR)
	}
	if err == nil || errors.Is(err, unix.ENOENT) { // another run's sweep was faster
		l.removed = true
		return
	}
	if !errors.Is(err, unix.ENOTEMPTY) && !errors.Is(err, unix.EEXIST) {
		return
	}
	below, err := Open(e.fd, name, unix.RESOLVE_NO_XDEV)
	if err != nil {
		return
	}
	next, ok := levelOf(below, name)
	if !ok {
		unix.Close(below)
		return
	}
	unix.Close(e.fd)
	e.fd = below
	e.levels = append(e.levels, next)
}

// up goes back to the folder above, if it is still the one that it came from, and
// removes the one that it leaves.
func (e *emptying) up() bool {
	left := e.levels[len(e.levels)-1]
	e.levels = e.levels[:len(e.levels)-1]
	if len(e.levels) == 0 {
		return true
	}
	l := &e.levels[len(e.levels)-1]
	above, err := unix.Openat(e.fd, "..", Flags, 0)
	if err != nil {
		return false
	}
	unix.Close(e.fd)
	e.fd = above
	if there, ok := levelOf(above, ""); !ok || there.dev != l.dev || there.ino != l.ino {
		return false
	}
	if unix.Unlinkat(above, left.name, unix.AT_REMOVEDIR) == nil {
		l.removed = true
	}
	return true
}

// Flags open a folder and nothing else that may have taken its place: a
// named pipe would keep the supervisor waiting.
const Flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC

// Open opens a folder for reading, and lets its owner into it first if need be.
// It follows no link, nor whatever else resolve forbids (openat2(2)).
func Open(at int, name string, resolve uint64) (int, error) {
	place, err := OpenPlace(at, name, resolve)
	if err != nil {
		return -1, err
	}
	defer unix.Close(place)
	var st unix.Stat_t
	if err := unix.Fstat(place, &st); err != nil {
		return -1, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return -1, unix.ENOTDIR
	}
	if st.Mode&0o700 != 0o700 {
		// fchmod(2) takes no O_PATH descriptor. If it fails, opening tells.
		unix.Chmod("/proc/self/fd/"+strconv.Itoa(place), st.Mode&0o7777|0o700)
	}
	return unix.Openat(place, ".", Flags, 0)
}

// OpenPlace opens a path for use as a place, without following any link.
func OpenPlace(at int, path string, resolve uint64) (int, error) {
	for try := 1; ; try++ {
		fd, err := unix.Openat2(at, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC,
			Resolve: resolve | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS})
		// EAGAIN: something was renamed meanwhile, and the kernel can't tell
		// whether that mattered (openat2(2)).
		if try == 100 || !errors.Is(err, unix.EINTR) && !errors.Is(err, unix.EAGAIN) {
			return fd, err
		}
	}
}
