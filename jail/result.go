package jail

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Schema is the version of the record that this package writes.
const Schema = "jail/1"

// A Result is the record of one run: one for every run, refusals included.
// Its JSON form is the public contract; the schema is in schema.json.
type Result struct {
	Schema string `json:"schema"`
	ID     string `json:"id"`
	Name   string `json:"name,omitempty"`
	// Tier is the tier that was asked for; what it has no wall for stands in
	// Layers as not applied.
	Tier     Tier     `json:"tier"`
	Reason   Reason   `json:"reason"`
	OK       bool     `json:"ok"`
	ExitCode *int     `json:"exit_code"`
	Signal   *string  `json:"signal"`
	Message  string   `json:"message"`
	Hint     string   `json:"hint,omitempty"`
	Refusal  *Refusal `json:"refusal,omitempty"`
	Stdout   Output   `json:"stdout"`
	Stderr   Output   `json:"stderr"`
	Usage    Usage    `json:"usage"`
	Limits   InForce  `json:"limits"`
	Layers   []Layer  `json:"layers"`
	Denials  []Denial `json:"denials"`
	// Observed says what Denials can hold; nil if no program was started.
	Observed  *Observation `json:"observed,omitempty"`
	TreeEmpty bool         `json:"tree_empty"`
	KillMS    int64        `json:"kill_ms"`
	Profile   *ProfileRef  `json:"profile,omitempty"`
	// Warm says that the box stood ready before it was asked for (Pool).
	Warm      bool      `json:"warm,omitempty"`
	StartedAt time.Time `json:"started_at"`
	// Used is what a program whose Spec has Trace used of the box, for those who learn
	// a profile from it. It can be long and is no part of the record.
	Used *Used `json:"-"`
	// Timings is how long each stage took, if Spec.Timings asked for it.
	Timings []Timing `json:"timings,omitempty"`
	// Value is the JSON that a source of package runner answered with; Error is
	// what it threw instead.
	Value json.RawMessage `json:"value,omitempty"`
	Error *Thrown         `json:"error,omitempty"`

	// command are the arguments, in which a source may be.
	command string
	// elsewhere is the hint for what IO.Words told of, see Heed.
	elsewhere string
}

// Reason is why a run ended: a closed set. The first cause wins, and it is
// recorded before anything is killed; it is never guessed from a signal alone.
// ReasonSyscallDenied stands for one, SIGSYS, and for no more than that: nothing that
// every host has tells a foreign call that the filter ended from a program that sent the
// signal.
type Reason string

const (
	ReasonOK              Reason = "ok"               // exit code 0
	ReasonExecutionFailed Reason = "execution_failed" // another exit code
	ReasonSignaled        Reason = "signaled"         // ended by a signal of its own making
	ReasonTimeout         Reason = "timeout"          // Limits.Timeout was over, or Limits.IdleTimeout
	ReasonCPUTime         Reason = "cpu_time"         // Limits.CPUTime was used up
	ReasonOutputTooLarge  Reason = "output_too_large" // Limits.Output was exceeded
	ReasonOutOfMemory     Reason = "out_of_memory"    // the kernel's OOM counter of the box's cgroup rose, or V8 said that its heap, or that of a worker, is full
	ReasonPidsLimit       Reason = "pids_limit"       // the program failed, and forks had been refused by pids.max
	ReasonDiskFull        Reason = "disk_full"        // the program failed, and its tmpfs was full
	ReasonSyscallDenied   Reason = "syscall_denied"   // ended by SIGSYS in a box with a filter, which sends it for foreign calls
	ReasonCanceled        Reason = "canceled"         // the caller ended it
	ReasonSetupRefused    Reason = "setup_refused"    // a layer or limit could not be enforced; nothing ran
	ReasonExecFailed      Reason = "exec_failed"      // the program was not found or is not executable
	ReasonInvalidOutput   Reason = "invalid_output"   // no value, or none that is JSON (package runner)
	ReasonInternalError   Reason = "internal_error"   // jail itself failed
)

