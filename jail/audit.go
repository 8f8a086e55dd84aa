package jail

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/seed-75010da9/jail/jail/internal/audit"
	"golang.org/x/sys/unix"
)

// What Landlock refuses it tells nobody in the box; since Linux 6.15 the kernel can
// make an audit record of it. For a program behind an execve(2) it does so only if
// the ruleset was entered with a flag, and then for everybody who reads the host's
// records: so a box has the flag where its supervisor reads them, and nowhere else.
//
// Nothing is read while the program runs. The records wait in the kernel, as many as
// there is room for, until the box is gone: nobody is woken for them, and a flood
// of them costs no more than that room.

// sourceAudit are those records.
const sourceAudit = "audit records of Landlock"

// An auditor reads the records of one box's domain.
type auditor struct {
	listener *audit.Listener // nil: nobody reads
	asked    bool
	unheard  string // why nobody does
	program  int    // the process that becomes the program, in our pid namespace
	before   audit.Status
	after    audit.Status
	late     bool // records were still waiting when it was over
	missed   bool // there were more than there was room for
	matched  bool // the box's domain is known
	refusals []auditRefusal
	beyond   int64 // records beyond those
}

// auditRefusal is records that say the same.
type auditRefusal struct {
	audit.Record
	count int64
}

const (
	// abiAudit is the first at which the kernel makes records.
	abiAudit = 7
	// auditAnswer bounds the wait for the kernel's word on how auditing is set. It has
	// a thread of its own give that, while another process makes the namespaces, and
	// so it is mostly there by the time that these are.
	auditAnswer = 20 * time.Millisecond
	// auditGrace bounds what the end of a run waits for the last records.
	auditGrace = 50 * time.Millisecond
	// handingOut is how long the kernel needs for the last of them.
	handingOut = 200 * time.Microsecond
	// mostAuditKept is how many records are kept, those of others on the host among
	// them, until it is known which domain is the box's.
	mostAuditKept = 8 << 10
)

// askAudit asks how auditing is set, where it can matter: nobody asks who can't have
// the records. Where it is off that costs a start some 5 µs, where it is on a thread of
// the kernel's, some 0.2 ms.
func (r *run) askAudit() {
	a := &r.audit
	if a.asked {
		return
	}
	a.asked = true
	switch {
	case r.host.landlockABI < abiAudit:
		a.unheard = "the kernel makes none (Landlock ABI 7, of Linux 6.15, is the first that does)"
	case r.host.listener == 0:
		a.unheard = "nothing tells the box's from others' (" + r.host.unheard + ")"
	default:
		if lacks := missing(capability{unix.CAP_AUDIT_READ, "CAP_AUDIT_READ"}, capability{unix.CAP_AUDIT_CONTROL, "CAP_AUDIT_CONTROL"}); lacks != "" {
			a.unheard = "to read them takes " + lacks + ", which jail does not have"
			return
		}
		var err error
		if a.listener, err = audit.Open(); err != nil {
			a.unheard = err.Error()
		}
	}
}

// joinAudit decides, by the answer, whether the box's refusals are recorded and read.
func (r *run) joinAudit() {
	a := &r.audit
	if a.listener == nil || r.shape.audited {
		return
	}
	var err error
	a.before, err = a.listener.Answer(auditAnswer, nil)
	switch {
	case errors.Is(err, unix.EPERM) || errors.Is(err, unix.ECONNREFUSED):
		a.unheard = "the kernel keeps them from whoever is not in the first user and pid namespace"
	case err != nil:
		a.unheard = err.Error()
	case !a.before.On:
		a.unheard = audit.ErrOff.Error()
	case a.before.Panics:
		a.unheard = "this host is to panic when a record is lost (auditctl -f 2), and a program could make more than it takes"
	case r.shape.late:
		a.unheard = "boxes of a pool stand ready too long for them to be kept"
	default:
		if err = a.listener.Join(); err == nil {
			r.shape.audited = true
			return
		}
		a.unheard = err.Error()
	}
	a.listener.Close()
	a.listener = nil
}

