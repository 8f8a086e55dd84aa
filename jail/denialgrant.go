package jail

import (
	"cmp"
	"os"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/withheld"
	"github.com/seed-75010da9/jail/seccomp"
	"golang.org/x/sys/unix"
)

// A grant is what would have allowed a call, and what it opens besides, or why nothing does.
type grant struct{ flags, opens, setting, never string }

// grantOf finds what to type to have a call allowed, or says why nothing is hinted.
func (r *run) grantOf(c *refused) grant {
	g := r.callGrant(c)
	if g.never != "" {
		g.never = r.unhinted(c, g.never)
	}
	return g
}

// unhinted is why a call is not hinted, with whether it could be had all the same. Any
// call may be allowed by name: a weaker box is whose it is that asks for it
// (Seccomp.Allow), and no hint asks for one.
func (r *run) unhinted(c *refused, why string) string {
	fruitless := seccomp.Fruitless(c.name)
	ownNamespace := slices.ContainsFunc(r.spec.Seccomp.Allow, func(n string) bool { return slices.Contains(makeNamespaces, n) })
	switch {
	case strings.HasPrefix(why, withheld.NotHinted) || strings.HasPrefix(why, letThrough) || !r.byNameAlone(c):
		return why
	case fruitless != "" && !ownNamespace:
		return why + "; " + fruitless
	}
	return letThrough + why
}

// makeNamespaces are the calls by which a program has a user namespace of its own, and
// every capability in it.
var makeNamespaces = []string{"unshare", "clone", "clone3"}

// letThrough begins a reason for which no hint names a call that may be allowed by name.
const letThrough = withheld.NotHintedWord + "though --allow-syscall lets it through: "

// byNameAlone says whether a box that allows a call by name, whatever that opens, is one
// for this tier and kernel, and is not refused the call.
func (r *run) byNameAlone(c *refused) bool {
	spec := r.spec
	if r.deniedByProfile(c.name) {
		return false
	}
	spec.Seccomp.Deny = slices.DeleteFunc(slices.Clone(spec.Seccomp.Deny), func(name string) bool { return name == c.name })
	allowing(&spec, c.name)
	return len(spec.reachFaults(r.host)) == 0 && r.allowedBy(spec, c)
}

// callGrant is grantOf without regard to what is not hinted. Whether a call would be
// allowed is not looked up but asked: of the Spec that this makes, whether it is one
// for this tier and this kernel, and of its filter.
func (r *run) callGrant(c *refused) grant {
	policy, err := seccomp.Builtin(policyName(r.spec.Seccomp))
	if err != nil {
		return grant{never: err.Error()}
	}
	byPolicy := allows(policy, c)
	spec := r.spec
	var g grant
	switch {
	case slices.Contains(spec.Seccomp.Deny, c.name) && (byPolicy || seccomp.ByName(c.name)):
		g = grant{flags: "without --deny-syscall " + c.name, setting: "seccomp.deny without " + quoted(c.name)}
		if r.deniedByProfile(c.name) {
			return grant{setting: g.setting, never: profileSays("denies it", g.setting)}
		}
		spec.Seccomp.Deny = slices.DeleteFunc(slices.Clone(spec.Seccomp.Deny), func(name string) bool { return name == c.name })
		if r.allowedBy(spec, c) {
			return g
		}
		if why := r.neverInBox(c); why != "" {
			return grant{never: why}
		}
		g = allowing(&spec, together(c.name)...)
		g.flags, g.setting = g.flags+inPlaceOf+"--deny-syscall "+c.name, g.setting+inPlaceOf+"seccomp.deny = ["+quoted(c.name)+"]"
	case byPolicy:
		if why := r.neverInBox(c); why != "" {
			return grant{never: why}
		}
		g = allowing(&spec, c.name)
	case with(policy, seccomp.UnixSockets(), c):
		g, spec.Unix = r.unixGrant(), true
	case with(policy, seccomp.Loopback(), c):
		g, spec.Net = grant{flags: "--net loopback", setting: `net.mode = "loopback"`}, NetLoopback
	case seccomp.ByName(c.name):
		g = allowing(&spec, together(c.name)...)
	case seccomp.Why(c.name) != "":
		return grant{never: seccomp.Why(c.name)}
	default:
		return grant{never: "no policy names this call"}
	}
	if why := cmp.Or(g.never, r.unfit(g, spec, c)); why != "" {
		return grant{never: why}
	}
	return g
}

// unfit says why a grant, which makes the run's Spec this one, is no way to have a call
// allowed, or is "".
func (r *run) unfit(g grant, spec Spec, c *refused) string {
	for _, name := range spec.Seccomp.Allow {
		if spec.inPlace() && !slices.Contains(r.spec.Seccomp.Allow, name) && pastTheBox(name) != "" {
			return withheld.NotHinted + pastTheBox(name)
		}
	}
	if c.name == "userfaultfd" && uint32(c.args[0])&userModeOnly == 0 && !anybodysFaults() {
		return "past the filter the kernel asks for a capability, which no program in a box has, unless the call has the flag UFFD_USER_MODE_ONLY"
	}
	if why := firstWant(spec.reachFaults(r.host)); why != "" {
		return g.flags + " would be refused: " + why
	}
	if !r.allowedBy(spec, c) {
		return cmp.Or(r.neverInBox(c), "other rules of this box refuse it as well")
	}
	return ""
}

