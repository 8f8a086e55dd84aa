package jail

import "time"

// A Spec describes one box completely. It is plain data: nothing in it is
// changed after [Spec.Validate], and everything the box may see, use or reach
// is listed in it. The zero value grants nothing.
//
// Specs are usually made by package profiles and then adjusted; a Spec
// literal works just as well.
type Spec struct {
	// Tier is which walls the box is made of. The zero value is Tier1.
	Tier Tier
	// Name labels the run in the record and in its cgroup's name. Letters,
	// digits, '.', '_' and '-', at most 64 bytes; empty is fine.
	Name string
	// Args is the program and its arguments. Args[0] is looked up in the
	// box's PATH when it holds no slash. Required.
	Args []string
	// Env is the whole environment of the program, as "KEY=VALUE". Nothing of
	// the caller's environment is added.
	Env []string
	// Dir is the working directory inside the box. Empty means /tmp.
	Dir string
	// Hostname inside the box. Empty means "jail".
	Hostname string
	// View lists what exists in the box besides /proc, /dev and /tmp.
	View []Mount
	// Net says how much of a network the box has. The zero value is NetNone.
	Net Net
	// Unix allows AF_UNIX sockets with a name (bind, connect). From Landlock
	// ABI 9 on they are allowed in tier 1 anyway, because the kernel then keeps
	// them inside the box; below it they are refused unless this is set, because a
	// socket file in a granted tree could be connected to. In tier 2 it can be set
	// from ABI 9 on, and opens the host's abstract names of sockets to be taken.
	Unix bool
	// Seccomp is the system-call policy.
	Seccomp Seccomp
	// Limits caps the run. A zero field means the default of DefaultLimits.
	Limits Limits
	// OutputMode says what happens past Limits.Output. Zero is OutputKill.
	OutputMode OutputMode
	// CgroupParent is the cgroup below which the box's own group is made: a
	// path relative to the cgroup mount. Empty means the caller's own group.
	CgroupParent string
	// Optional names layers that may be missing on this host. A layer that is
	// neither optional nor enforceable is a refusal. See OptionalLayers.
	Optional []LayerName
	// Require lists minimum demands on the host: "landlock>=6" (an ABI),
	// "kernel>=6.1" (a release), or "cgroup>=2" (the version of the control groups
	// that cap the box, which it then does not go without either).
	Require []string
	// Timings has the record say how long each stage of the run took, which
	// costs some 25 system calls.
	Timings bool
	// Trace has the record say, too, which files the program was refused or missed:
	// the supervisor hears of each call that takes a path and looks at it beside the
	// program, which slows such calls down several times. It decides nothing. A signal
	// can interrupt such a call before it has been heard of. See
	// Result.Used for what it was not refused. A host on which it can't be had is a
	// refusal, and so is a [Pool].
	Trace bool
	// Profile says where the Spec came from, for the record only.
	Profile *ProfileRef
}

// Tier is which walls a box is made of. The weaker one is only ever taken when
// the caller says so.
type Tier int

const (
	// Tier1 is all walls: namespaces and a root of the box's own among them. The
	// zero value means the same.
	Tier1 Tier = 1
	// Tier2 is for hosts that forbid user namespaces, such as the inside of most
	// containers. The program stays in the caller's namespaces and sees its file
	// tree, in which Landlock opens what was granted. See the package's
	// documentation for what is missing.
	Tier2 Tier = 2
)

// A Mount is one thing that exists in the box's file tree.
//
// One may lie in another. A MountTmpfs within a MountRO or MountRW, and a MountRO within a
// MountRW, is a hole in that: it is a fault if another Mount shows what the hole covers,
// at another place in the box, with more rights than the hole leaves.
type Mount struct {
	Kind MountKind `json:"kind"`
	// Source is an absolute host path (MountSystem, MountRO, MountRW), or the
	// text of the link (MountLink).
	Source string `json:"source,omitempty"`
	// Target is the absolute, clean path inside the box.
	Target string `json:"target"`
	// Size is the capacity of a MountTmpfs in bytes; 0 means Limits.TmpSize.
	Size int64 `json:"size,omitempty"`
	// Content is what a MountFile holds (at most 64 KiB).
	Content string `json:"content,omitempty"`
}

// MountKind is how a Mount comes to be.
type MountKind string

