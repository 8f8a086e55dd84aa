package jail

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/seccomp"
	"golang.org/x/sys/unix"
)

// Bounds of what a Spec may ask for.
const (
	minMemory  = 4 << 20 // below this not even the loader of most programs runs
	minTmpSize = 4 << 10
	maxSize    = 1 << 47 // what one process can address on x86-64 with four-level page tables: no limit beyond it means anything
	minPids    = 2       // PID 1 and the program
	maxPids    = 4 << 20 // PID_MAX_LIMIT, proc(5)
	minNoFile  = 24      // what is open in a box before its program is
	maxNoFile  = 1 << 20
	minCPUs    = 0.01 // the smallest quota that the kernel takes: 1 ms in each period of 100 ms (Documentation/scheduler/sched-bwc.rst)
	maxCPUs    = 4096
	minTime    = time.Millisecond
	maxTime    = 8760 * time.Hour
	maxContent = 64 << 10
	maxArg     = 128 << 10 // MAX_ARG_STRLEN, execve(2)
)

// Validate checks everything that can be checked without looking at the host.
// It returns nil or Faults with every fault found.
func (s Spec) Validate() error {
	v := validator{}
	v.name(s)
	v.args(s)
	v.env(s.Env)
	v.view(s.View)
	v.limits(s.Limits.WithDefaults())
	v.oneOf("net", string(s.Net), "", string(NetNone), string(NetLoopback))
	v.oneOf("output_mode", string(s.OutputMode), "", string(OutputKill), string(OutputTruncate))
	v.seccomp(s.Seccomp)
	if s.Tier < 0 || s.Tier > Tier2 {
		v.fault("tier", strconv.Itoa(int(s.Tier)), "must be 1 or 2")
	}
	if s.inPlace() {
		v.faults = append(v.faults, s.inPlaceFaults()...)
	}
	for _, l := range s.Optional {
		if !slices.Contains(OptionalLayers, l) {
			v.fault("optional", string(l), fmt.Sprintf("must be one of %v: the other layers are what a box is", OptionalLayers))
		}
	}
	for _, r := range s.Require {
		if _, err := parseRequirement(r); err != nil {
			v.fault("require", r, err.Error())
		}
	}
	if len(v.faults) > 0 {
		return v.faults
	}
	return nil
}

type validator struct{ faults Faults }

func (v *validator) fault(field, value, want string) {
	v.faults = append(v.faults, Fault{field, value, want})
}

func (v *validator) oneOf(field, value string, accepted ...string) {
	if !slices.Contains(accepted, value) {
		v.fault(field, value, "must be one of "+strings.Join(accepted[1:], ", "))
	}
}

func (v *validator) noNUL(field, value string) {
	if strings.IndexByte(value, 0) >= 0 {
		v.fault(field, value, "must not hold a NUL byte")
	}
}

func (v *validator) name(s Spec) {
	ok := func(s string) bool {
		for _, c := range []byte(s) {
			if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.') {
				return false
			}
		}
		return len(s) <= 64
	}
	if !ok(s.Name) {
		v.fault("name", s.Name, "must be at most 64 letters, digits, '.', '_' and '-'")
	}
	if !ok(s.Hostname) {
		v.fault("hostname", s.Hostname, "must be at most 64 letters, digits, '.', '_' and '-'")
	}
	v.noNUL("cgroup_parent", s.CgroupParent)
	if s.Dir != "" && !path.IsAbs(s.Dir) {
		v.fault("dir", s.Dir, "must be an absolute path inside the box")
	}
	v.noNUL("dir", s.Dir)
}

func (v *validator) args(s Spec) {
	if len(s.Args) == 0 || s.Args[0] == "" {
		v.fault("args", strings.Join(s.Args, " "), "must name the program to run")
	}
	for i, a := range s.Args {
		if strings.IndexByte(a, 0) >= 0 {
			v.fault("args["+strconv.Itoa(i)+"]", a, "must not hold a NUL byte")
		}
		v.length("args", i, a)
	}
	for i, e := range s.Env {
		v.length("env", i, e)
	}
	v.faults = append(v.faults, s.tooMuch()...)
}

// length checks one argument or variable.
func (v *validator) length(list string, i int, text string) {
	if len(text) >= maxArg {
		v.fault(list+"["+strconv.Itoa(i)+"]", text[:32]+"…", fmt.Sprintf("must be shorter than %d bytes (the kernel's MAX_ARG_STRLEN), and has %d", maxArg, len(text)))
	}
}

