// Package doctor tries each layer of a box on this host, in child processes,
// and says what is missing and how to get it. It trusts no version number and
// no configuration file for its answers: it does the thing, and reads what the
// kernel says. Settings of the host are read only to choose the remedy.
package doctor

import (
	"context"
	"fmt"
	"os"
	"runtime"

	"github.com/seed-75010da9/jail/jail"
	"golang.org/x/sys/unix"
)

// Schema is the version of the JSON form of a Report.
const Schema = "jail-doctor/1"

// An Answer is what trying something showed.
type Answer string

const (
	Yes     Answer = "yes"
	No      Answer = "no"
	Unknown Answer = "unknown" // it could not be tried, or the result says nothing
)

// A Report is everything that was found.
type Report struct {
	Schema string `json:"schema"`
	// OK says that a box with all defaults ran here.
	OK     bool   `json:"ok"`
	Kernel string `json:"kernel"`
	Arch   string `json:"arch"`
	UID    int    `json:"uid"`
	// LandlockABI is 0 where there is no Landlock.
	LandlockABI int `json:"landlock_abi"`
	// Inside names what surrounds this host, as far as it can be told: a kind
	// of container, "wsl2", or "".
	Inside string  `json:"inside"`
	Checks []Check `json:"checks"`
	// Box is how the box with all defaults went.
	Box Box `json:"box"`
	// Tier2 is how a box without namespaces (--tier 2) went.
	Tier2 Box `json:"tier2"`
}

// A Check is one thing that was tried.
type Check struct {
	Name  string         `json:"name"`
	Layer jail.LayerName `json:"layer"`
	// Needed says that a box with all defaults needs it.
	Needed bool   `json:"needed"`
	Answer Answer `json:"answer"`
	// Evidence is what was done, and what the kernel said to it.
	Evidence string `json:"evidence"`
	// Remedy is what to do, one step an entry; empty when the answer is yes.
	Remedy []string `json:"remedy"`
}

// A Box is a real run with all defaults.
type Box struct {
	Reason  jail.Reason   `json:"reason"`
	Message string        `json:"message"`
	Hint    string        `json:"hint,omitempty"`
	Refusal *jail.Refusal `json:"refusal,omitempty"`
	WallMS  int64         `json:"wall_ms"`
	Layers  []jail.Layer  `json:"layers"`
}

// Examine tries everything. spec is the box with all defaults that is run at
// the end, and tier2 the same for the tier without namespaces; they should do
// next to nothing.
func Examine(ctx context.Context, spec, tier2 jail.Spec) Report {
	f := readFacts()
	f.parent = spec.CgroupParent
	r := Report{
		Schema: Schema, Kernel: f.kernel, Arch: runtime.GOARCH, UID: f.uid,
		LandlockABI: LandlockABI(), Inside: f.inside,
	}
	for _, t := range trials(f) {
		c := Check{Name: t.name, Layer: t.layer, Needed: t.needed, Remedy: []string{}}
		o := t.try(ctx)
		f.learn(t.name, o)
		c.Answer, c.Evidence = o.answer, o.evidence
		if c.Answer != Yes {
			c.Remedy = append(c.Remedy, f.remedy(t.name, o)...)
		}
		r.Checks = append(r.Checks, c)
	}
	r.Box, r.Tier2 = box(ctx, spec), box(ctx, tier2)
	r.OK = r.Box.Reason == jail.ReasonOK
	return r
}

func box(ctx context.Context, spec jail.Spec) Box {
	res, _ := jail.Run(ctx, spec) // the Result says it all
	b := Box{Reason: res.Reason, Message: res.Message, Hint: res.Hint, Refusal: res.Refusal, WallMS: res.Usage.WallMS, Layers: res.Layers}
	if b.Refusal != nil && b.Hint == "" {
		b.Hint = openFiles(spec)
	}
	return b
}

// openFiles is the line for a caller who may open fewer files than the box is to
// have, or "". The hard limit is what counts, which the Go runtime has raised the
// soft one to.
func openFiles(spec jail.Spec) string {
	want := spec.Limits.WithDefaults().NoFile
	var own unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &own) != nil || own.Max >= uint64(want) {
		return ""
	}
	return fmt.Sprintf("jail run --nofile %d … # or raise the caller's hard limit, as root: ulimit -Hn %d (LimitNOFILE=%[2]d in a unit of systemd, --ulimit nofile=%[2]d of a container)", own.Max, want)
}

// An outcome is what one trial showed.
type outcome struct {
	answer   Answer
	errno    unix.Errno // 0 where no system call failed
	evidence string
	remedy   string // what the failing part itself suggests
	ungiven  bool   // there is no control group of the caller's
	made     bool   // a user namespace was made for the trial
	profile  string // the AppArmor profile that it ran under, or ""
}

// A trial is one thing to try.
type trial struct {
	name   string
	layer  jail.LayerName
	needed bool
	try    func(context.Context) outcome
}

// trials lists what is tried, in the order of a box's set-up.
func trials(f facts) []trial {
	list := []trial{
		{"mount_api", jail.LayerRoot, true, tryMountAPI},
		{"user_namespace", jail.LayerNamespaces, true, child(unix.CLONE_NEWUSER|unix.CLONE_NEWNS, "user_namespace")},
		{"namespaces", jail.LayerNamespaces, true, tryNamespaces},
		{"root", jail.LayerRoot, true, child(boxNamespaces, "root")},
		{"proc", jail.LayerRoot, true, child(boxNamespaces, "proc")},
		{"loopback", jail.LayerNamespaces, false, child(boxNamespaces, "loopback")},
		{"memfd_exec", jail.LayerNamespaces, false, tryMemfd},
		{"capabilities", jail.LayerCaps, true, child(boxNamespaces, "capabilities")},
		{"landlock", jail.LayerLandlock, true, child(0, "landlock")},
		{"seccomp", jail.LayerSeccomp, true, child(0, "seccomp")},
		{"cgroup", jail.LayerCgroup, true, cgroupBelow(f.parent)},
	}
	if f.uid == 0 && !f.fewIDs {
		list = append(list, trial{"granting", jail.LayerRoot, true, tryGranting},
			trial{"uid_range", jail.LayerNamespaces, true, tryUIDRange},
			trial{"idmapped_mounts", jail.LayerRoot, false, tryIDMap})
	}
	return list
}

// Probing reports whether args (behind the command's name) are those of a
// child of Examine. If so it does the child's work and never returns.
func Probing(args []string) {
	if len(args) == 2 && args[0] == probeFlag {
		os.Exit(probe(args[1]))
	}
}
