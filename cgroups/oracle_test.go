package cgroups

import (
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	oci "github.com/opencontainers/cgroups"
	"github.com/opencontainers/cgroups/fs"
	"github.com/opencontainers/cgroups/fs2"
)

// The containers' own control-group library is the second opinion here. It is
// not on the start path: its packages cost 0.17 ms more at process start than
// this one, it moves processes by pid, which waits for a grace period, and it
// knows no lock on a leaf.

type theirs interface {
	Apply(pid int) error
	Set(r *oci.Resources) error
	GetStats() (*oci.Stats, error)
}

func theirManager(t *testing.T, g *Group) theirs {
	t.Helper()
	config := &oci.Cgroup{Resources: &oci.Resources{SkipDevices: true}}
	var m theirs
	var err error
	if g.Version() == V2 {
		m, err = fs2.NewManager(config, paths(g)[0])
	} else {
		at := make(map[string]string)
		for _, c := range controllersV1 {
			at[c] = filepath.Join(g.parent.dirs[g.parent.index[c]].path, g.name)
		}
		m, err = fs.NewManager(config, at)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const busy = `i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done`

func TestTheirStatsOfOurGroup(t *testing.T) {
	l := Limits{Memory: 48 << 20, CPUs: 0.5, Pids: 9}
	g := testGroup(t, testParent(t), l)
	if err := enter(g, exec.Command("/bin/sh", "-c", busy)).Run(); err != nil {
		t.Fatal(err)
	}
	compare(t, g, theirManager(t, g), l)
}

func TestOurStatsOfTheirGroup(t *testing.T) {
	p := testParent(t)
	l := Limits{Memory: 48 << 20, CPUs: 0.5, Pids: 9}
	g := &Group{parent: p, limits: l, name: "jailtest-theirs"}
	m := theirManager(t, g)
	t.Cleanup(func() {
		discard(t, g)
		for _, above := range p.dirs { // what a failure kept out of g.dirs
			above.rmdir(g.name)
		}
	})
	if err := m.Apply(-1); err != nil { // makes the folders, moves nothing
		t.Fatal(err)
	}
	for _, above := range p.dirs {
		d, err := above.open(g.name)
		if err != nil {
			t.Fatal(err)
		}
		g.dirs = append(g.dirs, d)
		if err := g.open(nil); err != nil {
			t.Fatal(err)
		}
	}
	pids := l.Pids
	// Their MemorySwap is the sum of both, as version 1 counts.
	err := m.Set(&oci.Resources{Memory: l.Memory, MemorySwap: l.Memory, CpuQuota: l.quotaUS(), CpuPeriod: periodUS,
		PidsLimit: &pids, SkipDevices: true})
	if err != nil {
		t.Fatal(err)
	}
	if g.Version() == V2 { // which they leave to their caller
		if err := g.dirs[0].write("memory.oom.group", "1"); err != nil {
			t.Fatal(err)
		}
	} else if err := g.limitSockets(g.dir("memory")); err != nil { // nor that
		t.Fatal(err)
	}
	if err := enter(g, exec.Command("/bin/sh", "-c", busy)).Run(); err != nil {
		t.Fatal(err)
	}
	compare(t, g, m, l)
}

// compare reads one idle group in both ways.
func compare(t *testing.T, g *Group, m theirs, l Limits) {
	t.Helper()
	their, err := m.GetStats()
	if err != nil {
		t.Fatal(err)
	}
	our, err := g.Stats()
	if err != nil {
		t.Fatal(err)
	}
	used, err := g.CPUUsage()
	if err != nil {
		t.Fatal(err)
	}
	inForce, err := g.InForce()
	if err != nil {
		t.Fatal(err)
	}
	if inForce.Limits != l {
		t.Errorf("InForce() = %+v, want %+v", inForce.Limits, l)
	}
	cpu, mem := their.CpuStats, their.MemoryStats.Usage
	if used <= 0 || uint64(used) != cpu.CpuUsage.TotalUsage {
		t.Errorf("CPUUsage() = %d, theirs %d", used, cpu.CpuUsage.TotalUsage)
	}
	if g.Version() == V2 { // on version 1 they read it in coarser units
		if uint64(our.CPUUser) != cpu.CpuUsage.UsageInUsermode || uint64(our.CPUSystem) != cpu.CpuUsage.UsageInKernelmode {
			t.Errorf("Stats() = %v user, %v system, theirs %v, %v", our.CPUUser, our.CPUSystem,
				time.Duration(cpu.CpuUsage.UsageInUsermode), time.Duration(cpu.CpuUsage.UsageInKernelmode))
		}
	}
	if uint64(our.Throttled) != cpu.ThrottlingData.ThrottledTime {
		t.Errorf("Stats().Throttled = %d, theirs %d", our.Throttled, cpu.ThrottlingData.ThrottledTime)
	}
	if our.MemoryPeak != nil && uint64(*our.MemoryPeak) != mem.MaxUsage {
		t.Errorf("Stats().MemoryPeak = %d, theirs %d", *our.MemoryPeak, mem.MaxUsage)
	}
	if uint64(inForce.Memory) != mem.Limit || uint64(inForce.Pids) != their.PidsStats.Limit {
		t.Errorf("InForce() = %d bytes, %d pids, theirs %d, %d", inForce.Memory, inForce.Pids, mem.Limit, their.PidsStats.Limit)
	}
	if empty, err := g.Empty(); err != nil || empty != (their.PidsStats.Current == 0) {
		t.Errorf("Empty() = %v, %v, theirs: %d pids", empty, err, their.PidsStats.Current)
	}
}
