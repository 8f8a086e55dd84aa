package cgroups

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// fake makes a folder of plain files that stands for a group of version 2. The
// code under test sees a descriptor, as always.
func fake(t *testing.T, files map[string]string) dir {
	t.Helper()
	path := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(path, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fd, err := openat(unix.AT_FDCWD, path, dirFlags)
	if err != nil {
		t.Fatal(err)
	}
	d := dir{fd, path}
	t.Cleanup(d.close)
	return d
}

func fakeGroup(d dir, l Limits) *Group {
	p := &Parent{version: V2, dirs: []dir{d}, index: map[string]int{"pids": 0, "memory": 0, "cpu": 0}}
	return &Group{parent: p, name: ".", limits: l, dirs: []dir{d}}
}

func without(files map[string]string, name string) map[string]string {
	rest := make(map[string]string)
	for k, v := range files {
		if k != name {
			rest[k] = v
		}
	}
	return rest
}

var limitFiles = map[string]string{"memory.max": "", "memory.swap.max": "", "memory.oom.group": "", "cpu.max": "", "pids.max": ""}

func TestV2WritesLimits(t *testing.T) {
	d := fake(t, limitFiles)
	g := fakeGroup(d, Limits{Memory: 64 << 20, CPUs: 1.5, Pids: 20})
	if err := errors.Join(g.limitPids(), g.limitV2()); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"memory.max": "67108864", "memory.swap.max": "0", "memory.oom.group": "1",
		"cpu.max": "150000 100000", "pids.max": "20"}
	for name, text := range want {
		if got, err := d.read(name); got != text || err != nil {
			t.Errorf("%s holds %q, %v, want %q", name, got, err, text)
		}
	}
	got, err := g.InForce()
	if err != nil || got.Limits != g.limits {
		t.Errorf("InForce() = %+v, %v, want %+v", got, err, g.limits)
	}
	if want := "memory.max=67108864; memory.swap.max=0; memory.oom.group=1; cpu.max=150000 100000; pids.max=20"; got.Evidence != want {
		t.Errorf("InForce().Evidence = %q, want %q", got.Evidence, want)
	}
}

func TestV2RefusesAMissingFile(t *testing.T) {
	for _, name := range []string{"memory.max", "memory.oom.group", "cpu.max", "pids.max"} {
		t.Run(name, func(t *testing.T) {
			g := fakeGroup(fake(t, without(limitFiles, name)), small)
			err := errors.Join(g.limitPids(), g.limitV2())
			if !errors.Is(err, unix.ENOENT) || !strings.Contains(err.Error(), name) {
				t.Errorf("limits without %s = %v, want ENOENT that names it", name, err)
			}
		})
	}
}

