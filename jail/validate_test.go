package jail

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Each case is one change to a Spec without faults, and the one fault that it
// is: the field, and a part of what is accepted.
func TestValidate(t *testing.T) {
	long := strings.Repeat("x", 65)
	view := func(m Mount) func(*Spec) { return func(s *Spec) { s.View = []Mount{m} } }
	limit := func(f func(*Limits)) func(*Spec) { return func(s *Spec) { f(&s.Limits) } }
	for _, c := range []struct {
		change       func(*Spec)
		field, value string
		want         string
	}{
		{func(s *Spec) { s.Name = "a b" }, "name", "a b", "at most 64 letters"},
		{func(s *Spec) { s.Name = long }, "name", long, "at most 64 letters"},
		{func(s *Spec) { s.Name = "../x" }, "name", "../x", "at most 64 letters"},
		{func(s *Spec) { s.Hostname = "héllo" }, "hostname", "héllo", "at most 64 letters"},
		{func(s *Spec) { s.CgroupParent = "a\x00b" }, "cgroup_parent", "a\x00b", "NUL"},
		{func(s *Spec) { s.Dir = "tmp" }, "dir", "tmp", "absolute path inside the box"},
		{func(s *Spec) { s.Dir = "/t\x00" }, "dir", "/t\x00", "NUL"},

		{func(s *Spec) { s.Args = nil }, "args", "", "must name the program"},
		{func(s *Spec) { s.Args = []string{"", "x"} }, "args", " x", "must name the program"},
		{func(s *Spec) { s.Args = []string{"sh", "a\x00b"} }, "args[1]", "a\x00b", "NUL"},
		{func(s *Spec) { s.Args = []string{"sh", strings.Repeat("y", maxArg)} }, "args[1]", strings.Repeat("y", 32) + "…", "shorter than 131072 bytes"},
		{func(s *Spec) { s.Env = []string{"BIG=" + strings.Repeat("z", maxArg)} }, "env[0]", "BIG=" + strings.Repeat("z", 28) + "…", "shorter than 131072 bytes"},
		{func(s *Spec) { s.Args = append(s.Args, slices.Repeat([]string{strings.Repeat("y", maxArg-1)}, 60)...) }, "args", "7864811 bytes", "together must not exceed 2093056"},

		{func(s *Spec) { s.Env = []string{"NOVALUE"} }, "env[0]", "NOVALUE", "KEY=VALUE"},
		{func(s *Spec) { s.Env = []string{"A=1", "=x"} }, "env[1]", "=x", "KEY=VALUE"},
		{func(s *Spec) { s.Env = []string{"A=1", "B=2", "A=3"} }, "env[2]", "A", "twice"},
		{func(s *Spec) { s.Env = []string{"A=\x00"} }, "env[0]", "A=\x00", "NUL"},

		{view(Mount{Kind: "bind", Source: "/usr", Target: "/usr"}), "view[0].kind", "bind", "one of system, ro, rw, tmpfs, link, file"},
		{view(Mount{Source: "/usr", Target: "/usr"}), "view[0].kind", "", "one of system, ro, rw, tmpfs, link, file"},
		{view(Mount{Kind: MountRO, Source: "usr", Target: "/usr"}), "view[0].source", "usr", "absolute path"},
		{view(Mount{Kind: MountRO, Source: "/u\x00", Target: "/usr"}), "view[0].source", "/u\x00", "NUL"},
		{view(Mount{Kind: MountLink, Target: "/l"}), "view[0].source", "", "text of a link"},
		{view(Mount{Kind: MountTmpfs, Target: ""}), "view[0].target", "", "absolute path without"},
		{view(Mount{Kind: MountTmpfs, Target: "work"}), "view[0].target", "work", "absolute path without"},
		{view(Mount{Kind: MountTmpfs, Target: "/"}), "view[0].target", "/", "not /"},
		{view(Mount{Kind: MountTmpfs, Target: "/a/../b"}), "view[0].target", "/a/../b", "without . or .."},
		{view(Mount{Kind: MountTmpfs, Target: "/a/"}), "view[0].target", "/a/", "without . or .."},
		{view(Mount{Kind: MountTmpfs, Target: "/a\x00"}), "view[0].target", "/a\x00", "NUL"},
		{view(Mount{Kind: MountTmpfs, Target: "/proc"}), "view[0].target", "/proc", "must not lie below /proc"},
		{view(Mount{Kind: MountTmpfs, Target: "/proc/self"}), "view[0].target", "/proc/self", "must not lie below /proc"},
		{view(Mount{Kind: MountTmpfs, Target: "/dev/pts"}), "view[0].target", "/dev/pts", "must not lie below /dev"},
		{view(Mount{Kind: MountTmpfs, Target: "/t", Size: -1}), "view[0].size", "-1", "from 4096 to"},
		{view(Mount{Kind: MountTmpfs, Target: "/t", Size: 4095}), "view[0].size", "4095", "from 4096 to"},
		{view(Mount{Kind: MountTmpfs, Target: "/t", Size: maxSize + 1}), "view[0].size", fmt.Sprint(maxSize + 1), "from 4096 to"},
		{view(Mount{Kind: MountFile, Target: "/f", Content: strings.Repeat("x", maxContent+1)}), "view[0].content", "65537 bytes", "at most 65536"},

		{limit(func(l *Limits) { l.Memory = -1 }), "limits.memory", "-1", "from 4194304 to"},
		{limit(func(l *Limits) { l.Memory = 1 }), "limits.memory", "1", "from 4194304 to"},
		{limit(func(l *Limits) { l.Memory = math.MaxInt64 }), "limits.memory", fmt.Sprint(math.MaxInt64), "from 4194304 to"},
		{limit(func(l *Limits) { l.Pids = 1 }), "limits.pids", "1", "from 2 to 4194304"},
		{limit(func(l *Limits) { l.Output = -5 }), "limits.output", "-5", "from 1 to"},
		{limit(func(l *Limits) { l.TmpSize = 1 }), "limits.tmp_size", "1", "from 4096 to"},
		{limit(func(l *Limits) { l.NoFile = 23 }), "limits.nofile", "23", "from 24 to 1048576"},
		{limit(func(l *Limits) { l.FileSize = -1 }), "limits.file_size", "-1", "from 1 to"},
		{limit(func(l *Limits) { l.Timeout, l.CPUTime = -time.Second, time.Second }), "limits.timeout", "-1s", "from 1ms to 8760h"},
		{limit(func(l *Limits) { l.Timeout, l.CPUTime = 367*24*time.Hour, time.Second }), "limits.timeout", "8808h0m0s", "from 1ms to 8760h"},
		{limit(func(l *Limits) { l.Timeout = time.Nanosecond }), "limits.timeout", "1ns", "from 1ms to 8760h"},
		{limit(func(l *Limits) { l.CPUs = -1 }), "limits.cpus", "-1", "from 0.01 to 4096"},
		{limit(func(l *Limits) { l.CPUTime = time.Microsecond }), "limits.cpu_time", "1µs", "from 1ms to"},
		{limit(func(l *Limits) { l.CPUs, l.CPUTime = -1, time.Second }), "limits.cpus", "-1", "from 0.01 to 4096"},
		{limit(func(l *Limits) { l.CPUs, l.CPUTime = math.NaN(), time.Second }), "limits.cpus", "NaN", "from 0.01 to 4096"},
		{limit(func(l *Limits) { l.CPUs, l.CPUTime = math.Inf(1), time.Second }), "limits.cpus", "+Inf", "from 0.01 to 4096"},

		{func(s *Spec) { s.Net = "host" }, "net", "host", "one of none, loopback"},
		{func(s *Spec) { s.OutputMode = "drop" }, "output_mode", "drop", "one of kill, truncate"},
		{func(s *Spec) { s.Seccomp.Policy = "docker" }, "seccomp.policy", "docker", "default"},
		{func(s *Spec) { s.Seccomp.Allow = []string{"opne"} }, "seccomp.allow", "opne", "name of a system call"},
		{func(s *Spec) { s.Seccomp.Deny = []string{"49"} }, "seccomp.deny", "49", "name of a system call"},
		{func(s *Spec) { s.Seccomp.Deny = []string{"execve"} }, "seccomp.deny", "execve", "needed to start the program"},
		{func(s *Spec) { s.Optional = []LayerName{LayerRoot} }, "optional", "root", "one of [landlock seccomp cgroup]"},
		{func(s *Spec) { s.Optional = []LayerName{"walls"} }, "optional", "walls", "one of [landlock seccomp cgroup]"},
		{func(s *Spec) { s.Require = []string{"landlock>6"} }, "require", "landlock>6", "landlock>=N"},
		{func(s *Spec) { s.Require = []string{"landlock>=0"} }, "require", "landlock>=0", "landlock>=N"},
		{func(s *Spec) { s.Require = []string{"kernel>=6"} }, "require", "kernel>=6", "kernel>=X.Y"},
		{func(s *Spec) { s.Require = []string{"kernel>=6.x"} }, "require", "kernel>=6.x", "kernel>=X.Y"},
		{func(s *Spec) { s.Require = []string{"kernel>=6.1.2"} }, "require", "kernel>=6.1.2", "kernel>=X.Y"},
		{func(s *Spec) { s.Require = []string{"kernel>=06.1"} }, "require", "kernel>=06.1", "kernel>=X.Y"},
		{func(s *Spec) { s.Require = []string{"kernel>=6.-1"} }, "require", "kernel>=6.-1", "kernel>=X.Y"},
		{func(s *Spec) { s.Require = []string{"landlock>=+6"} }, "require", "landlock>=+6", "landlock>=N"},
		{func(s *Spec) { s.Require = []string{"landlock>=6.1"} }, "require", "landlock>=6.1", "landlock>=N"},
		{func(s *Spec) { s.Require = []string{"cgroup>=3"} }, "require", "cgroup>=3", "where N is 1 or 2"},
		{func(s *Spec) { s.Require = []string{"cgroup>=v2"} }, "require", "cgroup>=v2", "where N is 1 or 2"},
		{func(s *Spec) { s.Require = []string{"userns>=1"} }, "require", "userns>=1", "landlock>=N"},
	} {
		s := Spec{Args: []string{"sh"}}
		c.change(&s)
		var faults Faults
		if err := s.Validate(); !errors.As(err, &faults) || len(faults) != 1 {
			t.Errorf("%s = %q: faults %q, want one", c.field, c.value, err)
			continue
		}
		if f := faults[0]; f.Field != c.field || f.Value != c.value || !strings.Contains(f.Want, c.want) {
			t.Errorf("fault %q, want field %s, value %q and %q in what is accepted", f, c.field, c.value, c.want)
		}
	}
}

