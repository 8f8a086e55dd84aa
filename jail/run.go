package jail

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/cgroups"
	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/internal/interrupt"
	"golang.org/x/sys/unix"
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
	hostLooks *hostLooks // nil until something is looked up
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

// prepare checks everything and finds out about the host. Nothing exists
// afterwards but, on cgroup v2, the group that PID 1 is to be born in.
func (r *run) prepare(io IO) error {
	if err := r.check(); err != nil {
		return err
	}
	if io.Value != nil && slices.Contains(r.spec.Seccomp.Deny, "dup3") {
		return Faults{{"seccomp.deny", "dup3", "must leave what gives the program its descriptor for a value"}}
	}
	r.tells = io.Words
	r.hostUID, r.hostGID = r.host.uid, r.host.gid
	r.shape = shape{stdin: io.Stdin != nil, tty: io.TTY != nil, value: io.Value != nil, question: r.question}
	r.headStart()
	if r.spec.inPlace() { // it does without a group where none is to be had
		r.spec.Optional = append(slices.Clone(r.spec.Optional), LayerCgroup)
	}
	if r.off.Has(ablation.Cgroup) {
		return nil
	}
	r.stopwatch.begin(StageCgroup)
	err := r.findParent()
	if err == nil {
		err = r.makeRoom()
	}
	if err != nil || r.parent == nil {
		return err
	}
	if err := r.spec.requireGroup(int(r.parent.Version())); err != nil {
		return err
	}
	if r.parent.Version() == cgroups.V2 {
		if r.spec.inPlace() {
			r.shape.tasks = 1 // cgroup.procs
		}
		if err := r.makeGroup(nil); err != nil {
			return err
		}
		return r.limitGroup(nil)
	}
	r.shape.tasks = r.parent.TaskFiles()
	return nil
}

// check finds every fault of the Spec, on its own and against the host.
func (r *run) check() error {
	r.stopwatch.begin(StageValidate)
	var faults Faults
	if err := r.spec.Validate(); err != nil && !errors.As(err, &faults) {
		return err
	}
	look, probe := r.places.resolve, probeHost
	if r.spec.inPlace() {
		look, probe = r.places.resolveInPlace, probeInPlace
	}
	r.stopwatch.begin(StageResolve)
	v, more := look(r.spec)
	faults = append(faults, faults.others(more)...)
	r.stopwatch.begin(StageProbe)
	h, err := probe()
	if r.spec.inPlace() {
		if r.off.Has(ablation.Scope) {
			h.landlockABI = min(h.landlockABI, abiScopeSignal-1)
		}
		faults = append(faults, r.hostFaults(h, v)...)
	}
	if err == nil && uint64(r.spec.Limits.NoFile) > h.hard[unix.RLIMIT_NOFILE] {
		faults = append(faults, Fault{"limits.nofile", fmt.Sprint(r.spec.Limits.NoFile), fmt.Sprintf("must not exceed the caller's own hard limit of %d: ask for no more, or raise that (ulimit -Hn as root, LimitNOFILE= in a unit of systemd)", h.hard[unix.RLIMIT_NOFILE])})
	}
	if len(faults) > 0 {
		return faults
	}
	if r.off.Has(ablation.InPlace) {
		v.entries = slices.DeleteFunc(v.entries, func(e entry) bool { return e.kind == entryMount && e.mount.part != nil })
	}
	r.host, r.view = h, v
	if err == nil {
		err = r.spec.require(h)
	}
	return err
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

// finish turns what was seen into the record.
func (r *run) finish(err error) (Result, error) {
	err = seenFromInside(outOfFiles(err))
	res := &r.result
	res.Usage.WallMS = time.Since(r.started).Milliseconds()
	if r.result.Layers == nil {
		r.result.Layers = r.receipt()
	}
	res.Denials, res.Observed, res.Used = r.denials(), r.observation(), r.used()
	var faults Faults
	var setup *SetupError
	switch {
	case errors.As(err, &faults):
		res.Reason, res.Message = ReasonSetupRefused, strings.TrimPrefix(err.Error(), "jail: ")
		res.Refusal = &Refusal{Stage: StageValidate, Operand: faults[0].Field}
	case errors.As(err, &setup):
		r.searched(setup)
		r.wantsFolder(setup)
		res.Reason, res.Message = refusalReason(setup), strings.TrimPrefix(err.Error(), "jail: ")
		if what, remedy := r.missingInterpreter(setup); what != "" {
			res.Message, setup.Remedy = res.Message+": "+what, remedy
		}
		res.Refusal, res.Hint = setup.refusal(), setup.Remedy
	case err != nil:
		res.Reason, res.Message = ReasonInternalError, err.Error()
	default:
		r.verdict()
		r.hearElsewhere()
		said := cmp.Or(res.saidOnStderr(), r.streams.lastWords())
		res.accuse(r.spec.Args[0], cmp.Or(r.loaderHint(said), r.placeHint(said), r.aloneHint(said)), said)
	}
	res.OK = res.Reason == ReasonOK
	res.Timings = r.stopwatch.timings()
	return r.result, err
}

// refusalReason tells a program that can't be started from a box that can't be
// made, and both from a failure of our own.
func refusalReason(e *SetupError) Reason {
	if e.Stage == StageExec && e.Operation == "execve" {
		return ReasonExecFailed
	}
	if e.Stage == StageSupervise {
		return ReasonInternalError
	}
	return ReasonSetupRefused
}
