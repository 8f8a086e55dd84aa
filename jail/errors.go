package jail

import (
	"errors"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/shellword"
)

// Stage is one part of a box's set-up, in the order in which they run. A
// failure anywhere names its stage.
type Stage string

const (
	StageValidate  Stage = "validate"  // the Spec itself
	StageResolve   Stage = "resolve"   // what the Spec names, looked up on the host
	StageProbe     Stage = "probe"     // what this kernel can do
	StageCgroup    Stage = "cgroup"    // the group, its limits, entering it
	StageGrants    Stage = "grants"    // host trees opened for the box
	StageClone     Stage = "clone"     // PID 1 in new namespaces
	StageIDMap     Stage = "id_map"    // uid and gid maps
	StageIdentity  Stage = "identity"  // uid, gid, groups, host name
	StageLifeline  Stage = "lifeline"  // ends with the supervisor
	StageNet       Stage = "net"       // loopback
	StageMounts    Stage = "mounts"    // the new root and what is in it
	StagePivot     Stage = "pivot"     // into the new root, the old one away
	StageCaps      Stage = "caps"      // no capabilities, no_new_privs
	StageReaper    Stage = "reaper"    // PID 1 locks itself down
	StageSession   Stage = "session"   // session, signals, terminal, stdio
	StageRlimits   Stage = "rlimits"   // per-process limits
	StageLandlock  Stage = "landlock"  // ruleset, canary
	StageSeccomp   Stage = "seccomp"   // filter
	StageEvidence  Stage = "evidence"  // the kernel's word on all of it
	StageExec      Stage = "exec"      // the program itself
	StageSupervise Stage = "supervise" // watching it
)

// A SetupError is a failure to set up a box. It crosses the border from inside
// the box as stage, operand and errno, so errors.Is(err, unix.EPERM) works.
type SetupError struct {
	Stage     Stage
	Layer     LayerName // the layer that is missing because of it, or ""
	Operation string    // system call or check
	Operand   string    // what it was applied to
	Err       error     // usually a syscall.Errno
	Remedy    string    // what to do about it, or ""
}

func (e *SetupError) Error() string {
	var b strings.Builder
	b.WriteString("jail: ")
	b.WriteString(string(e.Stage))
	if e.Operation != "" {
		b.WriteString(": " + e.Operation)
	}
	if e.Operand != "" {
		b.WriteString(" " + shellword.Text(e.Operand))
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

func (e *SetupError) Unwrap() error { return e.Err }

// refusal is e as the record shows it.
func (e *SetupError) refusal() *Refusal {
	r := &Refusal{Layer: e.Layer, Stage: e.Stage, Operation: e.Operation, Operand: e.Operand, Remedy: e.Remedy}
	var errno syscall.Errno
	if errors.As(e.Err, &errno) {
		r.Errno, r.ErrnoNumber = unix.ErrnoName(errno), int(errno)
	}
	return r
}

// Faults is every fault of a Spec, found before anything was created.
type Faults []Fault

// A Fault is one thing wrong with a Spec: the field, its value, and what is
// accepted.
type Fault struct {
	Field string // such as "limits.memory" or "view[2].source"
	Value string
	Want  string // what is accepted
}

func (f Fault) String() string {
	return f.Field + ": " + shellword.Text(f.Value) + ": " + f.Want
}

func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.String()
	}
	return "jail: " + strings.Join(lines, "\njail: ")
}

func errnoName(n int32) string { return unix.ErrnoName(syscall.Errno(n)) }

func signalNumber(name string) int { return int(unix.SignalNum(name)) }
