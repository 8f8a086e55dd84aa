package cgroups

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// findV2 takes the named group or else, of those that this process may manage,
// the first: its own, if systemd has handed it over or has no part in it; a
// scope that systemd makes; its own, if it is writable all the same.
func (p *Parent) findV2(own []membership, name string) error {
	self, ok := ownV2(own)
	if !ok {
		return &Error{Op: "find", Missing: "cgroup2", Err: errors.ErrUnsupported, Remedy: remedyMount}
	}
	if name != "" {
		return p.settle(self, path.Clean("/"+name), name)
	}
	s, deadline := systemdOf(os.Geteuid(), os.Getenv), time.Now().Add(patience)
	systemds := s.holds(home(self), deadline)
	var refused error
	if !systemds {
		if refused = p.settle(self, home(self), ""); refused == nil {
			return nil
		}
		p.clear()
	}
	scope, unasked := s.enter(self, deadline)
	if unasked == nil {
		return p.settleScope(scope)
	}
	if systemds {
		if refused = p.settle(self, home(self), ""); refused == nil {
			p.addNote(fmt.Sprintf("systemd has not delegated %s, and may change it; it was asked for a scope: %v", home(self), unasked))
			return nil
		}
	}
	return withoutScope(refused, unasked)
}

// ownV2 is the group of version 2 that a process with these memberships is in.
func ownV2(own []membership) (string, bool) {
	i := slices.IndexFunc(own, func(m membership) bool { return m.controllers == nil })
	if i < 0 {
		return "", false
	}
	return own[i].path, true
}

// home is the group that is this process's own: the one above, if an earlier
// Find moved it aside.
func home(self string) string {
	if path.Base(self) == supervisorLeaf {
		return path.Dir(self)
	}
	return self
}

// settle makes the group from, which name means if it is not empty, the parent.
// This process is in the group self.
func (p *Parent) settle(self, from, name string) error {
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

// settleScope makes the scope that this process was just put into the parent.
func (p *Parent) settleScope(scope string) error {
	p.addNote("systemd made " + path.Base(scope) + " for this process")
	err := p.settle(scope, home(scope), "")
	var e *Error
	if errors.As(err, &e) && strings.HasPrefix(e.Missing, "controller") {
		// The controllers of a user's manager are those that it was given itself.
		e.Remedy = remedyUserManager
	}
	return err
}

// clear forgets a group that turned out not to be one to manage.
func (p *Parent) clear() {
	p.Close()
	p.note = ""
}

// withoutScope is the refusal of the own group, with why there is no other.
func withoutScope(refused, unasked error) error {
	var e *Error
	if !errors.As(refused, &e) || errors.Is(unasked, errNoSystemd) && !booted() {
		return refused // nobody expects a scope where there is no systemd
	}
	e.Err = fmt.Errorf("%w; systemd was asked for a scope: %w", e.Err, unasked)
	if errors.Is(unasked, errNoSystemd) && os.Geteuid() != 0 {
		e.Remedy = fmt.Sprintf("start the user's systemd, as root: loginctl enable-linger %d; or ", os.Geteuid()) + e.Remedy
	}
	return e
}

// handDown sees that d's children have the controllers of a box.
func (d dir) handDown() error {
	has, err := d.read("cgroup.controllers")
	if err != nil {
		return err
	}
	if lacking := absent(has); len(lacking) > 0 {
		return d.lacks(lacking)
	}
	on, err := d.read("cgroup.subtree_control")
	if err != nil {
		return err
	}
	if off := absent(on); len(off) > 0 {
		err = d.write("cgroup.subtree_control", "+"+strings.Join(off, " +"))
		var e *Error
		if errors.As(err, &e) && errors.Is(err, unix.EBUSY) {
			e.Remedy = remedyInternal
		}
	}
	if err == nil && slices.Contains(strings.Fields(has), controllerIO) && !slices.Contains(strings.Fields(on), controllerIO) {
		// It limits nothing, so no box is refused for the lack of it.
		_ = d.write("cgroup.subtree_control", "+"+controllerIO)
	}
	return err
}

// lacks is the refusal for want of controllers that d does not have. The kernel
// is asked to hand the first of them down, which it can't, for how it says so: a
// controller that it does not have at all is no word to it (EINVAL), and one that
// d was not given is not found (ENOENT; kernel/cgroup/cgroup.c,
// cgroup_subtree_control_write).
func (d dir) lacks(controllers []string) error {
	refused := &Error{Op: "find", Path: d.path + "/cgroup.controllers", Missing: "controller " + strings.Join(controllers, ", "),
		Err: errors.ErrUnsupported, Remedy: remedyController}
	err := d.write("cgroup.subtree_control", "+"+controllers[0])
	switch {
	case errors.Is(err, unix.EINVAL):
		refused.Remedy = remedySwitchedOff
	case errors.Is(err, unix.ENOENT):
		refused.Remedy = remedyNotHandedDown
	default:
		return refused // it says nothing about them
	}
	var said *Error
	if errors.As(err, &said) {
		refused.Op, refused.Path, refused.Value, refused.Err = said.Op, said.Path, said.Value, said.Err
	}
	return refused
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
