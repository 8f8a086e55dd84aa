package attacks

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/cgroups"
	"github.com/seed-75010da9/jail/jail"
	"golang.org/x/sys/unix"
)

// A Site is what all runs share: a folder of their own on the host, and the
// attacker in it.
type Site struct {
	// Slowness is how many times longer than usual everything may take, on a
	// host that is known to be slow; 0 is as usual.
	Slowness int

	ctx      context.Context
	dir      string // where the arenas are
	lock     *os.File
	attacker string // this binary, where the boxes find it
	dynamic  bool   // it needs libraries (built with cgo, such as for -race)
	parent   string // of their control groups; "" is this process's own
	group    bool   // this process can make some
}

// NewSite makes a site in a new folder whose name begins with prefix, in the
// first of parents where programs may run. The folders must not lie below /tmp,
// which a box has of its own: with the new root taken down the host's files must
// still be another wall's to hide. What sites of the same prefix left behind that
// were killed goes away. Once ctx ends, so do the runs.
func NewSite(ctx context.Context, prefix string, parents ...string) (*Site, error) {
	var failed []error
	for _, parent := range parents {
		sweep(parent, prefix)
	}
	for _, parent := range parents {
		s, err := newSiteIn(ctx, parent, prefix)
		if err == nil {
			s.group = givesGroups("") == nil
			return s, nil
		}
		failed = append(failed, err)
	}
	return nil, errors.Join(failed...)
}

func newSiteIn(ctx context.Context, parent, prefix string) (_ *Site, err error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(parent, &fs); err != nil {
		return nil, fmt.Errorf("statfs %s: %w", parent, err)
	}
	if fs.Flags&unix.ST_NOEXEC != 0 {
		return nil, fmt.Errorf("%s: is mounted noexec: no program can run from it", parent)
	}
	made, err := os.MkdirTemp(parent, unlocked+prefix)
	if err != nil {
		return nil, err
	}
	s := &Site{ctx: ctx, dir: made}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if s.lock, err = lockFolder(made); err != nil {
		return nil, err
	}
	if err := os.Chmod(made, 0o755); err != nil {
		return nil, err
	}
	// From the first moment on at which it has its name it is locked.
	dir := filepath.Join(parent, strings.TrimPrefix(filepath.Base(made), unlocked))
	if err := unix.Renameat2(unix.AT_FDCWD, made, unix.AT_FDCWD, dir, unix.RENAME_NOREPLACE); err != nil {
		return nil, &os.LinkError{Op: "rename", Old: made, New: dir, Err: err}
	}
	s.dir, s.attacker = dir, filepath.Join(dir, attackerName)
	if err := copyFile(s.attacker, "/proc/self/exe", 0o755); err != nil {
		return nil, err
	}
	binary, err := elf.Open(s.attacker)
	if err != nil {
		return nil, err
	}
	defer binary.Close()
	for _, p := range binary.Progs {
		s.dynamic = s.dynamic || p.Type == elf.PT_INTERP
	}
	return s, nil
}

// Dir is the site's folder.
func (s *Site) Dir() string { return s.dir }

// Close takes the site's folder away.
func (s *Site) Close() error {
	err := os.RemoveAll(s.dir)
	if s.lock != nil {
		s.lock.Close()
	}
	return err
}

// UseGroup has the boxes' control groups made below a parent, as
// jail.Spec.CgroupParent has it.
func (s *Site) UseGroup(parent string) error {
	err := givesGroups(parent)
	s.parent, s.group = parent, err == nil
	return err
}

// Roles are the callers that this process can play: root and an ordinary user,
// or the user that it is.
func (s *Site) Roles() []Role {
	if self := s.Self(); !self.Root {
		return []Role{self}
	}
	// An id that no account has, and so no group that is its own either.
	const nobodys = 64321
	return []Role{s.Self(), {Name: "user", UID: nobodys, GID: nobodys, site: s}}
}

// Self is the caller that this process is.
func (s *Site) Self() Role {
	uid, gid := os.Getuid(), os.Getgid()
	if uid == 0 {
		return Role{Name: "root", Root: true, Group: s.group, site: s}
	}
	return Role{Name: "user", UID: uid, GID: gid, Group: s.group, site: s}
}

// patience is d, or longer on a slow host.
func (s *Site) patience(d time.Duration) time.Duration { return d * time.Duration(max(s.Slowness, 1)) }

// lockFolder holds the folder as long as this process lives.
func lockFolder(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("flock %s: %w", dir, err)
	}
	return f, nil
}

// unlocked begins the name of a folder that may not be locked yet.
const unlocked = "."

// sweep removes the folders of this user's sites that nobody holds any more.
func sweep(parent, prefix string) {
	left, _ := filepath.Glob(filepath.Join(parent, prefix+"*"))
	for _, dir := range left {
		sweepOne(dir, 0)
	}
	left, _ = filepath.Glob(filepath.Join(parent, unlocked+prefix+"*"))
	for _, dir := range left {
		sweepOne(dir, time.Minute)
	}
}

// sweepOne removes a folder that is as old, at least, if nobody holds it.
func sweepOne(dir string, age time.Duration) {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || time.Since(info.ModTime()) < age {
		return
	}
	if uid, _ := owner(info); uid != os.Getuid() {
		return
	}
	if lock, err := lockFolder(dir); err == nil {
		os.RemoveAll(dir)
		lock.Close()
	}
}

// givesGroups says why this process is given no control group to make others below, or
// is nil. Callers who are not this process's user have none.
func givesGroups(parent string) error {
	p, err := cgroups.Find(parent)
	if err != nil {
		return err
	}
	defer p.Close()
	g, err := p.Create("probe", cgroups.Limits{Memory: 64 << 20, CPUs: 1, Pids: 16})
	if err != nil {
		return err
	}
	return g.Remove()
}

func copyFile(to, from string, mode os.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	if err := out.Chmod(mode); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// A Role is who calls jail.
type Role struct {
	Name     string
	UID, GID int
	Root     bool
	Group    bool // a control group is to be had for its boxes
	Tier     jail.Tier
	// Careful says that the host is a machine in use: what loads a part of the
	// kernel is not even tried.
	Careful bool

	site *Site
}