// What is at the edge of a range is in it, and everything that a Spec can hold
// is accepted.
func TestValidateAccepts(t *testing.T) {
	full := everything(t)
	full.Name, full.Dir, full.OutputMode, full.Unix = strings.Repeat("x", 64), "/work", OutputTruncate, true
	full.Optional, full.Require = OptionalLayers, []string{"landlock>=1", "kernel>=5.14", "cgroup>=1", "cgroup>=2"}
	full.Env = []string{"A=", "B==", "C=a=b\n"}
	least := Limits{Timeout: time.Millisecond, CPUTime: time.Millisecond, Memory: minMemory, CPUs: 0.01, Pids: 2, Output: 1, TmpSize: minTmpSize, NoFile: 24, FileSize: 1}
	most := Limits{Timeout: maxTime, CPUTime: maxTime, Memory: maxSize, CPUs: maxCPUs, Pids: maxPids, Output: maxSize, TmpSize: maxSize, NoFile: maxNoFile, FileSize: maxSize}
	for name, s := range map[string]Spec{
		"all defaults": {Args: []string{"x"}}, "one of everything": full,
		"least": {Args: []string{"x"}, Limits: least}, "most": {Args: []string{"x"}, Limits: most},
		"the longest argument": {Args: []string{"x", strings.Repeat("y", maxArg-1)}},
	} {
		if err := s.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A caller sees everything that is wrong at once, what only the host knows
// included, and nothing was made.
func TestAllFaultsAtOnce(t *testing.T) {
	s := shell("true")
	s.Name, s.Net, s.Limits.Pids, s.Limits.NoFile = t.Name()+"/", "host", 1, maxNoFile*2
	missing := filepath.Join(t.TempDir(), "missing")
	s.View = append(s.View, Mount{Kind: MountRO, Source: missing, Target: "/data"})
	res, err := Run(context.Background(), s)
	var faults Faults
	if !errors.As(err, &faults) {
		t.Fatalf("Run = %v, want Faults", err)
	}
	var fields []string
	for _, f := range faults {
		fields = append(fields, f.Field)
	}
	wanted := []string{"name", "limits.pids", "limits.nofile", "net", fmt.Sprintf("view[%d].source", len(s.View)-1)}
	for _, field := range wanted {
		if !slices.Contains(fields, field) {
			t.Errorf("faults of %v, want %s among them", fields, field)
		}
	}
	if strings.Count(res.Message, "\n") != len(faults)-1 || res.Reason != ReasonSetupRefused || res.Refusal.Stage != StageValidate {
		t.Errorf("the record says %s", text(res))
	}
	if left := groups(t, t.Name()); len(left) > 0 {
		t.Errorf("cgroups %v were made", left)
	}
	if _, err := os.Stat(missing); err == nil {
		t.Errorf("%s was made", missing)
	}
}

// What is wrong with a mount by itself is told once, and what only a look at the host finds
// is told beside it.
func TestCheckTellsOnce(t *testing.T) {
	for _, tt := range []struct {
		mount Mount
		want  string
	}{
		{Mount{Kind: MountRO, Source: "/usr\x00", Target: "/q"}, "view[0].source"},
		{Mount{Kind: MountRO, Source: "usr", Target: "/q"}, "view[0].source"},
		{Mount{Kind: MountRO, Source: "/usr", Target: "/"}, "view[0].target"},
		{Mount{Kind: MountTmpfs, Target: "/a\x00"}, "view[0].target"},
		{Mount{Kind: "zz", Source: "/", Target: "/q"}, "view[0].kind"},
		{Mount{Kind: MountRO, Source: "/nowhere", Target: "/"}, "view[0].target view[0].source"},
	} {
		s := Spec{Args: []string{"true"}, View: []Mount{tt.mount}}
		for _, s.Tier = range []Tier{Tier1, Tier2} {
			if s.Tier == Tier2 && tt.mount.Kind == MountTmpfs {
				continue // there is none in it, which is told as well
			}
			var faults Faults
			errors.As(Check(s), &faults)
			var fields []string
			for _, f := range faults {
				if strings.HasPrefix(f.Field, "view") {
					fields = append(fields, f.Field)
				}
			}
			if got := strings.Join(fields, " "); got != tt.want {
				t.Errorf("tier %d, %+v: %s, want %s: %v", s.Tier, tt.mount, got, tt.want, faults)
			}
		}
	}
}
