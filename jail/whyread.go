package jail

import (
	"slices"
	"strings"
	"syscall"

	"github.com/seed-75010da9/jail/seccomp"
	"golang.org/x/sys/unix"
)

// What came of the calls of a question, in words.

// explain fills an answer in. without are the same tries in a box without Landlock,
// or the same ones; nil is for not known.
func (r *run) explain(a *Answer, q, without *question) {
	st, there := r.statOf()
	dir := there && st.Mode&unix.S_IFMT == unix.S_IFDIR
	if q.path != "" {
		a.Found = r.foundText(st, there, q.path)
		if strings.HasPrefix(q.path, "/proc/self/") || strings.HasPrefix(q.path, "/proc/thread-self/") {
			a.Note = strings.TrimPrefix(a.Note+"; this is about the process that tries in the place of a program, which has other files open", "; ")
		}
		if own := r.ownInMemory(q.path); own != "" {
			a.Note = strings.TrimPrefix(a.Note+"; "+own+" is the box's own, in memory, and gone with it: what is allowed there does nothing to the host's", "; ")
		}
	}
	for i, t := range q.tries {
		if q.path != "" && beside(q, t, there, dir) || t.fd != nil && t.fd.result < 0 || t.variant && r.letThrough(t) {
			continue
		}
		out := Tried{Access: t.access, Call: t.call, Allowed: t.result >= 0}
		if t.result < 0 {
			out.Errno = unix.ErrnoName(syscall.Errno(-t.result))
		}
		switch {
		case r.byFilter(t, &out):
		case q.path != "":
			r.explainPath(q.path, t, without.of(i), &out)
			if q.special && t.access != accessLook {
				r.explainSpecial(q.path, t, &out)
			}
		case t.fd != nil:
			r.explainConnect(a, t, without.of(i), &out)
		default:
			r.explainCall(t, &out)
		}
		a.Tried = append(a.Tried, out)
	}
}

// of is a question's try, or nil of one that was not asked.
func (q *question) of(i int) *try {
	if q == nil {
		return nil
	}
	return q.tries[i]
}

// untold is what is said where the box without Landlock is not there to compare with.
const untold = "a mode, an owner or Landlock refuses it: which could not be told"

// beside says whether a try means nothing for what there is.
func beside(q *question, t *try, there, dir bool) bool {
	switch t.access {
	case accessMakeIn:
		return !dir
	case accessMake:
		return there
	case accessWrite:
		return dir
	case accessExecute:
		return dir || !there || !executeChecked(q)
	case accessMode:
		return dir || !there || executeChecked(q)
	}
	return false
}

// executeChecked says whether the kernel has AT_EXECVE_CHECK; one without refuses
// the flag (EINVAL).
func executeChecked(q *question) bool {
	i := slices.IndexFunc(q.tries, func(t *try) bool { return t.access == accessExecute })
	return i >= 0 && q.tries[i].result != -int32(unix.EINVAL)
}

// filterSays is what the box's filter, if it has one, answers to a try.
func (r *run) filterSays(t *try) (action uint32, ok bool) {
	if r.plan.filter.program == nil {
		return 0, false
	}
	return r.plan.filter.program.Action(int32(t.nr), seccomp.Arch(), t.values)
}

// letThrough says whether the filter leaves a try to the kernel.
func (r *run) letThrough(t *try) bool {
	action, ok := r.filterSays(t)
	return !ok || action&unix.SECCOMP_RET_ACTION_FULL == unix.SECCOMP_RET_ALLOW
}

