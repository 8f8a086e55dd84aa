package jail

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-75010da9/jail/cgroups"
	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

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