func TestV2WithoutSwapAccounting(t *testing.T) {
	active, err := swapActive()
	if err != nil {
		t.Fatal(err)
	}
	g := fakeGroup(fake(t, without(limitFiles, "memory.swap.max")), small)
	err = errors.Join(g.limitPids(), g.limitV2())
	var e *Error
	if active {
		if !errors.As(err, &e) || e.Missing != "swap accounting" || e.Remedy == "" {
			t.Errorf("limits = %v, want a refusal for swap accounting", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if f, err := g.InForce(); err != nil || !strings.Contains(f.Note, "no swap") {
		t.Errorf("InForce() = %+v, %v, want a note on swap", f, err)
	}
}

func TestV2InForceSeesWeakerLimits(t *testing.T) {
	held := map[string]string{"memory.max": "33554432\n", "memory.swap.max": "0\n", "memory.oom.group": "1\n",
		"cpu.max": "100000 100000\n", "pids.max": "16\n"}
	if _, err := fakeGroup(fake(t, held), small).InForce(); err != nil {
		t.Fatalf("control: InForce() = %v", err)
	}
	tests := []struct{ file, text, names string }{
		{"memory.max", "max\n", "memory"},
		{"memory.max", "33558528\n", "memory"},
		{"memory.max", "0\n", "memory"},
		{"memory.swap.max", "max\n", "memory.swap.max"},
		{"memory.oom.group", "0\n", "memory.oom.group"},
		{"cpu.max", "max 100000\n", "cpu"},
		{"cpu.max", "100000 50000\n", "cpu"},
		{"cpu.max", "100000\n", "cpu.max"},
		{"pids.max", "max\n", "pids"},
		{"pids.max", "junk\n", "pids.max"},
	}
	for _, tt := range tests {
		t.Run(tt.file+"="+strings.TrimSpace(tt.text), func(t *testing.T) {
			files := without(held, tt.file)
			files[tt.file] = tt.text
			_, err := fakeGroup(fake(t, files), small).InForce()
			if err == nil || !strings.Contains(err.Error(), tt.names) {
				t.Errorf("InForce() = %v, want an error that names %q", err, tt.names)
			}
		})
	}
}

var statFiles = map[string]string{
	"cpu.stat":      "usage_usec 300\nuser_usec 200\nsystem_usec 100\nnr_periods 3\nnr_throttled 1\nthrottled_usec 7\n",
	"memory.peak":   "4096\n",
	"memory.events": "low 0\nhigh 0\nmax 3\noom 1\noom_kill 2\noom_group_kill 1\n",
	"pids.peak":     "5\n",
	"pids.events":   "max 9\n",
	"io.stat":       "8:0 rbytes=10 wbytes=20 rios=1 wios=1 dbytes=0 dios=0\n",
	"cgroup.events": "populated 1\nfrozen 0\n",
}

func TestV2Stats(t *testing.T) {
	g := fakeGroup(fake(t, statFiles), small)
	s, err := g.Stats()
	if err != nil {
		t.Fatal(err)
	}
	if s.CPUUser != 200*time.Microsecond || s.CPUSystem != 100*time.Microsecond || s.Throttled != 7*time.Microsecond {
		t.Errorf("Stats() = %v, %v, %v, want 200µs, 100µs, 7µs", s.CPUUser, s.CPUSystem, s.Throttled)
	}
	for name, f := range map[string]struct {
		got  *int64
		want int64
	}{"MemoryPeak": {s.MemoryPeak, 4096}, "PidsPeak": {s.PidsPeak, 5}, "OOMKills": {s.OOMKills, 2},
		"PidsDenied": {s.PidsDenied, 9}, "IORead": {s.IORead, 10}, "IOWrite": {s.IOWrite, 20}} {
		if f.got == nil || *f.got != f.want {
			t.Errorf("Stats().%s = %v, want %d", name, f.got, f.want)
		}
	}
	if n, err := g.OOMKills(); n != 2 || err != nil {
		t.Errorf("OOMKills() = %d, %v, want 2", n, err)
	}
	if used, err := g.CPUUsage(); used != 300*time.Microsecond || err != nil {
		t.Errorf("CPUUsage() = %v, %v, want 300µs", used, err)
	}
	if empty, err := g.Empty(); empty || err != nil {
		t.Errorf("Empty() = %v, %v, want false", empty, err)
	}
}

// What an older kernel does not count is nil and no error; what every kernel
// counts is an error when it is not there, and the rest is still read.
func TestV2StatsOfOtherKernels(t *testing.T) {
	tests := []struct {
		name string
		ok   bool
		is   func(Stats) bool
	}{
		{"memory.peak", true, func(s Stats) bool { return s.MemoryPeak == nil && s.PidsPeak != nil }},
		{"pids.peak", true, func(s Stats) bool { return s.PidsPeak == nil }},
		{"io.stat", true, func(s Stats) bool { return s.IORead == nil && s.IOWrite == nil }},
		{"memory.events", false, func(s Stats) bool { return s.OOMKills == nil && *s.PidsDenied == 9 }},
		{"cpu.stat", false, func(s Stats) bool { return s.CPUUser == 0 && *s.OOMKills == 2 }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := fakeGroup(fake(t, without(statFiles, tt.name)), small).Stats()
			if (err == nil) != tt.ok || !tt.is(s) {
				t.Errorf("Stats() without %s = %+v, %v, want ok %v", tt.name, s, err, tt.ok)
			}
		})
	}
}

func TestV2HandDown(t *testing.T) {
	tests := []struct {
		name, has, on string
		missing       string // in the error
		want          string // in cgroup.subtree_control afterwards
	}{
		// A plain file is overwritten, and takes what the kernel would not.
		{"all there", "cpuset cpu io memory pids\n", "cpu io memory pids\n", "", "cpu io memory pids\n"},
		{"none yet, and no io", "cpuset cpu memory pids\n", "\n", "", "+pids +memory +cpu"},
		{"none yet", "cpuset cpu io memory pids\n", "\n", "", "+iods +memory +cpu"},
		{"cpu lacks", "cpuset cpu memory pids\n", "memory pids", "", "+cpury pids"},
		{"io lacks", "cpuset cpu io memory pids\n", "cpu memory pids\n", "", "+io memory pids\n"},
		{"no cpu", "memory pids\n", "memory pids\n", "controller cpu", "+cpury pids\n"},
		{"nothing", "\n", "\n", "controller pids, memory, cpu", "+pids"},
		{"cpuset is not cpu", "cpuset memory pids\n", "\n", "controller cpu", "+cpu"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := fake(t, map[string]string{"cgroup.controllers": tt.has, "cgroup.subtree_control": tt.on})
			err := d.handDown()
			var e *Error
			if tt.missing == "" && err != nil || tt.missing != "" && (!errors.As(err, &e) || e.Missing != tt.missing || e.Remedy == "") {
				t.Errorf("handDown() = %v, want missing %q", err, tt.missing)
			}
			if got, _ := d.read("cgroup.subtree_control"); got != tt.want {
				t.Errorf("cgroup.subtree_control holds %q, want %q", got, tt.want)
			}
		})
	}
}