// byFilter is for what the filter has decided. It is the box's own program that is
// asked, with the arguments that the call had.
func (r *run) byFilter(t *try, out *Tried) bool {
	if r.plan.filter.program == nil {
		return false
	}
	action, ok := r.filterSays(t)
	if !ok || action&unix.SECCOMP_RET_ACTION_FULL == unix.SECCOMP_RET_ALLOW {
		if t.notTried != "" {
			out.Allowed, out.Why = true, "the filter allows it; it was not tried, because "+t.notTried
		}
		return t.notTried != ""
	}
	errno := syscall.Errno(action & unix.SECCOMP_RET_DATA)
	out.Allowed, out.Layer, out.Errno = false, LayerSeccomp, unix.ErrnoName(errno)
	out.Why = "the filter answers before the kernel does anything"
	if errno == unix.ENOSYS {
		out.Why = "the filter answers as a kernel would that does not have the call"
	}
	g := r.grantOf(&refused{name: t.name, nr: int32(t.nr), arch: seccomp.Arch(), args: t.values, errno: errno})
	out.Grant, out.Opens, out.Setting, out.Never = g.flags, g.opens, g.setting, g.never
	if _, there := r.statOf(); r.question.socket != "" && !there {
		out.Why += "; and there is no such socket in the box"
	}
	never := r.unreached()
	if r.question.far {
		never = noWayOut
	}
	if never != "" { // whatever opens the call
		out.Grant, out.Opens, out.Setting, out.Never = "", "", "", never
	}
	return true
}

func (r *run) explainCall(t *try, out *Tried) {
	if t.result >= 0 {
		out.Why = "the filter lets it through, and the kernel did it"
		return
	}
	errno := syscall.Errno(-t.result)
	if why := ofTheTry()[t.name]; why != "" && (errno == unix.EPERM || errno == unix.EACCES) {
		out.Allowed, out.Why = true, "the filter lets it through; "+why
		return
	}
	switch errno {
	case unix.EPERM, unix.EACCES:
		out.Allowed, out.Layer = false, LayerCaps
		out.Why, out.Never = "the filter lets it through and the kernel refuses it", "the kernel asks for a capability or a right that no program in a box has"
	case unix.ENOSYS:
		out.Why, out.Never = "the filter lets it through and this kernel does not have it", "this kernel does not have it"
	default:
		out.Allowed, out.Why = true, "the filter lets it through; that it failed is for the arguments of this try, which do no harm"
	}
}

func (r *run) explainConnect(a *Answer, t, without *try, out *Tried) {
	errno := syscall.Errno(-t.result)
	switch {
	case t.result >= 0:
		out.Why = "somebody in the box answers"
	case errno == unix.EPROTOTYPE && r.plan.handled.abi >= abiUnix: // nobody but the try is in its box
		out.Allowed, out.Layer, out.Why, out.Never = false, LayerLandlock, "a process outside of the box listens at it", "Landlock keeps Unix sockets within the box"
	case errno == unix.EPROTOTYPE:
		out.Allowed, out.Why = true, "somebody listens at it, outside of the box; it was asked for by a socket of another type, so that nobody there notices"
	case errno == unix.EINPROGRESS:
		out.Allowed, out.Why = true, "the kernel has a way to it within the box, whose addresses are its own: nothing of the host's listens there"
	case errno == unix.ECONNREFUSED && r.question.abstract && !r.spec.inPlace():
		out.Layer, out.Why, out.Never = LayerNamespaces, "abstract names belong to a network, and the box's is its own: nobody in it listens at this one", r.unreached()
	case errno == unix.ECONNREFUSED:
		out.Allowed, out.Why = true, "it can be reached; nobody listens there now, in the box: its 127.0.0.1 is its own, not the host's"
		if a.Kind == "unix" {
			out.Why = "the socket can be reached; nobody listens at it"
		}
	case without == nil && (errno == unix.EACCES || errno == unix.EPERM):
		out.Why = untold
	case without != nil && t.result != without.result:
		out.Layer, out.Why, out.Never = LayerLandlock, "without Landlock it is answered "+resultName(without.result), "the box's ruleset has no exception for it"
	case errno == unix.ENETUNREACH || errno == unix.EADDRNOTAVAIL || errno == unix.EHOSTUNREACH:
		out.Layer, out.Why, out.Never = LayerNamespaces, "the box's network is its own, and there is no way out of it", noWayOut
	case errno == unix.ENOENT && a.Kind == "unix":
		if out.Why, out.Never = "there is no such socket in the box, nor on the host", r.unreached(); out.Never != "" {
			out.Layer, out.Why = LayerRoot, "there is no such socket in the box, and the host has it"
		}
	default:
		out.Why = "the kernel refuses it"
	}
}

const noWayOut = "a box reaches no network beyond its own loopback"

func resultName(result int32) string {
	if result >= 0 {
		return "by being done"
	}
	return unix.ErrnoName(syscall.Errno(-result))
}