// A Refusal says why nothing ran.
type Refusal struct {
	// Layer that could not be enforced, or empty.
	Layer LayerName `json:"layer,omitempty"`
	// Stage is the step of the set-up that failed.
	Stage Stage `json:"stage"`
	// Operation is the system call or check that failed.
	Operation string `json:"operation,omitempty"`
	// Operand is what it was applied to, such as a path.
	Operand string `json:"operand,omitempty"`
	// Errno is the kernel's answer by name, such as "EPERM"; ErrnoNumber is
	// the same as a number. Both are empty where no system call failed.
	Errno       string `json:"errno,omitempty"`
	ErrnoNumber int    `json:"errno_number,omitempty"`
	// Remedy says what to do about it.
	Remedy string `json:"remedy,omitempty"`
}

// Output is what a program wrote to one stream.
type Output struct {
	// Text is what was captured: UTF-8, or base64 when Encoding says so.
	// Empty when the output was streamed through.
	Text string `json:"text"`
	// Encoding is "" for UTF-8 text and "base64" for anything else, which
	// includes what is mostly control characters.
	Encoding string `json:"encoding,omitempty"`
	// Tail is what was written last, where the middle was left out
	// (OutputTruncate). Encoding is Text's.
	Tail string `json:"tail,omitempty"`
	// Bytes is how many bytes the program wrote, kept or not.
	Bytes int64 `json:"bytes"`
	// Truncated says that Text holds fewer bytes than were written.
	Truncated bool `json:"truncated"`
}

// Usage is what a run cost. Fields that no source could fill are absent from
// the record (null), never zero.
type Usage struct {
	WallMS          int64  `json:"wall_ms"`
	CPUUserMS       *int64 `json:"cpu_user_ms"`
	CPUSystemMS     *int64 `json:"cpu_system_ms"`
	MemoryPeakBytes *int64 `json:"memory_peak_bytes"`
	PidsPeak        *int64 `json:"pids_peak"`
	IOReadBytes     *int64 `json:"io_read_bytes"`
	IOWriteBytes    *int64 `json:"io_write_bytes"`
	OOMKills        *int64 `json:"oom_kills"`
	CPUThrottledMS  *int64 `json:"cpu_throttled_ms"`
}

// InForce is the limits that were in force, in the record's units; in a
// refusal those that were asked for. Without a cgroup, which only a Spec that
// calls it optional runs without, the limits of the whole tree are null.
type InForce struct {
	TimeoutMS int64 `json:"timeout_ms"`
	// IdleTimeoutMS is absent where there was no such limit.
	IdleTimeoutMS int64    `json:"idle_timeout_ms,omitempty"`
	CPUTimeMS     *int64   `json:"cpu_time_ms"`
	MemoryBytes   *int64   `json:"memory_bytes"`
	CPUs          *float64 `json:"cpus"`
	Pids          *int64   `json:"pids"`
	// OutputBytes is null where the output had no limit.
	OutputBytes   *int64 `json:"output_bytes"`
	TmpBytes      int64  `json:"tmp_bytes"`
	NoFile        int64  `json:"nofile"`
	FileSizeBytes int64  `json:"file_size_bytes"`
}

// LayerName is one of the layers of a box.
type LayerName string

const (
	LayerNamespaces LayerName = "namespaces"
	LayerRoot       LayerName = "root"
	LayerCaps       LayerName = "capabilities"
	LayerLandlock   LayerName = "landlock"
	LayerSeccomp    LayerName = "seccomp"
	LayerCgroup     LayerName = "cgroup"
	LayerRlimits    LayerName = "rlimits"
)

// OptionalLayers are the layers that a Spec may name in Optional. The others
// are what a box is.
var OptionalLayers = []LayerName{LayerLandlock, LayerSeccomp, LayerCgroup}

