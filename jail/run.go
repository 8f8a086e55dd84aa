package jail

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/seed-75010da9/jail/cgroups"
	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/internal/interrupt"
	"github.com/seed-75010da9/jail/internal/withheld"
)

// A run is one box from its Spec to its record.
type run struct {
	spec    Spec
	off     ablation.Set
	result  Result
	started time.Time

	host     host
	places   *Places
	view     view
	shape    shape
	plan     *Plan
	begun    *builder // of plan, while only its first part is made
	parent   *cgroups.Parent
	unclaim  func() // gives back the supervisor's threads; nil: none were claimed
	group    *cgroups.Group
	ahead    *child         // PID 1, where it has begun with the plan's first part before launch
	question *question      // nil: a program runs
	image    int            // PID 1's
	locked   bool           // to the thread that PID 1 dies with
	fds      fdSet          // of the supervisor
	private  string         // the private folder of a tier 2 box, once it is made
	handed   fdSet          // the plan, and what goes with it to PID 1
	plain    []string       // read-only grants that could not be idmapped
	kept     fdSet          // user namespaces of idMaps
	idMaps   map[[2]int]int // owner → user namespace, for grants
	// hostUID and hostGID are who the box is on the host.
	hostUID, hostGID int
	inForce          cgroups.InForce
	ownNamespaces    []string // of the supervisor, as evidenceNamespaces has them
	groupNote        string

	interrupt int // a descriptor that can be read from when the caller ends the run, or -1
	streams   *streams
	value     *value // nil: none is wanted
	watch     watch
	end       end
	observer  *observer // nil while there is no listener
	audit     auditor
	hostLooks *withheld.Looks // nil until something is looked up
	report    report
	last      last
	stopwatch *stopwatch
	tells     func() Words // IO.Words
	asked     string       // Words.Asked
	ended     bool         // PID 1 told how the program ended
	counted   bool         // the group's counters have been read
	reaped    bool         // PID 1 has been waited for
	stats     cgroups.Stats
}

// Run runs one program in a box and captures its output. It is
// [RunIO] with an empty IO.
func Run(ctx context.Context, spec Spec) (Result, error) { return RunIO(ctx, spec, IO{}) }

// RunIO runs one program in a box. The Result is complete on every path; the
// error is not nil exactly when the program could not be run or jail itself
// failed: then it is Faults or a *SetupError, and Result.Reason says the same.
// A run that was ended before the program began (canceled, timeout) is no error.
// Ending ctx ends the whole box with reason canceled. It is safe to call from
// many goroutines.
func RunIO(ctx context.Context, spec Spec, io IO) (Result, error) {
	r := newRun(ctx, spec)
	defer r.close()
	err := io.holds(spec)
	if err == nil {
		err = r.prepare(io)
	}
	if err == nil {
		err = r.carryOut(ctx, io)
	}
	return r.finish(err)
}

// Check finds every fault of a Spec that [RunIO] would refuse it for, on its own
// ([Spec.Validate]) and against the host: grants that are not there, for one. It
// returns nil or Faults, and makes nothing. What else this host may lack is not
// among them.
func Check(spec Spec) error {
	r := newRun(context.Background(), spec)
	defer r.close()
	var faults Faults
	if errors.As(r.check(), &faults) {
		return faults
	}
	return nil
}

func newRun(ctx context.Context, spec Spec) *run {
	spec.Limits = spec.Limits.WithDefaults()
	now := time.Now()
	return &run{
		stopwatch: newStopwatch(spec.Timings),
		spec:      spec, off: ablation.Of(ctx), started: now, image: -1, interrupt: interrupt.Of(ctx), places: placesOf(ctx), idMaps: map[[2]int]int{},
		result: Result{
			Schema: Schema, ID: newID(now), Name: spec.Name, Tier: max(spec.Tier, Tier1), Denials: []Denial{},
			Profile: spec.Profile, StartedAt: now.UTC(), Limits: spec.Limits.inForce(), TreeEmpty: true,
		},
	}
}

// lockThread keeps the run on its thread from here on.
func (r *run) lockThread() {
	if !r.locked {
		runtime.LockOSThread()
		r.locked = true
	}
}

// close gives back everything that a run holds. The group goes with it, when
// nothing is left in it.
func (r *run) close() {
	r.observer.end() // of a box that ran nothing
	r.audit.listener.Close()
	r.value.abandon()
	r.fds.closeAll()
	r.handed.closeAll()
	r.kept.closeAll()
	if r.private != "" {
		removePrivate(r.private)
	}
	if r.ahead != nil {
		r.ahead.discard()
	}
	if r.group != nil {
		r.group.Remove()
	}
	if r.parent != nil {
		r.parent.Sweep(sweepLooks)
		r.parent.Close()
	}
	if r.unclaim != nil {
		r.unclaim()
	}
	if r.locked {
		runtime.UnlockOSThread()
	}
}

// sweepLooks bounds what each run spends on the leftovers of killed ones.
const sweepLooks = 4
