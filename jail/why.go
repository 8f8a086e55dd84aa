package jail

import (
	"context"
	"encoding/binary"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/seccomp"
	"golang.org/x/sys/unix"
)

// WhySchema is the version of an [Answer].
const WhySchema = "jail-why/1"

// An Answer is what came of trying something in a real box. Its JSON form is for
// programs.
type Answer struct {
	Schema   string `json:"schema"`
	Question string `json:"question"`
	// Kind is what the question was taken for: "path", "syscall", "address" or "unix".
	Kind string `json:"kind"`
	Tier Tier   `json:"tier"`
	// Tried is each access that was tried, in order.
	Tried []Tried `json:"tried"`
	// Found says what is at a path in the box.
	Found string `json:"found,omitempty"`
	// Note says what the answer leaves open.
	Note string `json:"note,omitempty"`
}

// Tried is one access.
type Tried struct {
	Access string `json:"access"` // such as "read it"
	Call   string `json:"call"`   // the system call that was made
	// Allowed says that the box lets it happen; a call that was let through may have
	// failed for its arguments, as Why then says.
	Allowed bool   `json:"allowed"`
	Errno   string `json:"errno,omitempty"` // what the call was answered
	// Layer is the wall that refused it, if one did.
	Layer LayerName `json:"layer,omitempty"`
	Why   string    `json:"why,omitempty"`
	// Grant, Opens, Setting and Never are a [Denial]'s.
	Grant   string `json:"grant,omitempty"`
	Opens   string `json:"opens,omitempty"`
	Setting string `json:"setting,omitempty"`
	Never   string `json:"never,omitempty"`
}

// whyTimeout is what the trying may take.
const whyTimeout = 10 * time.Second

// Why answers what a box of spec would say to an access, by making the box and
// trying it there: the process that would have become the program makes the calls,
// behind all the walls, and nothing of the program's runs. The question is an
// absolute path, the name of a system call, HOST:PORT with an address for HOST,
// unix:PATH or unix:@NAME. Nothing is changed, and nobody else notices: files are opened and closed
// again, system calls made with arguments that do no harm. Of named pipes, sockets and
// devices the opening itself is felt at their other end: the kernel is asked what their
// mode and mount let happen, and the ruleset by its text. A socket of a path is
// connected to by one of SOCK_SEQPACKET, which no listener of another type accepts.
//
// Errors are those of [Run], and Faults of the field "why".
func Why(ctx context.Context, spec Spec, what string) (Answer, error) {
	a := Answer{Schema: WhySchema, Question: what, Tier: max(spec.Tier, Tier1)}
	q, kind, err := parseQuestion(what)
	if err != nil {
		return a, err
	}
	a.Kind = kind
	spec.Limits.Timeout, spec.Timings, spec.Trace = whyTimeout, false, false
	ask := func() (*question, error) {
		q, _, err := parseQuestion(what)
		return q, err
	}
	if q.path != "" {
		special, err := specialAt(ctx, spec, q.path)
		if err != nil {
			return a, err
		}
		if special {
			ask = func() (*question, error) {
				q, _, err := withNumbers(specialQuestion(path.Clean(what)), kind)
				return q, err
			}
			if q, err = ask(); err != nil {
				return a, err
			}
		}
	}
	r, err := try1(ctx, spec, q)
	if err != nil {
		return a, err
	}
	// The same box with one wall less says which of the kernel's walls it was: it
	// runs nothing but these calls either.
	without := q
	if r.plan.handled.abi > 0 && slices.ContainsFunc(q.tries, func(t *try) bool { return t.result == -int32(unix.EACCES) || t.result == -int32(unix.EPERM) }) {
		walls := []ablation.Wall{ablation.Landlock}
		if spec.inPlace() { // whose keeper relies on it, or else holds the tree together by its group
			walls = append(walls, ablation.Scope)
		}
		if without, err = ask(); err == nil {
			_, err = try1(ablation.Without(ctx, walls...), spec, without)
		}
		if err != nil {
			without = nil
			a.Note = "which of the kernel's walls refused what is answered EACCES or EPERM could not be told, since a box without Landlock came to no answer: " + err.Error()
		}
	}
	r.explain(&a, q, without)
	return a, nil
}

// try1 makes a box that answers a question, and reads the results into it.
func try1(ctx context.Context, spec Spec, q *question) (*run, error) {
	r := newRun(ctx, spec)
	r.question = q
	defer r.close()
	err := r.prepare(IO{})
	if err == nil {
		err = r.carryOut(ctx, IO{})
	}
	res, err := r.finish(err)
	if err != nil {
		return nil, err
	}
	b := r.report.tried
	if uint64(len(b)) < r.plan.tried.size {
		return nil, &SetupError{Stage: StageSupervise, Operation: "try", Operand: string(res.Reason), Err: errors.New("the box ended before all was tried: " + res.Message),
			Remedy: "allow what the answer goes through: write and exit_group"}
	}
	for i, t := range q.tries {
		t.result = answered(binary.LittleEndian.Uint32(b[8+4*i:]))
		if t.fd != nil && t.fd.result >= 0 {
			t.values[0] = uint64(t.fd.result)
		}
	}
	return r, nil
}

// answered is a call's result of which the lower half is known. Only what lies next to 0 is
// an errno (MAX_ERRNO in include/linux/err.h): an address, as mmap's, is what it may be.
func answered(low uint32) int32 {
	const mostErrno = 4095
	if result := int32(low); result >= -mostErrno {
		return result
	}
	return 0
}

// parseQuestion says what is to be tried.
func parseQuestion(text string) (*question, string, error) {
	fault := func(want string) (*question, string, error) {
		return nil, "", Faults{{"why", text, want}}
	}
	if p, ok := strings.CutPrefix(text, "unix:"); ok {
		address, fits := unixAddress(p)
		abstract := strings.HasPrefix(p, "@")
		if !path.IsAbs(p) && !abstract || !fits {
			return fault("must be unix: and an absolute path, or @ and an abstract name, of at most 107 bytes")
		}
		q := connectQuestion(unix.AF_UNIX, "AF_UNIX", seqpacket, address, shellword.Shown(p))
		if q.abstract = abstract; !abstract {
			q.socket = path.Clean(p)
		}
		return withNumbers(q, "unix")
	}
	if path.IsAbs(text) {
		if strings.IndexByte(text, 0) >= 0 || len(text) >= unix.PathMax {
			return fault("must be a path of at most 4095 bytes without NUL")
		}
		return withNumbers(pathQuestion(path.Clean(text)), "path")
	}
	if _, ok := seccomp.Number(text); ok {
		return withNumbers(callQuestion(text), "syscall")
	}
	if ip, port, ok := parseAddress(text); ok {
		family, name, address := socketAddress(ip, port)
		q := connectQuestion(family, name, stream, address, text)
		q.far = !loopback(ip) && !unspecified(ip)
		return withNumbers(q, "address")
	}
	return fault("must be an absolute path, a system call as the kernel spells it, ADDRESS:PORT with a numeric address (no name is looked up), unix:PATH or unix:@NAME")
}

// withNumbers finds the calls' numbers.
func withNumbers(q *question, kind string) (*question, string, error) {
	for _, t := range q.tries {
		nr, ok := seccomp.Number(t.name)
		if !ok {
			return nil, "", Faults{{"why", t.name, "must be a system call of this architecture"}}
		}
		t.nr = nr
	}
	return q, kind, nil
}
