package cgroups

import (
	"strings"
	"testing"
)

// A version 1 that is built without the limit of sockets: all hierarchies are one
// folder of plain files.
func TestV1WithoutSocketLimit(t *testing.T) {
	files := map[string]string{"memory.limit_in_bytes": "", "memory.memsw.limit_in_bytes": "", "cpu.cfs_quota_us": "",
		"cpu.cfs_period_us": decimal(periodUS), "pids.max": "", "memory.oom_control": "oom_kill 0\n"}
	g := fakeGroup(fake(t, files), small)
	g.parent.version = V1
	if err := g.limitV1(); err != nil {
		t.Fatal(err)
	}
	if err := g.limitPids(); err != nil {
		t.Fatal(err)
	}
	f, err := g.InForce()
	if err != nil || !strings.Contains(f.Note, socketLimit) {
		t.Errorf("InForce() = %+v, %v, want a note on %s", f, err, socketLimit)
	}
	if over, err := g.OutOfMemory(); over || err != nil {
		t.Errorf("OutOfMemory() = %v, %v, want false", over, err)
	}
}

func TestV1OutOfMemory(t *testing.T) {
	tests := []struct {
		kills, sockets string
		want           bool
	}{
		{"0", decimal(small.Memory), false},
		{"0", decimal(small.Memory * 3 / 2), false},
		{"0", decimal(small.Memory*3/2 + 4096), true},
		{"1", "0", true},
	}
	for _, tt := range tests {
		g := fakeGroup(fake(t, map[string]string{"memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill " + tt.kills + "\n",
			"memory.kmem.tcp.max_usage_in_bytes": tt.sockets + "\n"}), small)
		g.parent.version = V1
		if got, err := g.OutOfMemory(); got != tt.want || err != nil {
			t.Errorf("OutOfMemory() with %s kills and %s bytes in sockets = %v, %v, want %v", tt.kills, tt.sockets, got, err, tt.want)
		}
	}
}

// Version 2 counts sockets as memory, and takes in past its limit what arrives
// for them.
func TestV2OutOfMemory(t *testing.T) {
	over := decimal(small.Memory*3/2 + 4096)
	tests := []struct {
		name  string
		files map[string]string
		want  bool
	}{
		{"within", map[string]string{"memory.peak": decimal(small.Memory), "memory.current": "0"}, false},
		{"a little past", map[string]string{"memory.peak": decimal(small.Memory * 3 / 2), "memory.current": "0"}, false},
		{"far past, once", map[string]string{"memory.peak": over, "memory.current": "0"}, true},
		{"far past, before 5.19", map[string]string{"memory.current": over}, true},
		{"neither file", nil, false},
	}
	for _, tt := range tests {
		files := map[string]string{"memory.events": "oom 0\noom_kill 0\n"}
		for name, text := range tt.files {
			files[name] = text + "\n"
		}
		if got, err := fakeGroup(fake(t, files), small).OutOfMemory(); got != tt.want || err != nil {
			t.Errorf("%s: OutOfMemory() = %v, %v, want %v", tt.name, got, err, tt.want)
		}
	}
}
