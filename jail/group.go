package jail

import (
	"errors"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/cgroups"
)

// The box's control group: where it is made, what it may hold, and what a run does
// without one.

// findParent finds the group below which the box's is made. There may be none for a
// box that does without.
func (r *run) findParent() (err error) {
	if r.parent, err = cgroups.Find(r.spec.CgroupParent); err == nil {
		err = r.unenterable()
	}
	if err == nil {
		return nil
	}
	var e *cgroups.Error
	if errors.As(err, &e) && e.Version != 0 {
		if below := r.spec.requireGroup(int(e.Version)); below != nil {
			return below // which no group that is made for the caller would mend
		}
	}
	return r.withoutGroup(err)
}

// makeGroup makes the box's cgroup, unless that is done or there is none to be
// had. On version 1, c, unless it is nil, gets the files by which it enters it, one by one.
func (r *run) makeGroup(c *child) error {
	if r.parent == nil || r.group != nil {
		return nil
	}
	var enter func(tasks int) error
	if c != nil {
		enter = func(tasks int) error { return c.send([]int{tasks}) }
	}
	l := r.spec.Limits
	group, err := r.parent.Make(r.spec.Name, cgroups.Limits{Memory: l.Memory, CPUs: l.CPUs, Pids: l.Pids}, enter)
	if err == nil {
		r.group = group
		return nil
	}
	var unsent *SetupError
	if errors.As(err, &unsent) { // PID 1 has gone
		r.group = group
		return err
	}
	if group != nil {
		c.discard()
		err = errors.Join(err, group.Remove())
	}
	return r.withoutGroup(err)
}

// limitGroup writes the box's limits. What it is born with, c, may be in the group
// by then, and is discarded where there is no limiting it.
func (r *run) limitGroup(c *child) error {
	if r.group == nil {
		return nil
	}
	err := r.group.Limit()
	if err == nil {
		return nil
	}
	if c != nil {
		c.discard()
	}
	err = errors.Join(err, r.group.Remove())
	r.group = nil
	return r.withoutGroup(err)
}

// readLimits reads back what the kernel holds the box to. Anything weaker than
// asked is a refusal.
func (r *run) readLimits() (err error) {
	if r.group == nil {
		return nil
	}
	if r.inForce, err = r.group.InForce(); err != nil {
		return cgroupError(err)
	}
	return nil
}

// withoutGroup is what becomes of a run that can't have a group: a refusal,
// unless the caller said by name that it need not have one.
func (r *run) withoutGroup(err error) error {
	demanded, _ := r.spec.demands(demandCgroup)
	if optional := slices.Contains(r.spec.Optional, LayerCgroup); !optional || len(demanded) > 0 {
		e := cgroupError(err)
		if len(demanded) > 0 {
			e.Remedy += "; or do not require " + strings.Join(demanded, ", ")
		} else {
			e.Remedy += "; or weaken the box by name: --optional cgroup"
		}
		if r.namespacesForbidden() {
			e.Remedy += "; this host forbids namespaces as well" + orTier2
		}
		return e
	}
	r.groupNote = backstopNote(err, r.spec)
	l := &r.result.Limits
	l.MemoryBytes, l.CPUs = nil, nil
	if !hasChildren() {
		l.CPUTimeMS = nil
	}
	if r.parent != nil {
		r.parent.Close()
		r.parent = nil
	}
	return nil
}

func cgroupError(err error) *SetupError {
	e := &SetupError{Stage: StageCgroup, Layer: LayerCgroup, Operation: "create", Err: err}
	var ce *cgroups.Error
	if errors.As(err, &ce) {
		e.Operation, e.Operand, e.Remedy = ce.Op, ce.Path, ce.Remedy
	}
	if e.Remedy == "" {
		e.Remedy = "give the caller a writable cgroup (--cgroup-parent)"
	}
	return e
}