const (
	// MountSystem is a part of the operating system or of an interpreter,
	// read-only. It is left out when the host does not have it, and when the
	// host's path is itself a symbolic link (such as /bin on merged-usr
	// hosts) the same link is made in the box.
	MountSystem MountKind = "system"
	// MountRO is a caller's file or folder, read-only. It must exist.
	MountRO MountKind = "ro"
	// MountRW is a caller's file or folder, writable. It must exist. Files
	// made in it belong, on the host, to the owner of the granted folder.
	MountRW MountKind = "rw"
	// MountTmpfs is an empty private folder in memory.
	MountTmpfs MountKind = "tmpfs"
	// MountLink is a symbolic link.
	MountLink MountKind = "link"
	// MountFile is a small read-only file with the given content.
	MountFile MountKind = "file"
)

// Net is how much of a network a box has.
type Net string

const (
	// NetNone: a network namespace of its own with nothing up in it, and no
	// INET sockets. The zero value "" means the same.
	NetNone Net = "none"
	// NetLoopback: the same, but its private 127.0.0.1 and ::1 are up and
	// INET sockets are allowed. Nothing outside the box is reachable.
	NetLoopback Net = "loopback"
)

// OutputMode says what happens when a program writes more than its cap.
type OutputMode string

const (
	// OutputKill ends the box (reason output_too_large). The zero value ""
	// means the same.
	OutputKill OutputMode = "kill"
	// OutputTruncate lets the program go on: what it writes past the cap is
	// read, counted and thrown away; the record keeps the head and the tail.
	OutputTruncate OutputMode = "truncate"
)

// Seccomp is a system-call policy: one of the built-in allow-lists, with
// single calls added or taken away.
type Seccomp struct {
	// Policy is the name of a built-in policy of package seccomp. Empty means
	// "default".
	Policy string
	// Allow and Deny name single system calls, as the kernel spells them,
	// that this box may or may not use on top of Policy. Deny wins. A denied
	// call fails with EPERM.
	Allow, Deny []string
}

// Limits caps one run. Sizes are bytes, counts are counts. Zero means the
// default; see DefaultLimits.
type Limits struct {
	// Timeout is wall-clock time, on the monotonic clock, from the start of
	// the program's set-up.
	Timeout time.Duration
	// CPUTime is user + system time over the whole tree. Zero means
	// Timeout × CPUs.
	CPUTime time.Duration
	// Memory is what the whole tree may use, tmpfs pages and page cache
	// included; swap is off.
	Memory int64
	// CPUs is the share of processors, such as 0.5 or 2.
	CPUs float64
	// Pids is how many processes and threads may exist at once, the box's own
	// PID 1 included.
	Pids int64
	// IdleTimeout is how long nothing may go in by stdin or come out by stdout and
	// stderr; zero is as long as it likes.
	IdleTimeout time.Duration
	// Output is how many bytes stdout and stderr may carry together, or Unlimited:
	// then they must be streamed ([IO]).
	Output int64
	// TmpSize is the capacity of /tmp, and of /dev/shm, each.
	TmpSize int64
	// NoFile is RLIMIT_NOFILE: the highest descriptor number + 1.
	NoFile int64
	// FileSize is RLIMIT_FSIZE: the size to which one file may grow.
	FileSize int64
}

// Unlimited is the Limits.Output of a program whose output has no end.
const Unlimited = -1

// DefaultLimits is what a zero field of Limits means.
func DefaultLimits() Limits {
	return Limits{
		Timeout:  30 * time.Second,
		Memory:   512 << 20,
		CPUs:     1,
		Pids:     128,
		Output:   1 << 20,
		TmpSize:  64 << 20,
		NoFile:   1024,
		FileSize: 1 << 30,
	}
}

// WithDefaults returns l with every zero field replaced by its default.
func (l Limits) WithDefaults() Limits {
	d := DefaultLimits()
	set := func(v *int64, def int64) {
		if *v == 0 {
			*v = def
		}
	}
	if l.Timeout == 0 {
		l.Timeout = d.Timeout
	}
	if l.CPUs == 0 {
		l.CPUs = d.CPUs
	}
	if l.CPUTime == 0 {
		l.CPUTime = l.wholeTime()
	}
	set(&l.Memory, d.Memory)
	set(&l.Pids, d.Pids)
	set(&l.Output, d.Output)
	set(&l.TmpSize, d.TmpSize)
	set(&l.NoFile, d.NoFile)
	set(&l.FileSize, d.FileSize)
	return l
}

// wholeTime is the processor time that there is before the timeout.
func (l Limits) wholeTime() time.Duration { return time.Duration(float64(l.Timeout) * l.CPUs) }
