package cgroups

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// Which groups around have been full is told by their peaks, and whether there may be
// others by what the outermost one is.
func TestAround(t *testing.T) {
	mount := filepath.Join(t.TempDir(), "mount")
	write := func(name, text string) {
		file := filepath.Join(mount, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"cgroup.procs": "", "a/cgroup.procs": "", "a/pids.max": "80", "a/pids.peak": "80",
		"a/b/cgroup.procs": "", "a/b/pids.max": "90", "a/b/pids.peak": "89",
		"a/b/c/cgroup.procs": "", "a/b/c/pids.max": "70", "a/b/c/pids.current": "70",
		"a/b/c/d/cgroup.procs": "", "a/b/c/d/pids.max": "max", "a/b/c/d/pids.peak": "80", "a/b/c/d/box/pids.max": "8",
	} {
		write(name, text)
	}
	g := &Group{dirs: []dir{{noDir, filepath.Join(mount, "a/b/c/d/box")}}, parent: &Parent{version: V2}}
	want := []Around{{filepath.Join(mount, "a/b/c"), 70}, {filepath.Join(mount, "a"), 80}}
	if full, all := g.PidsAround(); !reflect.DeepEqual(full, want) || !all {
		t.Errorf("PidsAround = %v, %v, want %v and no others", full, all, want)
	}
	write("pids.max", "max") // the root of a namespace's part
	if full, all := g.PidsAround(); !reflect.DeepEqual(full, want) || all {
		t.Errorf("in a namespace: PidsAround = %v, %v, want %v, and perhaps others", full, all, want)
	}
	for name, text := range map[string]string{"a/memory.max": "4096", "a/memory.events.local": "low 0\noom 2\noom_kill 2", "a/b/memory.max": "8192", "a/b/memory.events.local": "oom 0"} {
		write(name, text)
	}
	if full, _ := g.MemoryAround(); !reflect.DeepEqual(full, []Around{{filepath.Join(mount, "a"), 4096}}) {
		t.Errorf("MemoryAround = %v", full)
	}
}
