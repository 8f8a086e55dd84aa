package cgroups

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// sweepWait bounds how long Sweep waits for one leaf whose processes it killed.
const sweepWait = 20 * time.Millisecond

// Sweep removes the leaves below p whose maker has died, from every hierarchy, and
// kills what still runs in them, as Group.Kill does. It looks at no more than
// max leaves, from a random one on, so that many runs at once share the work.
// It returns how many leaves it removed; what it can't remove stays for the
// next.
func (p *Parent) Sweep(max int) (removed int) {
	names := p.leaves()
	if len(names) == 0 {
		return 0
	}
	start := rand.IntN(len(names))
	for i := range min(max, len(names)) {
		if p.sweep(names[(start+i)%len(names)]) {
			removed++
		}
	}
	return removed
}

// leaves lists the groups below p that this package made.
func (p *Parent) leaves() []string {
	// A folder's link count is 2 + its subfolders in these file systems, so the
	// usual case, none, costs one call.
	var st unix.Stat_t
	if err := unix.Fstat(p.dirs[0].fd, &st); err != nil || st.Nlink <= 2 {
		return nil
	}
	// Descriptors share their place in a listing: this one is our own.
	fd, err := openat(p.dirs[0].fd, ".", dirFlags)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	var names, ours []string
	buf := make([]byte, 4<<10) // of which every page is a fault
	for {
		var n int
		err := retry(func() (err error) { n, err = unix.Getdents(fd, buf); return err })
		if err != nil || n <= 0 {
			break
		}
		_, _, names = unix.ParseDirent(buf[:n], -1, names)
	}
	for _, name := range names {
		if strings.HasPrefix(name, prefix) && strings.HasSuffix(name, suffix) {
			ours = append(ours, name)
		}
	}
	return ours
}

// sweep removes one leaf if its lock is free, which is to say that its maker is
// dead. It holds the lock while it removes. Another user's leaf is left alone.
func (p *Parent) sweep(name string) bool {
	d, err := p.dirs[0].open(name)
	if err != nil {
		return false
	}
	defer d.close()
	var st unix.Stat_t
	if unix.Fstat(d.fd, &st) != nil || int(st.Uid) != unix.Geteuid() {
		return false
	}
	if retry(func() error { return unix.Flock(d.fd, unix.LOCK_EX|unix.LOCK_NB) }) != nil {
		return false
	}
	homes := d.homes()
	deadline := time.Now()
	if none, err := empty(p.version, d); err == nil && !none {
		if killLeft(p.version, d, homes, name) != nil {
			return false
		}
		deadline = deadline.Add(sweepWait)
	}
	for _, path := range homes {
		if !rmdirAt(path, name, deadline) {
			return false
		}
	}
	return rmdirUntil(p.dirs[0], name, deadline) == nil
}

// killLeft kills what is left in the leaf that has d as its first folder, and
// one of the same name in each of homes.
func killLeft(v Version, d dir, homes []string, name string) error {
	dirs := []dir{d}
	for _, path := range homes {
		other, err := openDir(path+"/"+name, magic(V1))
		if err != nil {
			continue // its maker died before it was made
		}
		defer other.close()
		dirs = append(dirs, other)
	}
	return kill(v, dirs)
}

// homesAttr is where a leaf's first folder says where its others are.
const homesAttr = "user.jail.homes"

// setHomes writes down, on g's first folder, below which groups the others are
// made. A sweeper finds the first folder only, and its own group need not be
// the maker's: this process's group may be a deep one in one hierarchy and the
// root in another, where all the leaves of the host then meet.
func (g *Group) setHomes() error {
	others := g.parent.dirs[1:]
	if len(others) == 0 {
		return nil
	}
	var homes []string
	for _, d := range others {
		homes = append(homes, d.path)
	}
	d := g.dirs[0]
	err := retry(func() error { return unix.Fsetxattr(d.fd, homesAttr, []byte(strings.Join(homes, "\n")), 0) })
	if err != nil {
		return &Error{Op: "write", Path: d.path + " attribute " + homesAttr, Err: err}
	}
	return nil
}

// homes reads what setHomes wrote. Where there is nothing, there are no other
// folders either: they are made afterwards.
func (d dir) homes() []string {
	buf := make([]byte, 4*unix.PathMax)
	n, err := unix.Fgetxattr(d.fd, homesAttr, buf)
	if err != nil || n <= 0 {
		return nil
	}
	return strings.Split(string(buf[:n]), "\n")
}

// rmdirAt removes one of a leaf's other folders, and says whether it is gone.
// It is, if its parent is: no group goes before those below it. But a parent that is
// not to be found may be one of a hierarchy that others have mounted, and this
// process, in a mount namespace of its own, has not: it is theirs to sweep then.
func rmdirAt(path, name string, deadline time.Time) bool {
	above, err := openDir(path, magic(V1))
	if err != nil {
		return gone(err) && mountedAbove(path)
	}
	defer above.close()
	return rmdirUntil(above, name, deadline) == nil
}

// mountedAbove says whether the nearest folder above path that there is belongs to a
// hierarchy of version 1.
func mountedAbove(path string) bool {
	for {
		path = filepath.Dir(path)
		d, err := openDir(path, magic(V1))
		if err == nil {
			d.close()
			return true
		}
		if !gone(err) || path == "/" || path == "." {
			return false
		}
	}
}
