package cgroups

import (
	"errors"
	"fmt"
	"math"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestLimitsValidate(t *testing.T) {
	good := Limits{Memory: 64 << 20, CPUs: 1, Pids: 10}
	with := func(f func(*Limits)) Limits { l := good; f(&l); return l }
	tests := []struct {
		name  string
		l     Limits
		fault string // the field that the error names
	}{
		{"good", good, ""},
		{"least", Limits{MinMemory, MinCPUs, 1}, ""},
		{"most", Limits{math.MaxInt64, MaxCPUs, MaxPids}, ""},
		{"zero value", Limits{}, "memory"},
		{"memory too small", with(func(l *Limits) { l.Memory = MinMemory - 1 }), "memory"},
		{"memory negative", with(func(l *Limits) { l.Memory = -1 }), "memory"},
		{"cpus zero", with(func(l *Limits) { l.CPUs = 0 }), "cpus"},
		{"cpus NaN", with(func(l *Limits) { l.CPUs = math.NaN() }), "cpus"},
		{"cpus infinite", with(func(l *Limits) { l.CPUs = math.Inf(1) }), "cpus"},
		{"cpus negative", with(func(l *Limits) { l.CPUs = -1 }), "cpus"},
		{"pids zero", with(func(l *Limits) { l.Pids = 0 }), "pids"},
		{"pids too many", with(func(l *Limits) { l.Pids = MaxPids + 1 }), "pids"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.l.Validate()
			if (err == nil) != (tt.fault == "") {
				t.Fatalf("Validate(%+v) = %v, want a fault in %q", tt.l, err, tt.fault)
			}
			if err != nil && !strings.Contains(err.Error(), "limit "+tt.fault+":") {
				t.Errorf("Validate(%+v) = %v, want it to name %q", tt.l, err, tt.fault)
			}
		})
	}
}

func TestValidName(t *testing.T) {
	tests := []struct {
		name string
		want bool
	}{
		{"", true},
		{"a-B_9.x", true},
		{strings.Repeat("a", maxName), true},
		{strings.Repeat("a", maxName+1), false},
		{"a/b", false},
		{"a\n", false},
		{"a b", false},
		{"a\x00b", false},
		{"é", false},
		{"aéa", false},
	}
	for _, tt := range tests {
		if got := validName(tt.name); got != tt.want {
			t.Errorf("validName(%q) = %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestErrorNamesWhatIsMissing(t *testing.T) {
	err := error(&Error{Op: "find", Path: "/x", Missing: "controller memory", Err: errors.ErrUnsupported, Remedy: "do"})
	if got, want := err.Error(), "cgroups: find /x: missing controller memory: unsupported operation"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Error("errors.Is(err, ErrUnsupported) = false")
	}
}

// A kernel that has a high-water mark shows it: without one a run's record would
// lack what it needed.
func TestPeaksAreThere(t *testing.T) {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		t.Fatal(err)
	}
	var major, minor int
	if _, err := fmt.Sscanf(unix.ByteSliceToString(u.Release[:]), "%d.%d", &major, &minor); err != nil {
		t.Fatal(err)
	}
	g := testGroup(t, testParent(t), small)
	if err := enter(g, exec.Command("/bin/true")).Run(); err != nil {
		t.Fatal(err)
	}
	s, err := g.Stats()
	if err != nil {
		t.Fatal(err)
	}
	since := func(wantMajor, wantMinor int) bool {
		return major > wantMajor || major == wantMajor && minor >= wantMinor
	}
	if since(5, 19) && (s.MemoryPeak == nil || *s.MemoryPeak <= 0) {
		t.Errorf("Stats().MemoryPeak = %v on Linux %d.%d, want memory.peak", s.MemoryPeak, major, minor)
	}
	if since(6, 1) && (s.PidsPeak == nil || *s.PidsPeak <= 0) {
		t.Errorf("Stats().PidsPeak = %v on Linux %d.%d, want pids.peak", s.PidsPeak, major, minor)
	}
}