// nameSender has the kernel say who sends the listener of the filter: it is the one
// who becomes the program, and has entered the box's domain before.
func (r *run) nameSender(channel int) {
	if r.plan.audited() {
		unix.SetsockoptInt(channel, unix.SOL_SOCKET, unix.SO_PASSCRED, 1)
	}
}

// audited says whether the box's ruleset has its refusals recorded.
func (p *Plan) audited() bool {
	return p.shape.audited && p.filter.listener != 0 && p.handled.abi >= abiAudit
}

// endAudit reads the records of a box that is gone. All of them were queued when its
// processes were refused something, and the kernel hands them on in that order.
func (r *run) endAudit() {
	a := &r.audit
	if a.listener == nil {
		return
	}
	if a.program != 0 {
		kept := auditKept{pid: a.program, uid: r.hostUID}
		until := time.Now().Add(auditGrace)
		for a.late = true; a.late && time.Now().Before(until); {
			status, err := a.listener.Ask(time.Until(until), kept.add)
			if err != nil {
				break
			}
			a.after, a.late = status, status.Backlog > 0
			a.listener.Await(handingOut)
		}
		a.listener.Drain(kept.add)
		a.missed = a.listener.Dropped() || kept.over
		a.refusals, a.beyond, a.matched = kept.own()
	}
	a.listener.Close()
	a.listener = nil
}

// auditKept are the records of all domains.
type auditKept struct {
	pid, uid int
	domains  []uint64 // entered by that process as that user
	records  []audit.Record
	over     bool
}

func (k *auditKept) add(r audit.Record) {
	switch {
	case r.Allocated && r.PID == k.pid && r.UID == k.uid && !slices.Contains(k.domains, r.Domain):
		k.domains = append(k.domains, r.Domain)
	case !r.Allocated && len(k.records) == mostAuditKept:
		k.over = true
	case !r.Allocated:
		k.records = append(k.records, r)
	}
}

// own are the refusals of the box's domain. The first is that of its own canary: a
// domain is made known by its first refusal, so the box's is known in any case, and
// where two are it is not told which.
func (k *auditKept) own() (refusals []auditRefusal, beyond int64, matched bool) {
	if len(k.domains) != 1 {
		return nil, 0, false
	}
	for _, r := range k.records {
		if r.Domain != k.domains[0] {
			continue
		}
		if !matched {
			matched = true // the canary's
			continue
		}
		var room bool
		if refusals, room = counted(refusals, r); !room {
			beyond++
		}
	}
	return refusals, beyond, matched
}

// counted is list with one more record in it, unless it is full.
func counted(list []auditRefusal, r audit.Record) ([]auditRefusal, bool) {
	for i := range list {
		if l := &list[i]; l.Path == r.Path && l.Port == r.Port && l.Process == r.Process && l.Command == r.Command && slices.Equal(l.Blockers, r.Blockers) {
			l.count++
			return list, true
		}
	}
	if len(list) == mostDenials {
		return list, false
	}
	return append(list, auditRefusal{r, 1}), true
}

// observe says what is seen by these records, or why nothing is.
func (a *auditor) observe(o *Observation) {
	blind := func(what string) { o.Blind = append(o.Blind, "Landlock: "+what) }
	switch {
	case a.unheard != "":
		blind("no audit records: " + a.unheard)
		return
	case a.matched:
		o.Sources = append(o.Sources, sourceAudit)
		blind("what the program's own rulesets refuse, and what is looked at without being opened, is not recorded")
	default:
		blind("no audit records: none came by which the box's could be told from others' (a host's rules may leave them out, and only the first network namespace gets any)")
	}
	if a.before.RateLimit > 0 {
		blind("this host keeps no more than " + strconv.FormatUint(uint64(a.before.RateLimit), 10) + " audit records a second, of all together")
	}
	if lost := a.after.Lost - a.before.Lost; a.after.On && lost > 0 {
		blind("the host lost " + strconv.FormatUint(uint64(lost), 10) + " audit records meanwhile, of all together")
	}
	if a.missed {
		blind("there were more records than are kept, so counts are too low and some refusals are missing")
	}
	if a.late {
		blind(lateRecords)
	}
}

const lateRecords = "audit records had not come when the run was over"