// userModeOnly is UFFD_USER_MODE_ONLY, of Linux 5.11 (include/uapi/linux/userfaultfd.h).
const userModeOnly = 1

// anybodysFaults says whether this host lets programs without a capability handle the
// kernel's page faults (sysctl vm.unprivileged_userfaultfd).
func anybodysFaults() bool {
	text, err := os.ReadFile("/proc/sys/vm/unprivileged_userfaultfd")
	return err == nil && strings.TrimSpace(string(text)) == "1"
}

// allowedBy says whether the filter of a Spec in place of the run's allows a call.
func (r *run) allowedBy(spec Spec, c *refused) bool {
	spec.Trace = false // which has more than what is refused put to a listener
	filter, err := planSeccomp(spec, r.host, r.plan.handled, r.shape, r.off)
	return err == nil && (filter.program == nil || allows(filter.program, c))
}

// reachFaults are what is wrong with a Spec, but for what it runs and shows: of that no
// call's grant is about, and there may be much of it.
func (s Spec) reachFaults(h host) Faults {
	s.Args, s.Env, s.View = []string{"program"}, nil, nil
	faults, _ := s.Validate().(Faults)
	return append(faults, (&run{spec: s}).tierFaults(h, view{})...)
}

// neverInBox is for what the policy allows and this box's own rules refuse
// (backstopRules, inPlaceRules), if no flag takes these away.
func (r *run) neverInBox(c *refused) string {
	switch {
	case r.spec.inPlace() && !allows(seccomp.Self(r.host.oneGroup(), !r.host.ownUID), c):
		return neverOthers(c.name)
	case r.spec.inPlace() && r.host.oneGroup() && (slices.Contains(groupCalls(), c.name) || c.name == "fcntl"):
		return "on this host a box of tier 2 has to stay one process group, since nothing else tells its processes from the caller's others"
	case r.spec.inPlace() && (c.name == "open" || c.name == "openat" || c.name == "ioctl"):
		return "on this host nothing but the filter keeps a box of tier 2 from changing files that it may only read"
	}
	return ""
}

// neverOthers is why a box of tier 2 is refused what seccomp.Self is for.
func neverOthers(call string) string {
	switch call {
	case "utimensat":
		return "Landlock has no right for times, so a box of tier 2 sets those of files that it has open, to now if it is an ordinary user's"
	case "kill":
		return "on this host a box of tier 2 has to stay one process group, and signals it as a whole, by 0"
	}
	return "in a box of tier 2 a process changes itself alone, and names itself by 0, since no filter can tell whose a number is"
}

// pastTheBox is what a call that is allowed by name would reach of the caller's from a
// box of tier 2, which has no namespaces, or "".
func pastTheBox(call string) string {
	switch {
	case slices.ContainsFunc([]string{"shm", "sem", "msg", "mq_"}, func(kind string) bool { return strings.HasPrefix(call, kind) }):
		return "System V IPC and message queues of a box of tier 2 are the host's"
	case strings.HasPrefix(call, "inotify_"):
		return "Landlock has no right for watching files, so a box of tier 2 would watch all that the caller may read"
	case call == "truncate" || slices.ContainsFunc([]string{"chmod", "chown", "utime", "xattr"}, func(kind string) bool { return strings.Contains(call, kind) }):
		return "Landlock has no right for it here, so a box of tier 2 would do it to all of the caller's files"
	}
	return ""
}

// allowing adds single calls to a Spec.
func allowing(spec *Spec, names ...string) grant {
	var flags, list []string
	for _, n := range names {
		flags, list = append(flags, "--allow-syscall "+n), append(list, quoted(n))
	}
	spec.Seccomp.Allow = slices.Concat(spec.Seccomp.Allow, names)
	return grant{flags: strings.Join(flags, " "), setting: "seccomp.allow = [" + strings.Join(list, ", ") + "]"}
}

// together is the calls that are of no use without each other, of those that this
// architecture has.
func together(name string) []string {
	for _, calls := range [][]string{
		{"inotify_init", "inotify_init1", "inotify_add_watch", "inotify_rm_watch"},
		{"io_setup", "io_destroy", "io_submit", "io_cancel", "io_getevents", "io_pgetevents"},
		{"process_vm_readv", "process_vm_writev"},
		{"msgget", "msgsnd", "msgrcv", "msgctl"},
		{"get_mempolicy", "set_mempolicy", "mbind"},
	} {
		if slices.Contains(calls, name) {
			return slices.DeleteFunc(calls, func(c string) bool { _, ok := seccomp.Number(c); return !ok })
		}
	}
	return []string{name}
}

func allows(p seccomp.Program, c *refused) bool {
	action, ok := p.Action(c.nr, c.arch, c.args)
	return ok && action == unix.SECCOMP_RET_ALLOW
}

// with says whether rules in front of p would allow a call.
func with(p seccomp.Program, rules []seccomp.Rule, c *refused) bool {
	p, err := p.Prepend(rules)
	return err == nil && allows(p, c)
}

func quoted(name string) string { return `"` + name + `"` }
