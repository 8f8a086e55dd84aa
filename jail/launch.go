package jail

import (
	"errors"
	"slices"

	"github.com/seed-75010da9/jail/cgroups"
	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// launch makes the box's process, unless it had a head start, and lets it begin. While
// the kernel makes the namespaces, the plan is made; or while PID 1 does the first part
// of it, where that process was begun before we were. And while PID 1 makes the view, a
// version 1 group, which takes as long.
func (r *run) launch(streams *streams) (*child, error) {
	r.stopwatch.begin(StageClone)
	r.askAudit()
	c, err := r.clone()
	if err != nil {
		return nil, err
	}
	err = r.instruct(c, streams)
	if err == nil {
		r.stopwatch.begin(StageCgroup)
		err = r.makeGroup(c)
	}
	if err == nil && r.group != nil && r.shape.tasks > 0 {
		err = r.letIn(c)
	}
	if err == nil && r.group == nil && r.shape.tasks > 0 { // there is none to be had, which the caller allows
		c.discard()
		r.shape.tasks = 0
		return r.launch(streams)
	}
	if err == nil {
		err = r.goAhead(c)
	}
	if err != nil {
		err = r.saidBefore(c, err)
		c.discard()
		return nil, err
	}
	return c, nil
}

// clone makes PID 1, unless it was there before.
func (r *run) clone() (*child, error) {
	if c := r.ahead; c != nil {
		r.ahead = nil
		return c, nil
	}
	r.plan, r.begun = nil, nil
	c, err := r.start()
	if err != nil {
		return nil, err
	}
	if !r.spec.inPlace() && !c.early {
		r.stopwatch.begin(timedPlan)
		if err := r.compile(); err != nil {
			c.discard()
			return nil, err
		}
		r.stopwatch.begin(StageClone)
	}
	err = c.born()
	if err != nil && c.early { // it can't tell all the reasons
		if c, err = r.start(); err == nil {
			err = c.born()
		}
	}
	if err != nil {
		return nil, err
	}
	r.own(c)
	return c, nil
}

// instruct sends PID 1 the two parts of its plan, and makes what is not made yet.
func (r *run) instruct(c *child, streams *streams) error {
	r.stopwatch.begin(timedPlan)
	if r.spec.inPlace() {
		if err := r.settle(); err != nil {
			return err
		}
	}
	if r.plan == nil {
		r.compileFirst()
	}
	if !c.instructed {
		if err := r.letBegin(c); err != nil {
			return err
		}
	}
	if err := r.sealPlan(); err != nil {
		return err
	}
	r.stopwatch.begin(StageGrants)
	return r.letGo(c, streams)
}

// saidBefore is the failure that PID 1 has reported, if it was gone already when
// something was sent to it, or else err.
func (r *run) saidBefore(c *child, err error) error {
	if !errors.Is(err, unix.EPIPE) && !errors.Is(err, unix.ECONNRESET) {
		return err
	}
	c.ends.closeAll()
	unix.PidfdSendSignal(c.pidfd, unix.SIGKILL, nil, 0) // so that the pipe ends
	told := make([]byte, reportRoom)
	n := 0
	for n < len(told) {
		m, readErr := unix.Read(c.reports, told[n:])
		if errors.Is(readErr, unix.EINTR) {
			continue
		}
		if m <= 0 {
			break
		}
		n += m
	}
	if report, parseErr := r.plan.parseReport(told[:n]); parseErr == nil && report.failed != nil {
		return report.failed.failure(report.result, r.plan)
	}
	return err
}

// sealPlan makes a descriptor of the plan's rest to hand out. That somebody reads
// what Landlock refuses is known only now, and rare: a plan that is made already is
// made once more then, its first part the same as before.
func (r *run) sealPlan() (err error) {
	r.joinAudit()
	switch {
	case r.begun != nil:
		err = r.compileRest()
	case r.plan.shape.audited != r.shape.audited:
		err = r.compile()
	}
	if err != nil {
		return err
	}
	fd, err := sealed("jail-plan", r.plan.encode(), mfdNoExecSeal)
	if err != nil {
		return &SetupError{Stage: StageClone, Operation: "memfd_create", Operand: "plan", Err: err}
	}
	r.handed = fdSet{fd}
	return nil
}

// own gives the box a host uid of its own, by the number of its PID 1.
func (r *run) own(c *child) {
	if r.host.ownUID && !r.off.Has(ablation.OwnUID) {
		r.hostUID = r.host.uidOf(c.pid)
		r.hostGID = r.hostUID
		if r.spec.inPlace() {
			r.host.become(c.pid)
		}
	}
}

// letBegin writes the box's id maps and sends PID 1 the first part of its plan.
func (r *run) letBegin(c *child) error {
	h := r.plan.host
	if !r.spec.inPlace() {
		maps := idMaps{uid: mapLine(h.boxUID, r.hostUID), gid: mapLine(h.boxGID, r.hostGID), denyGroups: !h.ownUID}
		if err := maps.write(c.pid); err != nil {
			return err
		}
	}
	if err := c.sendWith(r.plan.first, c.ends); err != nil {
		return err
	}
	c.ends.closeAll()
	c.instructed = true
	return nil
}

// letGo sends PID 1 the rest of its plan and what goes with it.
func (r *run) letGo(c *child, streams *streams) error {
	h := r.plan.host
	growDescriptorTable(c.channel, len(r.plan.inherits))
	for _, i := range r.plan.inherits {
		if err := r.open(i); err != nil {
			return err
		}
	}
	stdio := streams.childEnds
	if h.ownUID {
		r.giveStdio(stdio[:])
	}
	if r.off.Has(ablation.Stdio) {
		stdio = [3]int{0, 1, 2}
	}
	if err := c.send(slices.Concat(r.handed[:1], stdio[:])); err != nil {
		return err
	}
	if err := c.send(r.handed[1:]); err != nil {
		return err
	}
	r.handed.closeAll()
	return nil
}

// letIn limits a group of version 1 while PID 1 enters it, which has the files for
// that: the program is not let go before. A group of version 2 has been limited, and
// where PID 1 was not born in it gets the file now.
func (r *run) letIn(c *child) error {
	if r.group.Version() == cgroups.V1 {
		return r.limitGroup(c)
	}
	fd, err := r.entrance()
	if err != nil {
		return err
	}
	return c.send([]int{fd})
}

// goAhead sees that the limits are what was asked for, and lets the program begin:
// it waits for that.
func (r *run) goAhead(c *child) error {
	if err := r.readLimits(); err != nil {
		return err
	}
	r.nameSender(c.channel)
	if r.shape.late {
		return nil
	}
	if _, err := unix.Write(c.channel, []byte{1}); err != nil {
		return &SetupError{Stage: StageEvidence, Operation: "write", Operand: "go-ahead", Err: err}
	}
	return nil
}

// giveStdio makes the box the owner of its pipes or terminal: /dev/stdout is a
// link to them, and opening that asks for the owner. stdin may also be the
// host's /dev/null, which stays as it is.
func (r *run) giveStdio(stdio []int) {
	for _, fd := range stdio {
		var st unix.Stat_t
		if unix.Fstat(fd, &st) == nil && (st.Mode&unix.S_IFMT == unix.S_IFIFO || r.plan.shape.tty) {
			unix.Fchown(fd, r.hostUID, r.hostGID)
		}
	}
}

// open provides one descriptor that the plan needs.
func (r *run) open(i inherit) (err error) {
	var fd int
	switch i.kind {
	case inheritRuleset:
		fd, err = r.plan.handled.newRuleset()
	case inheritValue:
		fd, err = r.value.lend()
	default:
		fd, err = r.openGrant(i.source)
	}
	if err == nil {
		r.handed.add(fd)
	}
	return err
}
