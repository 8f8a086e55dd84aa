package request

import (
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

// Of is the request that asks for spec.
func Of(spec jail.Spec) Request {
	r := Request{
		Name: spec.Name, Args: texts(spec.Args), Env: texts(spec.Env), Dir: Text(spec.Dir), Hostname: spec.Hostname,
		Net: string(spec.Net), Unix: spec.Unix, Limits: limitsOf(spec.Limits), OutputMode: string(spec.OutputMode),
		CgroupParent: Text(spec.CgroupParent), Optional: converted[string](spec.Optional), Require: spec.Require,
		Tier: number(int64(spec.Tier)), Timings: spec.Timings, Trace: spec.Trace,
	}
	for _, m := range spec.View {
		r.View = append(r.View, Mount{string(m.Kind), Text(m.Source), Text(m.Target), number(m.Size), Text(m.Content)})
	}
	if s := spec.Seccomp; s.Policy != "" || len(s.Allow) > 0 || len(s.Deny) > 0 {
		r.Seccomp = &Seccomp{s.Policy, s.Allow, s.Deny}
	}
	if p := spec.Profile; p != nil {
		r.ProfileRef = &ProfileRef{p.Name, p.Digest, texts(p.Files), givenOf(p.Grants), Text(p.Dir), p.Denies}
	}
	return r
}

// Spec is what r asks for. With a profile that is found out on host, of which the
// working directory counts for nothing: paths are absolute, or relative to the
// workspace. All faults come at once, under the names of r's fields.
func (r Request) Spec(host profiles.Host) (jail.Spec, jail.Faults) {
	if r.Profile == "" {
		return r.alone(), nil
	}
	var faults jail.Faults
	fault := func(field, value, want string) {
		faults = append(faults, jail.Fault{Field: field, Value: value, Want: want})
	}
	if r.ProfileRef != nil {
		fault("profile_ref", r.ProfileRef.Name, "must not be given with profile, which says it")
	}
	host.Dir = ""
	p, err := profiles.Load(r.Profile, host)
	if err != nil {
		return jail.Spec{}, append(faults, found(err, "profile", r.Profile)...)
	}
	over, more := r.overrides()
	spec, err := p.Spec(converted[string](r.Args), over, host)
	spec.Hostname, spec.Timings, spec.Trace = r.Hostname, r.Timings, r.Trace
	spec.Unix = spec.Unix || r.Unix
	spec.View = append(spec.View, more...)
	if r.Seccomp != nil && r.Seccomp.Policy != "" {
		spec.Seccomp.Policy = r.Seccomp.Policy
	}
	if err != nil {
		faults = append(faults, found(err, "profile", r.Profile)...)
	}
	return spec, faults
}

// Check adds to faults what spec has by itself, unless something was found
// there already.
func Check(spec jail.Spec, faults jail.Faults) jail.Faults {
	var own jail.Faults
	if !errors.As(spec.Validate(), &own) {
		return faults
	}
	known := slices.Clone(faults)
	for _, f := range Named(own[:min(len(own), mostFaults)]) {
		said := func(k jail.Fault) bool {
			return k.Field == f.Field || strings.HasPrefix(k.Field, f.Field+"[") || strings.HasPrefix(f.Field, k.Field+"[") || strings.HasPrefix(f.Field, k.Field+".")
		}
		if !slices.ContainsFunc(known, said) {
			faults = append(faults, f)
		}
	}
	return faults
}

// alone is r without a profile.
func (r Request) alone() jail.Spec {
	spec := jail.Spec{
		Name: r.Name, Args: converted[string](r.Args), Env: converted[string](r.Env), Dir: string(r.Dir), Hostname: r.Hostname,
		Net: jail.Net(r.Net), Unix: r.Unix, Limits: r.limits(), OutputMode: jail.OutputMode(r.OutputMode),
		CgroupParent: string(r.CgroupParent), Optional: converted[jail.LayerName](r.Optional), Require: r.Require,
		Tier: jail.Tier(of(r.Tier)), Timings: r.Timings, Trace: r.Trace,
	}
	for _, m := range r.View {
		spec.View = append(spec.View, m.mount())
	}
	if w := string(r.Workspace); w != "" {
		spec.View = append(spec.View, jail.Mount{Kind: jail.MountRW, Source: w, Target: w})
		if spec.Dir == "" {
			spec.Dir = w
		}
	}
	if s := r.Seccomp; s != nil {
		spec.Seccomp = jail.Seccomp{Policy: s.Policy, Allow: s.Allow, Deny: s.Deny}
	}
	if p := r.ProfileRef; p != nil {
		spec.Profile = &jail.ProfileRef{Name: p.Name, Digest: p.Digest, Files: converted[string](p.Files), Grants: given(p.Grants), Dir: string(p.Dir), Denies: p.Denies}
	}
	return spec
}

// givenOf is list in a request, and given the other way; what is not known stays so.
func givenOf(list []jail.Given) []Given {
	if list == nil {
		return nil
	}
	out := make([]Given, 0, len(list))
	for _, g := range list {
		out = append(out, Given{Text(g.Target), Text(g.By)})
	}
	return out
}

func given(list []Given) []jail.Given {
	if list == nil {
		return nil
	}
	out := make([]jail.Given, 0, len(list))
	for _, g := range list {
		out = append(out, jail.Given{Target: string(g.Target), By: string(g.By)})
	}
	return out
}

// overrides is r on top of a profile, and those of its mounts that no flag of
// the command line makes.
func (r Request) overrides() (profiles.Overrides, []jail.Mount) {
	o := profiles.Overrides{
		Limits: r.limits(), OutputMode: jail.OutputMode(r.OutputMode), Tier: jail.Tier(of(r.Tier)),
		Workspace: string(r.Workspace), Cwd: string(r.Dir), Env: converted[string](r.Env), Net: jail.Net(r.Net),
		Optional: converted[jail.LayerName](r.Optional), Require: r.Require, Name: r.Name, CgroupParent: string(r.CgroupParent),
		OwnInterpreter: true,
	}
	if s := r.Seccomp; s != nil {
		o.Allow, o.Deny = s.Allow, s.Deny
	}
	var more []jail.Mount
	for _, m := range r.View {
		grant := profiles.Grant{Host: string(m.Source), Box: string(m.Target)}
		switch jail.MountKind(m.Kind) {
		case jail.MountRO:
			o.RO = append(o.RO, grant)
		case jail.MountRW:
			o.RW = append(o.RW, grant)
		case jail.MountTmpfs:
			o.Tmpfs = append(o.Tmpfs, profiles.Tmpfs{Box: string(m.Target), Size: of(m.SizeBytes)})
		default:
			more = append(more, m.mount())
		}
	}
	return o, more
}

func (m Mount) mount() jail.Mount {
	return jail.Mount{Kind: jail.MountKind(m.Kind), Source: string(m.Source), Target: string(m.Target), Size: of(m.SizeBytes), Content: string(m.Content)}
}

func limitsOf(l jail.Limits) *Limits {
	if l == (jail.Limits{}) {
		return nil
	}
	return &Limits{
		TimeoutMS: millis(l.Timeout), CPUTimeMS: millis(l.CPUTime), MemoryBytes: number(l.Memory), CPUs: number(l.CPUs), Pids: number(l.Pids),
		IdleTimeoutMS: millis(l.IdleTimeout), OutputBytes: number(l.Output), TmpBytes: number(l.TmpSize), NoFile: number(l.NoFile), FileSizeBytes: number(l.FileSize),
	}
}

func (r Request) limits() jail.Limits {
	if r.Limits == nil {
		return jail.Limits{}
	}
	l := *r.Limits
	return jail.Limits{
		Timeout: duration(l.TimeoutMS), CPUTime: duration(l.CPUTimeMS), Memory: of(l.MemoryBytes), CPUs: of(l.CPUs), Pids: of(l.Pids),
		IdleTimeout: duration(l.IdleTimeoutMS), Output: of(l.OutputBytes), TmpSize: of(l.TmpBytes), NoFile: of(l.NoFile), FileSize: of(l.FileSizeBytes),
	}
}

func millis(d time.Duration) *float64 { return number(float64(d) / 1e6) }

// duration is exact for all that jail accepts; what is longer stays too long.
func duration(ms *float64) time.Duration {
	return time.Duration(min(math.Round(of(ms)*1e6), 1<<62))
}

// number is nil for 0, which means a default.
func number[T int64 | float64](n T) *T {
	if n == 0 {
		return nil
	}
	return &n
}

func of[T int64 | float64](n *T) T {
	if n == nil {
		return 0
	}
	return *n
}

func texts(list []string) []Text { return converted[Text](list) }

func converted[To, From ~string](list []From) []To {
	if list == nil {
		return nil
	}
	to := make([]To, len(list))
	for i, s := range list {
		to[i] = To(s)
	}
	return to
}

// found are the faults behind an error of package profiles, under the names of a
// request's fields.
func found(err error, field, value string) jail.Faults {
	var faults jail.Faults
	if !errors.As(err, &faults) {
		return jail.Faults{{Field: field, Value: value, Want: err.Error()}}
	}
	named := make(jail.Faults, len(faults))
	for i, f := range faults {
		f.Field = flagField(f.Field)
		f.Want = strings.TrimSuffix(f.Want, ", because the working directory is gone")
		if !slices.ContainsFunc([]string{"must ", "no ", "accepted "}, func(s string) bool { return strings.HasPrefix(f.Want, s) }) {
			f.Want = "want " + f.Want
		}
		named[i] = f
	}
	return named
}
