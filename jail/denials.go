package jail

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// sourceNotification is the box's own filter.
const sourceNotification = "seccomp user notification"

// denials are what was seen to be refused.
func (r *run) denials() []Denial {
	seen, rest := r.observer.refusals()
	denials := make([]Denial, 0, len(seen)+1)
	for i := range seen {
		g := r.grantOf(&seen[i])
		denials = append(denials, Denial{Layer: LayerSeccomp, What: seen[i].what, Count: seen[i].count, Errno: unix.ErrnoName(seen[i].errno),
			Grant: g.flags, Opens: g.opens, Setting: g.setting, Never: g.never, Source: sourceNotification})
	}
	if rest > 0 {
		denials = append(denials, Denial{Layer: LayerSeccomp, What: "other system calls", Count: rest, Source: sourceNotification,
			Never: "no more than the first that look different are told apart"})
	}
	traced := r.pathDenials()
	denials = append(denials, traced...)
	if seen := r.observer.paths(); seen != nil {
		denials = append(denials, seen.addressDenials()...)
	}
	return append(denials, r.auditDenials(traced)...)
}

// observation says what denials there can be, or nil if no program was started.
func (r *run) observation() *Observation {
	if r.plan == nil || len(r.report.evidence) == 0 {
		return nil
	}
	o := &Observation{Sources: []string{}, Blind: []string{}}
	switch {
	case r.observer != nil:
		o.Sources = append(o.Sources, sourceNotification)
	case r.plan.filter.program == nil:
		o.Blind = append(o.Blind, "system calls: there is no filter")
	default:
		o.Blind = append(o.Blind, "system calls: "+r.plan.filter.unheard)
	}
	o.trace(r.observer.paths(), r.audit.matched)
	if r.plan.handled.abi > 0 {
		r.audit.observe(o)
	}
	o.Blind = append(o.Blind,
		"system calls that are answered ENOSYS, as by an older kernel (but flock, io_setup and io_submit)",
		"what the kernel itself refuses, such as a capability that the program does not have")
	switch {
	case r.spec.Net != NetLoopback:
	case r.observer.paths() == nil:
		o.Blind = append(o.Blind, "network: what is sent or connected to another address than the box's own, to which the kernel knows no way (ENETUNREACH; --trace names where it is connected to)")
	default:
		if !r.spec.inPlace() {
			o.Sources = append(o.Sources, sourceAddresses)
		}
		o.Blind = append(o.Blind, "network: what is sent without being connected to another address than the box's own, to which the kernel knows no way (ENETUNREACH)")
	}
	if r.spec.inPlace() {
		o.Blind = append(o.Blind, "in tier 2: extended attributes, which can't be read by path, as on a file system that has none")
	}
	return o
}

// trace says what is seen of paths; t is nil where nobody looks (Spec.Trace). What
// Landlock refuses may be told by audit records.
func (o *Observation) trace(t *seenPaths, audited bool) {
	if t == nil {
		landlock := "Landlock, "
		if audited {
			landlock = ""
		}
		o.Blind = append(o.Blind, "files: what "+landlock+"a file's mode or a read-only mount refuses, and what is not in the box (--trace sees most of that)")
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	o.Sources = append(o.Sources, sourceTrace)
	o.Blind = append(o.Blind, "files: each path is looked up right before its call, and what the call itself was answered is not seen",
		"files: what the kernel opens by itself (the interpreter of a script, the loader of a program), what is reached by descriptor (with AT_EMPTY_PATH newfstatat and statx are not heard of), and /proc/self",
		"files: what is refused for another reason than being absent, a mode, a read-only mount or a grant, such as Landlock's rule on moving files between folders")
	if t.unread > 0 {
		o.Blind = append(o.Blind, "files: "+strconv.FormatInt(t.unread, 10)+" paths that could not be read or looked up in time")
	}
	if t.beyond > 0 {
		o.Blind = append(o.Blind, "files: "+strconv.FormatInt(t.beyond, 10)+" calls with paths beyond the first "+strconv.Itoa(mostPaths))
	}
}

// heard says whether the record is going to tell of what the filter refuses.
func (f filter) heard() string {
	switch {
	case f.program == nil:
		return "none: there is no filter"
	case f.listener == 0:
		return "none: " + f.unheard
	}
	return "of the filter"
}