// A Layer is one layer's receipt.
type Layer struct {
	Name    LayerName `json:"name"`
	Asked   bool      `json:"asked"`
	Applied bool      `json:"applied"`
	// Mechanism is what enforces it, such as "abi 7", "cgroup1".
	Mechanism string `json:"mechanism,omitempty"`
	// Evidence is what the kernel itself says about the process that became
	// the program, read just before it did.
	Evidence string `json:"evidence,omitempty"`
	// Changed is what the Spec opens or closes in the layer beyond its defaults,
	// as the flags that say so, such as "--allow-syscall ptrace".
	Changed []string `json:"changed,omitempty"`
	// Note says what is weaker than asked, and why.
	Note string `json:"note,omitempty"`
}

// A Denial is something that a wall refused. What is told apart by What is
// bounded: the last of many may stand for all further ones.
type Denial struct {
	Layer LayerName `json:"layer"`
	// What was refused, such as "socket(AF_INET, SOCK_STREAM)". The strings in it
	// are the program's, read from its memory and made printable.
	What  string `json:"what"`
	Count int64  `json:"count"`
	// Errno is what the program was told, such as "EPERM".
	Errno string `json:"errno,omitempty"`
	// Grant is the flags that would allow it beside those that were given, or in the
	// place of those that it names behind "in place of"; or empty: then Never says why.
	Grant string `json:"grant"`
	// Opens is what Grant opens besides, if that is more than it says.
	Opens string `json:"opens,omitempty"`
	// Setting is Grant as a line of a profile.
	Setting string `json:"setting,omitempty"`
	// Never is why no flag is named that allows it: none does, or it begins with "not
	// hinted" and one does for whoever means it.
	Never string `json:"never,omitempty"`
	// Source is who saw it.
	Source string `json:"source,omitempty"`
	// Likely says that the run failed and that programs which are refused this
	// mostly fail: the record's message names the first of the most likely.
	Likely bool `json:"likely,omitempty"`

	common bool // see Sought
}

// Sought says that many programs look for what was refused, and do without it. One that
// failed and names it did not.
func (d Denial) Sought() bool { return d.common && !d.Likely }

// LooksUp says that it is what libc looks names of users and hosts up with, before it does
// so without: to have it allowed finds nobody.
func (d Denial) LooksUp() bool { return suspect(d) == lookup }

// Telling are the denials that whoever is told how the run ended is told of: not what
// programs are refused at each start and do without, unless the hint is of it.
func (res Result) Telling() []Denial {
	return slices.DeleteFunc(slices.Clone(res.Denials), func(d Denial) bool {
		return d.Sought() || d.LooksUp() && !strings.Contains(res.Hint, d.What)
	})
}

// Observation is by what means denials were seen, and what is not seen by them.
type Observation struct {
	// Sources are the means: Denial.Source is one of them.
	Sources []string `json:"sources"`
	// Blind is what is refused without a Denial.
	Blind []string `json:"blind"`
}

// ExitStatus is the exit status with which `jail run` answers for r: the
// program's own where it had one, else a number by convention. Reason is the
// authority; this is a convenience.
func (r Result) ExitStatus() int {
	switch r.Reason {
	case ReasonTimeout, ReasonCPUTime:
		return 124
	case ReasonOutputTooLarge:
		return 153
	case ReasonInvalidOutput:
		return 65 // EX_DATAERR, sysexits.h
	case ReasonOutOfMemory:
		return 137
	case ReasonSetupRefused, ReasonInternalError:
		return 125
	case ReasonExecFailed:
		if r.Refusal != nil && r.Refusal.Errno == "ENOENT" {
			return 127
		}
		return 126
	}
	if r.ExitCode != nil {
		return *r.ExitCode
	}
	if r.Signal != nil {
		return 128 + signalNumber(*r.Signal)
	}
	return 125
}
