package jail

import "github.com/seed-75010da9/jail/internal/pid1"

// headStart lets a PID 1 that began before we did begin with the plan's first part, which
// takes it as long as finding out what the rest needs. Whatever fails is launch's to
// try again, and to tell of.
func (r *run) headStart() {
	if r.spec.inPlace() || len(r.off) > 0 || !pid1.EarlyAsked() {
		return
	}
	r.stopwatch.begin(StageClone)
	c, err := r.start()
	if err != nil || c.born() != nil {
		return
	}
	r.own(c)
	r.stopwatch.begin(timedPlan)
	r.compileFirst()
	if r.letBegin(c) != nil {
		c.discard()
		return
	}
	r.ahead = c
}

// compile makes the whole plan.
func (r *run) compile() (err error) {
	r.compileFirst()
	return r.compileRest()
}

// compileFirst makes the plan's first part.
func (r *run) compileFirst() {
	spec, v := r.spec, r.view
	if spec.inPlace() {
		folder := r.private
		if folder == "" { // the plan is only shown
			folder = privateName()
		}
		spec, v = spec.inPrivate(folder), v.with(MountRW, folder)
	}
	r.begun = compileFirst(spec, r.host, v, r.shape, r.off)
	r.plan = r.begun.Plan
}

// compileRest makes the rest of it.
func (r *run) compileRest() (err error) {
	r.shape.backstops = r.groupNote != ""
	r.plan, err = r.begun.compileRest(r.shape, r.off)
	r.begun = nil
	return err
}
