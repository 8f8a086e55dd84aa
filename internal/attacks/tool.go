package attacks

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// show prints the file at path: how attacks get a secret out.
func show(path string) error {
	content, err := os.ReadFile(path)
	fmt.Printf("%s\n", content)
	return err
}

// each tries every descriptor that may have been leaked, or be the launcher's,
// and is content with one success.
func each(try func(fd int) error) error {
	err := errors.New("no descriptor is open")
	for fd := 3; fd <= leakedMax; fd++ {
		if e := try(fd); e == nil {
			return nil
		} else if !errors.Is(e, unix.EBADF) {
			err = fmt.Errorf("descriptor %d: %w", fd, e)
		}
	}
	return err
}

// all is each, but goes on after a success.
func all(try func(fd int) error) error {
	return each(func(fd int) error {
		if err := try(fd); err != nil {
			return err
		}
		return unix.EBADF
	})
}

// showFD prints what can be read from a descriptor of a file. (Another kind
// could keep the reader waiting.)
func showFD(fd int) error {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return unix.EBADF
	}
	buf := make([]byte, 4096)
	n, err := unix.Read(fd, buf)
	if n > 0 {
		fmt.Printf("%s\n", buf[:n])
	}
	return err
}

// showAt prints a file below a folder's descriptor.
func showAt(dir int, name string) error {
	fd, err := unix.Openat(dir, name, unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return showFD(fd)
}

// overwrite opens path for writing, with extra flags, and writes to it.
func overwrite(path string, flags int) error {
	fd, err := unix.Open(path, unix.O_WRONLY|flags, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	_, err = unix.Write(fd, []byte("OWNED"))
	return err
}

func fdPath(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

// errno is nil for 0: system calls by number.
func errno(e unix.Errno) error {
	if e == 0 {
		return nil
	}
	return e
}

func rawSyscall(nr uintptr, args ...uintptr) (uintptr, error) {
	var a [6]uintptr
	copy(a[:], args)
	r, _, e := unix.Syscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5])
	return r, errno(e)
}

func pointer[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }
