package cgroups

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Version is the kernel's interface that a group is made with.
type Version int

const (
	V1 Version = 1
	V2 Version = 2
)

// String is the name by which receipts call the version.
func (v Version) String() string { return fmt.Sprintf("cgroup%d", int(v)) }

// A Parent is the group below which leaves are made, with the controllers
// that a box needs handed down. It is safe for concurrent use until Close.
type Parent struct {
	version Version
	// dirs holds the parent's folder in each hierarchy: one on version 2; on
	// version 1 as many as the controllers are spread over. The first one
	// bears the locks: its leaf is made first and removed last.
	dirs  []dir
	index map[string]int // controller → dirs
	note  string
}

// The controllers that a box needs. Version 1 counts processor time in a
// controller of its own. The first one's hierarchy bears the locks, and pids
// has the shortest folder to list. The last one's folder takes the kernel as long to make
// as the others together, in which a process can enter those.
var (
	controllersV1 = [...]string{"pids", "cpu", "cpuacct", "memory"}
	controllersV2 = [...]string{"pids", "memory", "cpu"}
)

// controllerIO counts what is read from and written to block devices, on version
// 2. A box can do without.
const controllerIO = "io"

// Find finds the group below which leaves are made, and sees that they can be.
// An empty name is this process's own group; any other is a path relative to
// the mount, the same in each hierarchy. What is missing is an *Error.
//
// On version 2 Find writes: it hands the controllers down to the groups below
// the parent if they are not yet. The kernel refuses that while processes sit
// in the group itself. If that is this process alone, in a group that is its
// own to manage, Find moves it into a group "supervisor" below; Note says so.
//
// Where the own group is not this process's to manage, and no other was named,
// Find asks the user's systemd, or the system's if the user is root, for a scope
// around this process, and uses that. It waits at most two seconds for it. The
// scope ends with the last process in it.
func Find(name string) (*Parent, error) {
	if name != "" && name != "/" && !filepath.IsLocal(strings.TrimPrefix(name, "/")) {
		return nil, &Error{Op: "find", Path: name, Err: unix.EINVAL,
			Remedy: "name the parent by a path relative to the cgroup mount, without .."}
	}
	own, err := memberships()
	if err != nil {
		return nil, err
	}
	p := &Parent{index: make(map[string]int, len(controllersV1))}
	if p.version = versionOf(own); p.version == V1 {
		err = p.findV1(own, name)
	} else {
		err = p.findV2(own, name)
	}
	if err != nil {
		p.Close()
		var e *Error
		if errors.As(err, &e) {
			e.Version = p.version
		}
		return nil, err
	}
	return p, nil
}

// memberships are the groups that this process is in.
func memberships() ([]membership, error) {
	text, err := readAt(unix.AT_FDCWD, "/proc/self/cgroup", 0)
	if err != nil {
		return nil, &Error{Op: "read", Path: "/proc/self/cgroup", Missing: "proc", Err: err, Remedy: remedyProc}
	}
	own, err := parseMemberships(text)
	if err != nil {
		return nil, &Error{Op: "read", Path: "/proc/self/cgroup", Err: err}
	}
	return own, nil
}

// versionOf is V1 where version 1 holds any of the controllers: then version 2
// does not have that one, and limits can't be split over both.
func versionOf(own []membership) Version {
	for _, m := range own {
		for _, c := range controllersV2 {
			if slices.Contains(m.controllers, c) {
				return V1
			}
		}
	}
	return V2
}

// Version is the interface that leaves of p are made with.
func (p *Parent) Version() Version { return p.version }

// TaskFiles is how many [Group.TaskFiles] each group below p has: none on
// version 2.
func (p *Parent) TaskFiles() int {
	if p.version == V2 {
		return 0
	}
	return len(p.dirs)
}

// Path is p's folder, on version 1 that in the hierarchy of pids.
func (p *Parent) Path() string { return p.dirs[0].path }

// Note says what is unusual about p, or "".
func (p *Parent) Note() string { return p.note }

// Close lets go of p's descriptors. Groups made below p must be removed before.
func (p *Parent) Close() {
	for _, d := range p.dirs {
		d.close()
	}
	p.dirs = nil
}

func (p *Parent) findV1(own []membership, name string) error {
	// First whether there is one for each: a group of the caller's own would be
	// of no use without.
	for _, c := range controllersV1 {
		if hierarchyOf(own, c) < 0 {
			return lacksV1(c)
		}
	}
	for _, c := range controllersV1 {
		if _, ok := p.index[c]; ok {
			continue
		}
		i := hierarchyOf(own, c)
		d, note, err := locate(V1, c, own[i].path, name)
		var e *Error
		if errors.As(err, &e) && e.Remedy == remedyMount {
			e.Remedy = remount(own)
		}
		if err != nil {
			return err
		}
		for _, joined := range own[i].controllers {
			p.index[joined] = len(p.dirs)
		}
		p.dirs = append(p.dirs, d)
		p.addNote(note)
		if err := d.writable(); err != nil {
			return err
		}
	}
	return nil
}

// hierarchyOf is which of own is in the hierarchy of a controller, or -1.
func hierarchyOf(own []membership, controller string) int {
	return slices.IndexFunc(own, func(m membership) bool { return slices.Contains(m.controllers, controller) })
}

// lacksV1 is the refusal for want of a controller that no hierarchy of version 1
// has while one has another, with the kernel's word on where it would be. It may
// be in version 2: kernels are built without version 1 of some.
func lacksV1(controller string) error {
	e := &Error{Op: "find", Path: "/proc/self/cgroup", Missing: "controller " + controller, Err: errors.ErrUnsupported, Remedy: remedyHalfV1}
	at := path.Join(mountRoot, controller)
	if fd, err := openat(unix.AT_FDCWD, at, dirFlags); err == nil {
		unix.Close(fd)
	} else {
		e.Op, e.Path, e.Err = "open", at, err
	}
	d, _, err := locate(V2, "", "/", "/")
	if err != nil {
		return e
	}
	defer d.close()
	if has, err := d.read("cgroup.controllers"); err == nil && slices.Contains(strings.Fields(has), controller) {
		e.Missing += " of version 1 (version 2 has it, in " + d.path + "/cgroup.controllers)"
		e.Remedy = remedySplit
	}
	return e
}

func (p *Parent) addNote(note string) {
	if note != "" && !strings.Contains(p.note, note) {
		p.note = strings.TrimPrefix(p.note+"; "+note, "; ")
	}
}

// writable asks the kernel whether groups can be made in d.
func (d dir) writable() error {
	err := retry(func() error { return unix.Faccessat(d.fd, ".", unix.W_OK|unix.X_OK, 0) })
	if err != nil {
		return &Error{Op: "find", Path: d.path, Missing: "write permission", Err: err, Remedy: remedyOfWrite(err)}
	}
	return nil
}
