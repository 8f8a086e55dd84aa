package cgroups

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// supervisorLeaf is where Find moves its own process. Sweep does not know it
// by its name, and the group goes away with the delegated tree it is in.
const supervisorLeaf = "supervisor"

func (p *Parent) findV2(own []membership, name string) error {
	i := slices.IndexFunc(own, func(m membership) bool { return m.controllers == nil })
	if i < 0 {
		return &Error{Op: "find", Missing: "cgroup2", Err: errors.ErrUnsupported, Remedy: remedyMount}
	}
	self := own[i].path
	from := self
	if name != "" {
		from = path.Clean("/" + name)
	} else if path.Base(self) == supervisorLeaf {
		// An earlier Find moved this process: its parent is where leaves go.
		from = path.Dir(self)
	}
	d, note, err := locate(V2, "", from, name)
	if err != nil {
		return err
	}
	p.dirs = append(p.dirs, d)
	p.addNote(note)
	for _, c := range controllersV2 {
		p.index[c] = 0
	}
	if err := d.writable(); err != nil {
		return err
	}
	err = d.handDown()
	if name == "" && errors.Is(err, unix.EBUSY) {
		err = p.stepAside(d)
	}
	if err != nil {
		return err
	}
	return enterable(self, from)
}

// handDown sees that d's children have the controllers of a box.
func (d dir) handDown() error {
	has, err := d.read("cgroup.controllers")
	if err != nil {
		return err
	}
	if lacking := absent(has); len(lacking) > 0 {
		return &Error{Op: "find", Path: d.path + "/cgroup.controllers", Missing: "controller " + strings.Join(lacking, ", "),
			Err: errors.ErrUnsupported, Remedy: remedyController}
	}
	on, err := d.read("cgroup.subtree_control")
	if err != nil {
		return err
	}
	off := absent(on)
	if len(off) == 0 {
		return nil
	}
	err = d.write("cgroup.subtree_control", "+"+strings.Join(off, " +"))
	var e *Error
	if errors.As(err, &e) && errors.Is(err, unix.EBUSY) {
		e.Remedy = remedyInternal
	}
	return err
}

// absent is which of a box's controllers a list of them does not hold.
func absent(list string) []string {
	has := strings.Fields(list)
	var lacking []string
	for _, c := range controllersV2 {
		if !slices.Contains(has, c) {
			lacking = append(lacking, c)
		}
	}
	return lacking
}

// stepAside moves this process into a leaf below its own group, so that the
// group holds no process and may hand controllers down (cgroup-v2.rst, "No
// Internal Process Constraint"). Other processes are not ours to move.
func (p *Parent) stepAside(d dir) error {
	refuse := func(err error) error {
		return &Error{Op: "find", Path: d.path, Missing: "a group without processes", Err: err, Remedy: remedyInternal}
	}
	procs, err := d.read("cgroup.procs")
	if err != nil {
		return err
	}
	self := strconv.Itoa(os.Getpid())
	for _, pid := range strings.Fields(procs) {
		if pid != self {
			return refuse(fmt.Errorf("process %s is in it too: %w", pid, unix.EBUSY))
		}
	}
	if err := d.mkdir(supervisorLeaf); err != nil && !errors.Is(err, unix.EEXIST) {
		return refuse(err)
	}
	if err := d.write(supervisorLeaf+"/cgroup.procs", "0"); err != nil {
		return refuse(errors.Join(err, d.rmdir(supervisorLeaf)))
	}
	if err := d.handDown(); err != nil {
		back := d.write("cgroup.procs", "0")
		if back == nil {
			back = d.rmdir(supervisorLeaf)
		}
		return refuse(errors.Join(err, back))
	}
	p.addNote(fmt.Sprintf("this process was moved from %s to %s/%s", d.path, path.Base(d.path), supervisorLeaf))
	return nil
}

// enterable sees that a child of this process, which is in the group self, can
// be cloned into a leaf of parent: the kernel wants write access to
// cgroup.procs of the closest group above both (cgroup-v2.rst, "Delegation
// Containment"). Where that group is not visible, the clone itself will tell.
func enterable(self, parent string) error {
	d, _, err := locate(V2, "", closest(self, parent), "")
	if err != nil {
		return nil
	}
	defer d.close()
	err = retry(func() error { return unix.Faccessat(d.fd, "cgroup.procs", unix.W_OK, 0) })
	if err != nil {
		return &Error{Op: "find", Path: d.path + "/cgroup.procs", Missing: "write permission", Err: err, Remedy: remedyEnter}
	}
	return nil
}

// closest is the closest group above both a and b, or one of them.
func closest(a, b string) string {
	for {
		if _, ok := below(a, b); ok || a == "/" {
			return a
		}
		a = path.Dir(a)
	}
}
