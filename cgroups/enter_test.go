package cgroups

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// On version 1 a process enters one hierarchy after the other, while they are made: what
// is handed out is what TaskFiles has, and none of it before its folder is limited.
func TestEnterWhileMade(t *testing.T) {
	p := testParent(t)
	if p.Version() == V2 {
		if g, err := p.Make("enter", small, func(int) error { return errors.New("there is nothing to enter") }); err != nil {
			t.Errorf("Make on version 2 = %v, want no file for anybody", err)
		} else {
			discard(t, g)
		}
		return
	}
	var got []int
	g, err := p.Make("entering", small, func(tasks int) error {
		for _, name := range p.leaves() {
			if most, err := os.ReadFile(p.dirs[0].path + "/" + name + "/pids.max"); err == nil && strings.Contains(name, "entering") && string(most) != decimal(small.Pids)+"\n" {
				t.Errorf("pids.max is %q when the first may enter, want %d", most, small.Pids)
			}
		}
		got = append(got, tasks)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer discard(t, g)
	if !slices.Equal(got, g.TaskFiles()) || len(got) != p.TaskFiles() {
		t.Errorf("entered by %v, want %v", got, g.TaskFiles())
	}
}

// What fails when somebody may be in the group already leaves it to be emptied.
func TestEnterAndFail(t *testing.T) {
	p := testParent(t)
	if p.Version() == V2 {
		return // nobody enters before it is whole
	}
	if unix.Access(p.dirs[0].path+"/tasks", unix.W_OK) != nil {
		t.Skip("not for an ordinary user who was given the folder alone: nothing of his lets the thread out again")
	}
	runtime.LockOSThread() // which enters, and leaves
	defer runtime.UnlockOSThread()
	refusal := errors.New("no")
	entered := 0
	g, err := p.Make("enter-and-fail", small, func(tasks int) error {
		if entered++; entered == 2 {
			return refusal
		}
		if _, err := unix.Write(tasks, []byte("0")); err != nil {
			t.Errorf("entering: %v", err)
		}
		return nil
	})
	if !errors.Is(err, refusal) || g == nil {
		t.Fatalf("Make = %v, %v, want the group and the refusal", g, err)
	}
	if err := g.Remove(); !errors.Is(err, unix.EBUSY) {
		t.Errorf("Remove with a process in the group = %v, want EBUSY", err)
	}
	if err := os.WriteFile(p.dirs[0].path+"/tasks", []byte("0"), 0); err != nil {
		t.Fatal(err)
	}
	if err := g.Remove(); err != nil {
		t.Errorf("Remove of what was emptied: %v", err)
	}
	for _, name := range p.leaves() { // others' as well
		if strings.HasPrefix(name, prefix+"enter-and-fail") {
			t.Errorf("left behind: %s", name)
		}
	}
}
