package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/learn"
	"github.com/seed-75010da9/jail/profiles"
	"golang.org/x/sys/unix"
)

// A profileFile is where a learned profile goes. Its folder is opened before the
// program runs, and the file takes its place whole when it has ended: there is never
// half a profile.
type profileFile struct {
	dir  int
	name string
	old  bool // a learned one is there
}

func (p *profileFile) did() string {
	if p.old {
		return "replaced"
	}
	return "wrote"
}

func openProfileFile(host profiles.Host, name string) (*profileFile, error) {
	if _, ok := inheritedFD(name); ok {
		return nil, errors.New("must be a file; without --out the profile goes to standard output")
	}
	real, err := host.RealPath(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	base := filepath.Base(name)
	if base == "." || base == ".." || base == "/" {
		return nil, errors.New("must be a file")
	}
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS}
	fd, err := unix.Openat2(unix.AT_FDCWD, real, &how)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	old, err := learnedAt(fd, base)
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	if err := unix.Faccessat(fd, ".", unix.W_OK|unix.X_OK, unix.AT_EACCESS); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return &profileFile{fd, base, old}, nil
}

// checkRedirected finds a file for the profile that a shell has opened as standard output
// where the program may put another in its place.
func (l *learner) checkRedirected(spec jail.Spec) {
	var st unix.Stat_t
	name, err := os.Readlink("/proc/self/fd/1")
	if err != nil || unix.Fstat(1, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return
	}
	if err := outOfReach(l.host, name, spec.View); err != nil {
		l.line.fault("standard output", name, reason(err)+": redirect it elsewhere, or give --out")
	}
}

// learnedAt says whether there is a learned profile. Anything else that is there is
// somebody's, and stays.
func learnedAt(dir int, base string) (bool, error) {
	errOther := errors.New("must not be there yet, or be a learned profile, which is replaced: this is none")
	var st unix.Stat_t
	err := unix.Fstatat(dir, base, &st, unix.AT_SYMLINK_NOFOLLOW)
	switch {
	case errors.Is(err, unix.ENOENT):
		return false, nil
	case err == nil && st.Mode&unix.S_IFMT != unix.S_IFREG:
		return false, errOther
	}
	fd, err := unix.Openat(dir, base, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return false, err
	}
	defer unix.Close(fd)
	b := make([]byte, len(learn.Mark))
	if n, err := unix.Read(fd, b); err != nil || n > 0 && string(b[:n]) != learn.Mark {
		return false, errOther
	}
	return true, nil
}

func (p *profileFile) write(text string) error {
	defer unix.Close(p.dir)
	temporary := "." + p.name + "." + rand.Text()
	fd, err := unix.Openat(p.dir, temporary, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o666)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), p.name)
	_, err = f.WriteString(text)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = unix.Renameat(p.dir, temporary, p.dir, p.name)
	}
	if err != nil {
		unix.Unlinkat(p.dir, temporary, 0)
	}
	return err
}
