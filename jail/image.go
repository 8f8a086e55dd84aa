package jail

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"github.com/seed-75010da9/jail/internal/pid1"
	"golang.org/x/sys/unix"
)

// allSeals make a memfd immutable, seals included (fcntl(2)).
const allSeals = unix.F_SEAL_SEAL | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_WRITE

// sealed returns a memfd that holds b and that nobody can change any more.
func sealed(name string, b []byte, flags int) (int, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING|flags)
	if errors.Is(err, unix.EINVAL) && flags != 0 {
		// Before Linux 6.3 there are no MFD_EXEC and MFD_NOEXEC_SEAL, and
		// every memfd is executable (memfd_create(2)).
		fd, err = unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	}
	if err != nil {
		return -1, err
	}
	if err := writeAll(fd, b); err != nil {
		unix.Close(fd)
		return -1, err
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, allSeals); err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

const (
	mfdExec       = 0x10 // MFD_EXEC
	mfdNoExecSeal = 0x8  // MFD_NOEXEC_SEAL
)

// openInit returns PID 1's image: a sealed memfd, or where the host forbids
// executable ones (sysctl vm.memfd_noexec=2) an unlinked file that nobody has
// open for writing. Either way no path leads to it (CVE-2019-5736).
func openInit() (int, error) {
	fd, err := sealed("jail-init", pid1.Image(), mfdExec)
	if err == nil || !errors.Is(err, unix.EACCES) {
		return fd, err
	}
	return unlinkedInit()
}

func unlinkedInit() (int, error) {
	var errs []error
	for _, dir := range []string{os.TempDir(), "/run", "/dev/shm", "/var/tmp"} {
		fd, err := unlinkedInitIn(dir)
		if err == nil {
			return fd, nil
		}
		errs = append(errs, err)
	}
	return -1, errors.Join(errs...)
}

func unlinkedInitIn(dir string) (int, error) {
	fail := func(op string, err error) (int, error) { return -1, &os.PathError{Op: op, Path: dir, Err: err} }
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return fail("statfs", err)
	}
	if fs.Flags&unix.ST_NOEXEC != 0 {
		return fail("statfs", errors.New("mounted noexec"))
	}
	w, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o700)
	if err != nil {
		return fail("open", err)
	}
	if err := writeAll(w, pid1.Image()); err != nil {
		unix.Close(w)
		return fail("write", err)
	}
	// A file that is open for writing can't be executed (ETXTBSY).
	fd, err := unix.Open(filepath.Join("/proc/self/fd", strconv.Itoa(w)), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	unix.Close(w)
	if err != nil {
		return fail("open", err)
	}
	return fd, nil
}

// writeAll writes b whole.
func writeAll(fd int, b []byte) error {
	for len(b) > 0 {
		n, err := unix.Write(fd, b)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}
