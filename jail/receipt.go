package jail

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// receipt is each layer's: asked, applied, by what, and the kernel's own word.
// Without evidence nothing is claimed to be applied.
func (r *run) receipt() []Layer {
	optional := func(l LayerName) bool { return slices.Contains(r.spec.Optional, l) }
	if r.plan == nil || len(r.report.evidence) == 0 {
		layers := make([]Layer, 0, 7)
		for _, name := range []LayerName{LayerNamespaces, LayerRoot, LayerCaps, LayerLandlock, LayerSeccomp, LayerCgroup, LayerRlimits} {
			inPlace := r.spec.inPlace() && slices.Contains([]LayerName{LayerNamespaces, LayerRoot, LayerCgroup}, name) // as below
			layers = append(layers, Layer{Name: name, Asked: !optional(name) && !inPlace, Note: "no program was started"})
		}
		return layers
	}
	e := parseEvidence(r.report.evidence)
	layers := []Layer{r.namespaces(e), r.root(e), caps(e), r.landlockReceipt(optional(LayerLandlock)), r.seccompReceipt(e, optional(LayerSeccomp)), r.cgroupReceipt(optional(LayerCgroup)), r.rlimitReceipt()}
	if r.spec.inPlace() {
		layers = []Layer{r.noNamespaces(e), r.noRoot(e), r.capsInPlace(e), r.landlockReceipt(false), r.seccompReceipt(e, false), r.cgroupReceipt(true), r.rlimitReceipt()}
	}
	for i := range layers {
		layers[i].Changed = r.plan.changed(layers[i].Name)
	}
	return layers
}

// namespaces compares the program's namespaces with the supervisor's own.
func (r *run) namespaces(e evidence) Layer {
	l := Layer{Name: LayerNamespaces, Asked: true, Applied: true, Mechanism: "clone"}
	var text []string
	r.lookAtOwn()
	for i, ns := range evidenceNamespaces {
		own, got := r.ownNamespaces[i], e.namespaces[ns]
		if own == "" || got == "" || got == own {
			l.Applied = false
			l.Note = "the box shares the caller's " + ns + " namespace"
		}
		text = append(text, got)
	}
	text = append(text, "NSpid "+e.status.field("NSpid"))
	l.Evidence = strings.Join(text, " ")
	return l
}

// lookAtOwn looks up the supervisor's own namespaces, once. "" is one that can't be.
func (r *run) lookAtOwn() {
	if r.ownNamespaces != nil {
		return
	}
	r.ownNamespaces = make([]string, len(evidenceNamespaces))
	for i, ns := range evidenceNamespaces {
		r.ownNamespaces[i], _ = os.Readlink("/proc/self/ns/" + ns)
	}
}

func (r *run) root(e evidence) Layer {
	l := Layer{Name: LayerRoot, Asked: true, Mechanism: "pivot_root"}
	l.Applied = e.rootType == unix.TMPFS_MAGIC && e.rootFlags&unix.ST_RDONLY != 0
	id := strconv.Itoa(r.plan.host.boxUID)
	l.Evidence = "/ " + e.rootText() + " uid " + e.status.field("Uid") + " gid " + e.status.field("Gid") + " groups [" + e.status.field("Groups") + "]"
	if first, _, _ := strings.Cut(e.status.field("Uid"), " "); first != id {
		l.Applied = false
	}
	l.Mechanism += ", " + r.outside()
	if groups := e.status.field("Groups"); groups != "" && !r.plan.host.ownUID {
		l.Note = "the caller's supplementary groups stay: the kernel lets only a privileged caller drop them in a user namespace (user_namespaces(7), setgroups)"
	}
	for _, source := range r.plain {
		l.Note = strings.TrimPrefix(l.Note+"; "+source+" is on a file system that cannot be idmapped, so the box sees it as any other user does", "; ")
	}
	return l
}

// outside is who the box is outside of it. In a user namespace that is the number
// there: nothing shows the host's.
func (r *run) outside() string {
	if r.plan.host.hostUsers {
		return "host uid " + strconv.Itoa(r.hostUID)
	}
	return "uid " + strconv.Itoa(r.hostUID) + " of jail's own user namespace"
}

// caps demands that every set is empty.
func caps(e evidence) Layer {
	l := Layer{Name: LayerCaps, Asked: true, Applied: true, Mechanism: "capset, PR_CAPBSET_DROP, no_new_privs"}
	var text []string
	for _, set := range []string{"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"} {
		v := e.status.field(set)
		text = append(text, set+" "+v)
		if strings.Trim(v, "0") != "" || v == "" {
			l.Applied = false
		}
	}
	text = append(text, "NoNewPrivs "+e.status.field("NoNewPrivs"))
	l.Applied = l.Applied && e.status.field("NoNewPrivs") == "1"
	l.Evidence = strings.Join(text, " ")
	return l
}

// landlockReceipt: /proc says nothing about Landlock, so the evidence is the
// canary, which the plan demands: the same open succeeded before and was
// refused after.
func (r *run) landlockReceipt(optional bool) Layer {
	l := Layer{Name: LayerLandlock, Asked: !optional || r.plan.handled.abi > 0, Applied: r.plan.handled.abi > 0}
	if !l.Applied {
		l.Note = noLandlock(r.host.landlockErr) + ", and --optional allows that"
		return l
	}
	l.Mechanism = "abi " + strconv.Itoa(r.plan.handled.abi)
	l.Evidence = "canary: open of the host's root through a descriptor was allowed before, EACCES after"
	return l
}

func (r *run) seccompReceipt(e evidence, optional bool) Layer {
	l := Layer{Name: LayerSeccomp, Asked: !optional || r.plan.filter.program != nil}
	l.Applied = e.status.field("Seccomp") == "2" && r.plan.filter.program != nil
	l.Mechanism = "filter, " + strconv.Itoa(r.plan.filter.program.Len()) + " instructions"
	l.Evidence = "Seccomp " + e.status.field("Seccomp") + " Seccomp_filters " + e.status.field("Seccomp_filters")
	return l
}

func (r *run) cgroupReceipt(optional bool) Layer {
	l := Layer{Name: LayerCgroup, Asked: !optional || r.group != nil, Applied: r.group != nil, Note: r.groupNote}
	if r.group != nil {
		l.Mechanism, l.Evidence, l.Note = r.group.Version().String(), r.inForce.Evidence, r.inForce.Note
	}
	return l
}

// rlimitReceipt says what prlimit64 was told: the plan demands that each call
// succeeds.
func (r *run) rlimitReceipt() Layer {
	l := Layer{Name: LayerRlimits, Asked: true, Mechanism: "prlimit64"}
	var text []string
	for _, s := range r.plan.lists[listTarget] {
		if s.Stage == StageRlimits && s.nr == unix.SYS_PRLIMIT64 {
			text = append(text, s.Operand+" "+s.args[2].text)
		}
	}
	l.Evidence, l.Applied = strings.Join(text, " "), len(text) > 0
	return l
}
