package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/seed-75010da9/jail/internal/pid1"
	"github.com/seed-75010da9/jail/profiles"
	"golang.org/x/sys/unix"
)

// openFile opens a file that the caller names for jail itself. An earlier run
// may have left anything at the path: links are followed by the rule for grants
// alone, and the opening waits for nobody, whatever it is that lies there.
func openFile(host profiles.Host, name string, flags int) (*os.File, uint32, error) {
	real, err := host.RealPath(name)
	if err != nil {
		return nil, 0, err
	}
	how := unix.OpenHow{
		Flags:   uint64(flags | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC | unix.O_LARGEFILE),
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	if flags&unix.O_CREAT != 0 {
		how.Mode = 0o666
	}
	fd, err := unix.Openat2(unix.AT_FDCWD, real, &how)
	if err != nil {
		return nil, 0, fmt.Errorf("open: %w", err)
	}
	var st unix.Stat_t
	err = unix.Fstat(fd, &st)
	if err == nil {
		err = unix.SetNonblock(fd, false)
	}
	if err != nil {
		unix.Close(fd)
		return nil, 0, err
	}
	return os.NewFile(uintptr(fd), name), st.Mode & unix.S_IFMT, nil
}

// inheritedFD is the number of a descriptor that the caller left open for jail
// and names as fd:N, or as a path: what a shell makes of <(…) is /dev/fd/63.
func inheritedFD(name string) (number string, ok bool) {
	for _, prefix := range [...]string{"fd:", "/dev/fd/", "/proc/self/fd/"} {
		if number, ok := strings.CutPrefix(name, prefix); ok {
			return number, true
		}
	}
	for number, path := range [...]string{"/dev/stdin", "/dev/stdout", "/dev/stderr"} {
		if name == path {
			return strconv.Itoa(number), true
		}
	}
	return "", false
}

// inherited takes over a descriptor, open for reading or writing as wanted.
// One that is close-on-exec is our own: nothing inherited can be.
func inherited(number string, reading bool) (*os.File, error) {
	n, err := strconv.ParseUint(number, 10, 31)
	if err != nil {
		return nil, errors.New("must be fd:N with the number of a descriptor")
	}
	fd := int(n)
	refused, use, arrow := unix.O_RDONLY, "writing", ">"
	if reading {
		refused, use, arrow = unix.O_WRONLY, "reading", "<"
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	if err != nil || flags&unix.FD_CLOEXEC != 0 || fd <= 2 && pid1.WasClosed(fd) {
		return nil, fmt.Errorf("descriptor %d is not open; open it for jail, as in `jail run … %d%sFILE`", fd, fd, arrow)
	}
	mode, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil {
		return nil, fmt.Errorf("descriptor %d: %w", fd, err)
	}
	if mode&unix.O_PATH != 0 || mode&unix.O_ACCMODE == refused {
		return nil, fmt.Errorf("descriptor %d is not open for %s", fd, use)
	}
	if fd > 2 {
		unix.CloseOnExec(fd)
	}
	return os.NewFile(uintptr(fd), "fd:"+number), nil
}
