package jail

import (
	"strings"
)

// The receipts of a tier 2 box: what it has no wall for stands in them as neither
// asked for nor applied, with what follows from that.

func (r *run) noNamespaces(e evidence) Layer {
	l := Layer{Name: LayerNamespaces, Mechanism: "none; the tree is ended by a subreaper that may signal nobody else, by " + r.plan.host.separation(), Evidence: "NSpid " + e.status.field("NSpid")}
	l.Note = "tier 2: the caller's user, mount, pid, network, IPC, UTS and cgroup namespaces are the program's"
	return l
}

// separation is what keeps the signals of a box and its keeper off others.
func (h host) separation() string {
	var by []string
	if h.ownUID {
		by = append(by, "uids of their own")
	}
	if h.landlockABI >= abiScopeSignal {
		by = append(by, "Landlock's signal scope")
	}
	if h.oneGroup() {
		return "killing its process group, which the filter lets nobody leave"
	}
	return strings.Join(by, " and ")
}

func (r *run) noRoot(e evidence) Layer {
	l := Layer{Name: LayerRoot, Mechanism: "none; " + r.outside()}
	l.Evidence = "/ " + e.rootText() + " uid " + e.status.field("Uid") + " gid " + e.status.field("Gid") + " groups [" + e.status.field("Groups") + "]"
	l.Note = "tier 2: the host's file tree, in which Landlock opens what was granted; names, sizes and owners of all other files can be seen; the private folder " +
		r.private + ", in place of /tmp, lies on the host's disk, and its size is watched by the supervisor"
	if !r.plan.host.ownUID {
		l.Note += "; the program has the caller's uid"
	}
	return l
}

// capsInPlace leaves the bounding set to no_new_privs where the caller may not
// change it.
func (r *run) capsInPlace(e evidence) Layer {
	l := caps(e)
	if r.plan.host.setpcap {
		return l
	}
	l.Mechanism = "capset, no_new_privs"
	l.Applied = e.status.field("NoNewPrivs") == "1"
	for _, set := range []string{"CapInh", "CapPrm", "CapEff", "CapAmb"} {
		l.Applied = l.Applied && e.status.field(set) != "" && strings.Trim(e.status.field(set), "0") == ""
	}
	l.Note = "tier 2: without CAP_SETPCAP the bounding set stays, and no_new_privs alone keeps the program from gaining what is in it"
	return l
}
