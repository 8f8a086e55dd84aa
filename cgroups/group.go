package cgroups

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Both mark the groups that this package makes, and that Sweep collects: a
// parent that somebody calls jail-tests is not one of them.
const (
	prefix = "jail-"
	suffix = ".box"
)

// A Group is one leaf: one box's group in every hierarchy. Its methods may be
// called from many goroutines, but none of them during or after Remove.
type Group struct {
	parent *Parent
	name   string
	limits Limits
	dirs   []dir // as Parent.dirs
	tasks  []int // as dirs, on version 1
	note   string
}

// createTries bounds how often Create starts again after a sweeper took its
// leaf. Each try costs the sweeper one of its own few looks.
const createTries = 16

// errSwept says that a sweeper removed the leaf before it was locked.
var errSwept = errors.New("cgroups: create: removed by a sweeper before it was locked")

// Create makes a leaf below p, see [Parent.Make], and writes l to it, see
// [Group.Limit]: the limits are in force before any process is in it. On an error
// nothing is left behind.
func (p *Parent) Create(name string, l Limits) (*Group, error) {
	g, err := p.Make(name, l, nil)
	if err != nil {
		return nil, err
	}
	if err := g.Limit(); err != nil {
		return nil, errors.Join(err, g.Remove())
	}
	return g, nil
}

// Make makes a leaf below p that is going to have the limits l, of which that on
// processes is in force. The name (letters, digits, '.', '_', '-'; at most 64
// bytes; may be empty) is a label; the group's own name adds to it until it is
// unique.
//
// On version 1, enter, unless it is nil, gets each of [Group.TaskFiles] as soon as
// there is one: a process may enter that hierarchy while the others are made, memory's
// last, which takes as long as the rest. It is called from the calling goroutine, and its
// error is Make's. On an error nothing is left behind, unless a process may be in it: then
// the group comes with the error, and is to be emptied and removed.
func (p *Parent) Make(name string, l Limits, enter func(tasks int) error) (*Group, error) {
	if err := l.Validate(); err != nil {
		return nil, err
	}
	if !validName(name) {
		return nil, fmt.Errorf("cgroups: name: %q: want at most %d letters, digits, '.', '_' or '-'", name, maxName)
	}
	var err error
	for range createTries {
		g := &Group{parent: p, limits: l, name: leafName(name)}
		if err = g.make(enter); err == nil {
			return g, nil
		}
		if enter != nil && len(g.tasks) > 0 {
			return g, err
		}
		err = errors.Join(err, g.Remove())
		if !errors.Is(err, errSwept) && !errors.Is(err, unix.EEXIST) {
			break
		}
	}
	return nil, err
}

const maxName = 64

// leafName is a name that no other leaf has: 64 random bits stand in it.
func leafName(label string) string {
	if label != "" {
		label += "-"
	}
	return prefix + label + strconv.FormatUint(rand.Uint64(), 36) + suffix
}

func validName(name string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	return len(name) <= maxName && strings.Trim(name, letters) == ""
}

// Limit writes the limits on memory and processors. A process may be in g
// already; what it used before counts.
func (g *Group) Limit() error {
	if g.Version() == V2 {
		return g.limitV2()
	}
	return g.limitV1()
}

func (g *Group) make(enter func(tasks int) error) error {
	if err := g.claim(); err != nil {
		return err
	}
	if err := g.limitPids(); err != nil {
		return err
	}
	if err := g.setHomes(); err != nil {
		return err
	}
	if err := g.open(enter); err != nil {
		return err
	}
	for _, above := range g.parent.dirs[1:] {
		if err := g.makeIn(above); err != nil {
			return err
		}
		if err := g.open(enter); err != nil {
			return err
		}
	}
	return nil
}

// makeIn makes g's folder in one more hierarchy.
func (g *Group) makeIn(above dir) error {
	if err := above.mkdir(g.name); err != nil {
		return err
	}
	d, err := above.open(g.name)
	// Also when it could not be opened: Remove takes what is in the list away.
	g.dirs = append(g.dirs, d)
	return err
}

// claim makes the first folder and locks it for as long as this process lives.
// Whoever holds the lock, us or a sweeper, is the only one who may remove the
// leaf.
func (g *Group) claim() error {
	if err := g.makeIn(g.parent.dirs[0]); err != nil {
		if len(g.dirs) > 0 && gone(err) {
			return errSwept
		}
		return err
	}
	d := g.dirs[0]
	err := retry(func() error { return unix.Flock(d.fd, unix.LOCK_EX|unix.LOCK_NB) })
	if err == unix.EWOULDBLOCK {
		return errSwept
	}
	if err != nil {
		return &Error{Op: "lock", Path: d.path, Err: err}
	}
	return nil
}

// limitPids writes the first limit to the folder that was just claimed. A
// sweeper may have had the lock before and be done: then the folder that we
// hold is a removed one, and this is where it shows.
func (g *Group) limitPids() error {
	err := g.dir("pids").write("pids.max", decimal(g.limits.Pids))
	if err != nil && gone(err) && !g.exists() {
		return errSwept
	}
	return err
}

// exists says whether the first folder is still below the parent.
func (g *Group) exists() bool {
	var st unix.Stat_t
	return retry(func() error { return unix.Fstatat(g.parent.dirs[0].fd, g.name, &st, unix.AT_SYMLINK_NOFOLLOW) }) == nil
}

// dir is g's folder in the hierarchy of a controller.
func (g *Group) dir(controller string) dir { return g.dirs[g.parent.index[controller]] }

// Version is the interface that g is made with.
func (g *Group) Version() Version { return g.parent.version }

// Name is the last element of g's path.
func (g *Group) Name() string { return g.name }

// FD is g's folder for clone3 with CLONE_INTO_CGROUP on version 2, and -1 on
// version 1, which has no such thing. It stays g's own: don't close it.
func (g *Group) FD() int {
	if g.Version() == V2 {
		return g.dirs[0].fd
	}
	return noDir
}

// TaskFiles is, on version 1, a descriptor of the tasks file of each hierarchy, open
// for writing. A process that inherits them enters the group by writing "0" to each: the
// kernel checks the rights of whoever opened the file. (Naming a pid works too, but makes
// the kernel wait 7 to 17 ms for a grace period.) Version 2 has none. They stay g's own.
func (g *Group) TaskFiles() []int { return g.tasks }

// open opens the tasks file of the folder that was made last, on version 1, for enter.
func (g *Group) open(enter func(tasks int) error) error {
	if g.Version() == V2 {
		return nil
	}
	d := g.dirs[len(g.dirs)-1]
	fd, err := openat(d.fd, "tasks", unix.O_WRONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW)
	if err != nil {
		return &Error{Op: "open", Path: d.path + "/tasks", Err: err}
	}
	g.tasks = append(g.tasks, fd)
	if enter == nil {
		return nil
	}
	return enter(fd)
}

// Empty says whether no process is left in g. On version 1 that is the count
// of pids, in which a dead process stays until it is waited for; that the other
// hierarchies are empty too is shown by Remove, which they would refuse.
func (g *Group) Empty() (bool, error) { return empty(g.Version(), g.dirs[0]) }

func empty(v Version, d dir) (bool, error) {
	var n int64
	err := d.parse(emptyFile(v), func(text string) (err error) {
		if v == V2 {
			n, err = parseKey(text, "populated")
		} else {
			n, err = parseValue(text)
		}
		return err
	})
	return err == nil && n == 0, err
}

func emptyFile(v Version) string {
	if v == V2 {
		return "cgroup.events"
	}
	return "pids.current"
}
