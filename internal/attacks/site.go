package attacks

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
	group    bool   // this process can make control groups
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
		s, err := newSiteIn(ctx, parent, prefix)
		if err == nil {
			s.group = givesGroups()
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
	dir, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return nil, err
	}
	s := &Site{ctx: ctx, dir: dir, attacker: filepath.Join(dir, attackerName)}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if s.lock, err = lockFolder(dir); err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return nil, err
	}
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
	s.lock.Close()
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

// sweep removes the folders of this user's sites that nobody holds any more.
func sweep(parent, prefix string) {
	left, _ := filepath.Glob(filepath.Join(parent, prefix+"*"))
	for _, dir := range left {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() {
			continue
		}
		// A site that is being made is not locked yet.
		if uid, _ := owner(info); uid != os.Getuid() || time.Since(info.ModTime()) < time.Minute {
			continue
		}
		if lock, err := lockFolder(dir); err == nil {
			os.RemoveAll(dir)
			lock.Close()
		}
	}
}

// givesGroups says whether this process is given a control group to make others
// below. Callers who are not this process's user have none.
func givesGroups() bool {
	p, err := cgroups.Find("")
	if err != nil {
		return false
	}
	defer p.Close()
	g, err := p.Create("probe", cgroups.Limits{Memory: 64 << 20, CPUs: 1, Pids: 16})
	if err != nil {
		return false
	}
	return g.Remove() == nil
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
