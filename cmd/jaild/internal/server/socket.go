package server

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A socket is the server's, which it alone listens on.
type socket struct {
	*net.UnixListener
	folder int // a descriptor of the folder that it lies in
	name   string
	made   identity
}

// An identity tells a file from one that was made later in its place, whose inode
// may have the same number.
type identity struct {
	inode   uint64
	changed unix.Timespec
}

func identityOf(st unix.Stat_t) identity { return identity{st.Ino, st.Ctim} }

// claimTime is how long another server may take to claim the same socket.
const claimTime = time.Second

// claim makes the socket at path, mode 0600, in a folder that only its owner can
// enter. A socket that nobody listens on any more, as a server that was killed
// leaves behind, is replaced; whatever else lies there stays.
//
// Everything happens relative to a descriptor of the folder: the path may be
// longer than an address can be (108 bytes, unix(7)), and it can't be led
// elsewhere between the check and the use.
func claim(path string) (*socket, error) {
	dir := filepath.Dir(path)
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%s: making its folder: %w", path, errors.Unwrap(err))
	}
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: opening its folder: %w", path, err)
	}
	s := &socket{folder: fd, name: filepath.Base(path)}
	if err := s.listen(); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// mostAddress is how long an address can be, in bytes (sun_path of unix(7), with
// the NUL behind it).
const mostAddress = 107

func (s *socket) listen() error {
	if over := len(s.address().Name) - mostAddress; over > 0 {
		return fmt.Errorf("its name is %d bytes long and must be at most %d: an address has %d (unix(7))", len(s.name), len(s.name)-over, mostAddress)
	}
	if err := private(s.folder); err != nil {
		return err
	}
	// Two servers that start at once must not take turns in replacing each other.
	if err := s.lock(); err != nil {
		return err
	}
	defer unix.Flock(s.folder, unix.LOCK_UN)
	if err := s.clear(); err != nil {
		return err
	}
	// The folder keeps everybody else out until the mode is set.
	l, err := net.ListenUnix("unix", s.address())
	if err != nil {
		return fmt.Errorf("listening: %w", bare(err))
	}
	l.SetUnlinkOnClose(false) // by descriptor, in remove
	s.UnixListener = l
	var st unix.Stat_t
	err = unix.Fchmodat(s.folder, s.name, 0o600, 0)
	if err == nil {
		err = unix.Fstatat(s.folder, s.name, &st, unix.AT_SYMLINK_NOFOLLOW)
	}
	if err != nil {
		l.Close()
		return fmt.Errorf("setting its mode: %w", err)
	}
	s.made = identityOf(st)
	return nil
}

// mayBeNamedIn says whether a path of the host's is, or may hold, a hard link to the
// socket: no look finds them all.
func (s *socket) mayBeNamedIn(path string) bool {
	var its, there unix.Stat_t
	return unix.Fstatat(s.folder, s.name, &its, unix.AT_SYMLINK_NOFOLLOW) == nil && its.Nlink > 1 &&
		unix.Stat(path, &there) == nil && there.Dev == its.Dev
}

// address is the socket's, through the descriptor.
func (s *socket) address() *net.UnixAddr {
	return &net.UnixAddr{Name: "/proc/self/fd/" + strconv.Itoa(s.folder) + "/" + s.name, Net: "unix"}
}

// private refuses a folder that others than its owner can enter, or that is
// somebody else's.
func private(folder int) error {
	var st unix.Stat_t
	if err := unix.Fstat(folder, &st); err != nil {
		return fmt.Errorf("its folder: %w", err)
	}
	if st.Mode&0o077 != 0 || int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("its folder has the mode %03o and belongs to uid %d: it must be one that only uid %d can enter (mkdir -m 700)", st.Mode&0o777, st.Uid, os.Geteuid())
	}
	return nil
}

func (s *socket) lock() error {
	for deadline := time.Now().Add(claimTime); ; time.Sleep(10 * time.Millisecond) {
		err := unix.Flock(s.folder, unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) || time.Now().After(deadline) {
			return fmt.Errorf("locking its folder: %w", err)
		}
	}
}

// clear removes what an earlier server left.
func (s *socket) clear() error {
	var st unix.Stat_t
	err := unix.Fstatat(s.folder, s.name, &st, unix.AT_SYMLINK_NOFOLLOW)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return errors.New("something that is no socket lies there: name another path, or remove it")
	}
	c, err := net.DialUnix("unix", nil, s.address())
	if err == nil {
		c.Close()
		return errors.New("another server is listening there")
	}
	if !errors.Is(err, unix.ECONNREFUSED) {
		return fmt.Errorf("trying the socket that lies there: %w", bare(err))
	}
	return unix.Unlinkat(s.folder, s.name, 0)
}

// remove takes the socket away, if it is still ours.
func (s *socket) remove() {
	var st unix.Stat_t
	if unix.Fstatat(s.folder, s.name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil && identityOf(st) == s.made {
		unix.Unlinkat(s.folder, s.name, 0)
	}
	unix.Close(s.folder)
}

// bare is err without the address, which is a descriptor's path.
func bare(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return err
}
