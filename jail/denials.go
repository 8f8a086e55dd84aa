package jail

import (
	"slices"
	"strconv"
	"strings"

	"github.com/seed-75010da9/jail/seccomp"
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
			Grant: g.flags, Setting: g.setting, Never: g.never, Source: sourceNotification})
	}
	if rest > 0 {
		denials = append(denials, Denial{Layer: LayerSeccomp, What: "other system calls", Count: rest, Source: sourceNotification,
			Never: "no more than the first that look different are told apart"})
	}
	traced := r.pathDenials()
	denials = append(denials, traced...)
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

// A grant is what would have allowed a call, or why nothing does.
type grant struct{ flags, setting, never string }

// grantOf finds what to type to have a call allowed. Whether it would be is not
// looked up but asked of the filter that the box would have.
func (r *run) grantOf(c *refused) grant {
	policy, err := seccomp.Builtin(policyName(r.spec.Seccomp))
	if err != nil {
		return grant{never: err.Error()}
	}
	byPolicy := allows(policy, c)
	switch {
	case slices.Contains(r.spec.Seccomp.Deny, c.name) && (byPolicy || slices.Contains(r.spec.Seccomp.Allow, c.name)):
		return grant{flags: "without --deny-syscall " + c.name, setting: "seccomp.deny without " + quoted(c.name)}
	case slices.Contains(r.spec.Seccomp.Deny, c.name) && seccomp.ByName(c.name):
		return grant{flags: "--allow-syscall " + c.name + inPlaceOf + "--deny-syscall " + c.name, setting: byName(c.name).setting + inPlaceOf + "seccomp.deny = [" + quoted(c.name) + "]"}
	case byPolicy:
		return r.grantInBox(c)
	case with(policy, seccomp.UnixSockets(), c):
		return r.offered(grant{flags: "--unix", setting: "net.unix = true"}, func(s *Spec) { s.Unix = true })
	case with(policy, seccomp.Loopback(), c):
		return r.offered(grant{flags: "--net loopback", setting: `net.mode = "loopback"`}, func(s *Spec) { s.Net = NetLoopback })
	case seccomp.ByName(c.name) && r.spec.inPlace() && pastTheBox(c.name) != "":
		return grant{never: notHinted + pastTheBox(c.name)}
	case seccomp.ByName(c.name):
		names := slices.DeleteFunc(together(c.name), func(n string) bool { _, has := seccomp.Number(n); return !has })
		return r.offered(byName(names...), func(s *Spec) { s.Seccomp.Allow = append(s.Seccomp.Allow, names...) })
	}
	why := seccomp.Why(c.name)
	if why == "" {
		why = "no policy names this call"
	}
	return grant{never: why}
}

// grantInBox is for what the policy allows and this box's own rules refuse
// (backstopRules, inPlaceRules).
func (r *run) grantInBox(c *refused) grant {
	switch {
	case r.spec.inPlace() && !allows(seccomp.Self(r.host.oneGroup(), !r.host.ownUID), c):
		return grant{never: neverOthers(c.name)}
	case r.spec.inPlace() && r.host.oneGroup() && (slices.Contains(groupCalls(), c.name) || c.name == "fcntl"):
		return grant{never: "on this host a box of tier 2 has to stay one process group, since nothing else tells its processes from the caller's others"}
	case c.name == "open" || c.name == "openat" || c.name == "ioctl":
		return grant{never: "on this host nothing but the filter keeps a box of tier 2 from changing files that it may only read"}
	case r.spec.inPlace() && pastTheBox(c.name) != "":
		return grant{never: notHinted + pastTheBox(c.name)}
	}
	return byName(c.name)
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

// byName is a grant of single calls.
func byName(names ...string) grant {
	var flags, list []string
	for _, n := range names {
		flags, list = append(flags, "--allow-syscall "+n), append(list, quoted(n))
	}
	return grant{flags: strings.Join(flags, " "), setting: "seccomp.allow = [" + strings.Join(list, ", ") + "]"}
}

// together is the calls that are of no use without each other.
func together(name string) []string {
	for _, calls := range [][]string{
		{"inotify_init", "inotify_init1", "inotify_add_watch", "inotify_rm_watch"},
		{"io_setup", "io_destroy", "io_submit", "io_cancel", "io_getevents", "io_pgetevents"},
		{"process_vm_readv", "process_vm_writev"},
		{"msgget", "msgsnd", "msgrcv", "msgctl"},
		{"mq_open", "mq_unlink", "mq_timedsend", "mq_timedreceive", "mq_notify", "mq_getsetattr"},
		{"get_mempolicy", "set_mempolicy", "mbind"},
	} {
		if slices.Contains(calls, name) {
			return calls
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
