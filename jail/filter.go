package jail

import (
	"encoding/binary"
	"errors"
	"slices"
	"strconv"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/seccomp"
	"golang.org/x/sys/unix"
)

// filter is a box's seccomp program, nil for none.
type filter struct {
	program seccomp.Program
	// listener is the flags with which it is attached to have one hear of its
	// refusals; 0 for none, and unheard is why.
	listener uint64
	unheard  string
	traced   bool // the listener hears of calls with paths as well, which it has go on
}

// planSeccomp puts the box's program together: a built-in policy, compiled
// ahead, and in front of it a stub for what this box has besides.
func planSeccomp(spec Spec, h host, l handled, sh shape, off ablation.Set) (filter, error) {
	if off.Has(ablation.Seccomp) {
		return filter{}, nil
	}
	if err := unix.Prctl(unix.PR_GET_SECCOMP, 0, 0, 0, 0); err != nil {
		if slices.Contains(spec.Optional, LayerSeccomp) && !spec.inPlace() {
			return filter{}, nil
		}
		return filter{}, &SetupError{Stage: StageProbe, Layer: LayerSeccomp, Operation: "prctl", Operand: "PR_GET_SECCOMP", Err: err,
			Remedy: "run a kernel with CONFIG_SECCOMP_FILTER, or weaken the box by name: --optional seccomp"}
	}
	program, err := seccomp.Builtin(policyName(spec.Seccomp))
	if err != nil {
		return filter{}, &SetupError{Stage: StageSeccomp, Layer: LayerSeccomp, Operation: "policy", Operand: spec.Seccomp.Policy, Err: err}
	}
	var rules []seccomp.Rule
	for _, n := range spec.Seccomp.Deny {
		rules = append(rules, seccomp.Rule{Syscall: n, Action: seccomp.Deny})
	}
	for _, n := range spec.Seccomp.Allow {
		rules = append(rules, seccomp.Rule{Syscall: n, Action: seccomp.Allow})
	}
	if spec.Unix || unixUnasked(spec, l.abi) {
		rules = append(rules, seccomp.UnixSockets()...)
	}
	if spec.inPlace() {
		rules = append(rules, inPlaceRules(spec, h, l.abi)...)
	}
	rules = append(rules, backstopRules(spec, sh)...)
	if spec.Net == NetLoopback {
		rules = append(rules, seccomp.Loopback()...)
	}
	f := filter{}
	f.listener, f.unheard = listenerOf(spec, h, off)
	if sh.question != nil {
		f.listener, f.unheard = 0, "nobody listens while a question is answered"
	}
	if f.listener != 0 {
		rules = append(rules, seccomp.Absences()...)
	}
	f.program, err = program.Prepend(rules)
	if err != nil {
		return filter{}, &SetupError{Stage: StageSeccomp, Layer: LayerSeccomp, Operation: "policy", Operand: spec.Seccomp.Policy, Err: err}
	}
	if f.listener != 0 {
		f.program = f.program.Observed()
	}
	if spec.inPlace() {
		f.program, err = f.program.WithSelf(h.oneGroup(), !h.ownUID, f.listener != 0)
		if err != nil {
			return filter{}, &SetupError{Stage: StageSeccomp, Layer: LayerSeccomp, Operation: "policy", Operand: spec.Seccomp.Policy, Err: err}
		}
	}
	if spec.Trace {
		return f.withTrace(spec.Seccomp.Allow)
	}
	return f, nil
}

// withTrace is f with a listener that hears of the paths as well.
func (f filter) withTrace(allowed []string) (filter, error) {
	if f.listener == 0 {
		return filter{}, &SetupError{Stage: StageProbe, Layer: LayerSeccomp, Operation: "seccomp", Operand: "trace", Err: errors.New(f.unheard),
			Remedy: "run it without --trace"}
	}
	program, err := f.program.Traced(traced(allowed))
	if err != nil {
		return filter{}, &SetupError{Stage: StageSeccomp, Layer: LayerSeccomp, Operation: "policy", Operand: "trace", Err: err}
	}
	f.program, f.traced = program, true
	return f, nil
}

func (b *builder) seccomp() {
	switch {
	case b.filter.program == nil:
	case b.filter.listener == 0:
		b.loadFilter(b.filter.program)
	default:
		b.loadHeardFilter(b.filter)
	}
}

// loadFilter attaches a program to the calling process. no_new_privs is set.
func (b *builder) loadFilter(program seccomp.Program) {
	b.install(program, num(0)).wants(0)
}

// install is the step of that, whose result is a descriptor of the listener if the
// flags make one.
func (b *builder) install(program seccomp.Program, flags arg) *Step {
	// struct sock_fprog: u16 len, padding, pointer.
	fprog := b.words(uint64(program.Len()), 0)
	at := b.bytes(program)
	binary.LittleEndian.PutUint64(b.data[fprog-b.base+8:], at)
	return b.call(unix.SYS_SECCOMP, "seccomp", "", num(setModeFilter, "SECCOMP_SET_MODE_FILTER"), flags, num(fprog, "{"+strconv.Itoa(program.Len())+" instructions}"))
}

// unixUnasked says whether a box has Unix sockets unless it is told otherwise. Below this
// ABI nothing but the filter keeps a program from connecting to a socket file that lies
// in a granted tree. From it on Landlock does, and keeps it from abstract names; but not
// from taking such a name, to which others then connect (landlock(7), scopes). Those are
// a network namespace's, and a box of tier 2 has none of its own.
func unixUnasked(spec Spec, abi int) bool { return abi >= abiResolveUnix && !spec.inPlace() }