func (v *validator) env(env []string) {
	for i, e := range env {
		fault := func(value, want string) { v.fault("env["+strconv.Itoa(i)+"]", value, want) }
		key, _, ok := strings.Cut(e, "=")
		if !ok || key == "" {
			fault(e, "must be KEY=VALUE")
			continue
		}
		if strings.IndexByte(e, 0) >= 0 {
			fault(e, "must not hold a NUL byte")
		}
	}
	for _, i := range duplicates(env) {
		key, _, _ := strings.Cut(env[i], "=")
		v.fault("env["+strconv.Itoa(i)+"]", key, "must not be set twice")
	}
}

// duplicates are the indices of those entries of env whose key an earlier one
// has.
func duplicates(env []string) (again []int) {
	keys := make(map[string]bool, len(env))
	for i, e := range env {
		if key, _, ok := strings.Cut(e, "="); ok && key != "" {
			if keys[key] {
				again = append(again, i)
			}
			keys[key] = true
		}
	}
	return again
}

func (v *validator) limits(l Limits) {
	check := func(field, value string, ok bool) {
		if field = "limits." + field; !ok {
			v.fault(field, value, "must be "+LimitRange(field))
		}
	}
	number := func(field string, value, low, high int64) {
		check(field, strconv.FormatInt(value, 10), value >= low && value <= high)
	}
	number("memory", l.Memory, minMemory, maxSize)
	number("pids", l.Pids, minPids, maxPids)
	if l.Output != Unlimited {
		number("output", l.Output, 1, maxSize)
	}
	number("tmp_size", l.TmpSize, minTmpSize, maxSize)
	number("nofile", l.NoFile, minNoFile, maxNoFile)
	number("file_size", l.FileSize, 1, maxSize)
	timeOK := l.Timeout >= minTime && l.Timeout <= maxTime
	cpusOK := l.CPUs >= minCPUs && l.CPUs <= maxCPUs
	check("timeout", l.Timeout.String(), timeOK)
	check("idle_timeout", l.IdleTimeout.String(), l.IdleTimeout == 0 || l.IdleTimeout >= minTime && l.IdleTimeout <= maxTime)
	if timeOK && cpusOK || l.CPUTime != l.wholeTime() { // else it follows from what is wrong itself
		check("cpu_time", l.CPUTime.String(), l.CPUTime >= minTime && l.CPUTime <= maxTime)
	}
	check("cpus", strconv.FormatFloat(l.CPUs, 'g', -1, 64), cpusOK)
}

func (v *validator) seccomp(s Seccomp) {
	if _, err := seccomp.Builtin(policyName(s)); err != nil {
		v.fault("seccomp.policy", s.Policy, err.Error())
	}
	for field, names := range map[string][]string{"seccomp.allow": s.Allow, "seccomp.deny": s.Deny} {
		for _, n := range names {
			if _, ok := seccomp.Number(n); !ok {
				v.fault(field, n, "must be the name of a system call of this architecture")
			}
		}
	}
	// The program has to be able to start, and its first failure to be told.
	for _, n := range s.Deny {
		if slices.Contains([]string{"execve", "write", "read", "openat", "readlinkat", "exit_group"}, n) {
			v.fault("seccomp.deny", n, "must leave what is needed to start the program")
		}
	}
}

func policyName(s Seccomp) string {
	if s.Policy == "" {
		return "default"
	}
	return s.Policy
}

// rlimitNames has no name for what a box has no limit of. It is no map, which each
// start of the program would make.
var rlimitNames = [...]string{
	unix.RLIMIT_NOFILE: "RLIMIT_NOFILE", unix.RLIMIT_FSIZE: "RLIMIT_FSIZE", unix.RLIMIT_CORE: "RLIMIT_CORE",
	unix.RLIMIT_STACK: "RLIMIT_STACK", unix.RLIMIT_MEMLOCK: "RLIMIT_MEMLOCK", unix.RLIMIT_CPU: "RLIMIT_CPU",
	unix.RLIMIT_SIGPENDING: "RLIMIT_SIGPENDING", unix.RLIMIT_MSGQUEUE: "RLIMIT_MSGQUEUE",
	unix.RLIMIT_DATA: "RLIMIT_DATA", unix.RLIMIT_NPROC: "RLIMIT_NPROC",
}
