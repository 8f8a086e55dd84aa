package jail

import (
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/hostmounts"
	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/internal/shellword"
)

// A hole is what takes away, within a grant, some of what that gives: a folder in memory in
// the place of one of the host's, or what is read-only within what is writable. Whoever cuts one means it as a protection, so nothing else in the box
// may show what lies below it with more rights than the hole leaves.

// A cutting is the place of the host's that a hole covers.
type cutting struct {
	hole   *mount
	source string
	access int // what the hole leaves of it
	above  []inode
}

// An inode is a path of the host's and which file or folder is there: a bind mount of the
// host's is another path to the same one.
type inode struct {
	path     string
	dev, ino uint64
	names    uint64 // of a regular file
}

// is says whether a mount is of that file or folder.
func (i inode) is(m *mount) bool {
	return i.path == path.Clean(m.Source) || i.ino != 0 && i.dev == m.dev && i.ino == m.ino
}

// access is what may be done to the host's files in a mount: nothing, reading, writing.
func (m *mount) access() int {
	switch m.Kind {
	case MountRW:
		return 2
	case MountRO, MountSystem:
		return 1
	}
	return 0
}

// whole is the mount that m is a part of, or m.
func (m *mount) whole() *mount {
	if m != nil && m.part != nil {
		return m.part
	}
	return m
}

// checkHoles finds holes whose place another grant of the box shows with more rights.
func (r *resolver) checkHoles() {
	for _, m := range r.view.mounts {
		c, ok := r.covers(m)
		if !ok {
			continue
		}
		if why := r.opened(c); why != "" {
			r.index = m.index
			r.fault("target", m.Target, why)
		}
	}
}

// opened says what is wrong with a hole whose place is shown elsewhere, or may be by a hard
// link that an earlier box has left, or is "".
func (r *resolver) opened(c cutting) string {
	if n := c.above[0].names; n > 1 { // no mount covers the others, and no look finds them all
		at := shellword.Quote(c.source)
		return "must not be a file of several names, since it takes away what the grant around it gives: there are " + strconv.FormatUint(n, 10) + " hard links to " + at +
			", by any other of which what it holds can be had or changed; give it one name (cp -p FILE NEW && mv NEW FILE), or grant the folders beside it"
	}
	for _, g := range r.view.mounts {
		if at, shown := r.shows(g, c); shown {
			return c.openedBy(g, at, "")
		}
	}
	place := r.places.of(c.source)
	for _, g := range r.view.mounts {
		if g.part != nil || g == c.hole || g.access() <= c.access {
			continue
		}
		if at, rest, shown := r.showsByMount(g, c, r.places.of(path.Clean(g.Source)), place); shown {
			return c.openedBy(g, at, rest)
		}
	}
	return ""
}

// showsByMount is shows by what the host has mounted in a grant, or in what a hole covers.
// rest is for a part of the latter alone; one that a grant names by its own path is meant.
func (r *resolver) showsByMount(g *mount, c cutting, in, place []hostmounts.Part) (at, rest string, ok bool) {
	for _, s := range in {
		if s.ReadOnly && c.access > 0 {
			continue
		}
		for _, p := range place {
			on, rest, shown := s.Shows(p)
			if !shown || on != c.source && pathname.Below(on, c.source) {
				continue
			}
			at = path.Join(g.path, strings.TrimPrefix(on, path.Clean(g.Source)))
			if at != c.hole.path && r.view.mountAt(at).whole() == g {
				return at, strings.TrimPrefix(p.At, c.source) + rest, true
			}
		}
	}
	return "", "", false
}

// covers says what a mount covers, if it is a hole. What a profile has of the system is
// none, and neither is what lies in that.
func (r *resolver) covers(m *mount) (c cutting, ok bool) {
	outer := r.outer(m.path).whole()
	switch {
	case m.part != nil || outer == nil:
		return c, false
	case outer.Kind == MountRW && m.Kind == MountRO:
	case (outer.Kind == MountRW || outer.Kind == MountRO) && m.Kind == MountTmpfs:
	default:
		return c, false
	}
	c = cutting{hole: m, source: path.Join(outer.Source, strings.TrimPrefix(m.path, outer.path))}
	if c.above = ancestry(c.source); c.above[0].is(m) {
		c.access = m.access()
	}
	return c, true
}

// ancestry are a path of the host's and the folders around it, the inner ones first.
func ancestry(p string) (list []inode) {
	for at := p; ; at = path.Dir(at) {
		var st unix.Stat_t
		_ = unix.Lstat(at, &st) // what can't be looked at is known by its path alone
		i := inode{path: at, dev: st.Dev, ino: st.Ino}
		if st.Mode&unix.S_IFMT == unix.S_IFREG {
			i.names = uint64(st.Nlink)
		}
		if list = append(list, i); at == "/" {
			return list
		}
	}
}

// shows says where in the box a grant shows what a hole covers, with more rights than the
// hole leaves, if it does.
func (r *resolver) shows(g *mount, c cutting) (at string, ok bool) {
	if g.part != nil || g == c.hole || g.access() <= c.access {
		return "", false
	}
	for _, a := range c.above {
		if !a.is(g) {
			continue
		}
		at = path.Join(g.path, strings.TrimPrefix(c.source, a.path))
		if at != c.hole.path && r.view.mountAt(at).whole() == g {
			return at, true
		}
	}
	return "", false
}

// openedBy says what is wrong with a hole of which a grant shows what lies at rest in it, or
// all, and what to do.
func (c cutting) openedBy(g *mount, at, rest string) string {
	rights, grant, own := "readable", g.Source, ", or add --tmpfs "+shellword.Quote(at)
	if g.Kind == MountRW {
		rights = "writable"
	}
	if g.Target != g.Source {
		grant += ":" + g.Target
	}
	if c.hole.Kind == MountRO {
		own = ", or add --ro " + shellword.Quote(c.hole.Source+rest+":"+at)
	}
	if at == g.path { // where nothing else can be
		own = ""
	}
	flag := "--" + string(g.Kind) + " " + shellword.Quote(grant)
	if g.Kind == MountSystem {
		flag = "the system's " + shellword.Quote(g.Target)
	}
	return "must not be shown with more rights elsewhere in the box, since it takes away what the grant around it gives: " + flag + " shows it " + rights + " at " + shellword.Quote(at) +
		"; leave one of the two out" + own
}
