package cgroups

import (
	"bufio"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// findV2 finds a parent of version 2, with controllers or without: a hybrid host
// has none at version 2's root, but groups, clones into them and cgroup.kill
// work there all the same.
func findV2() (*Parent, error) {
	p, err := Find(given())
	if err == nil && p.version == V2 {
		return p, nil
	}
	if err == nil {
		p.Close()
	}
	d, _, err := locate(V2, "", "/", "/")
	if err != nil {
		return nil, err
	}
	p = &Parent{version: V2, dirs: []dir{d}, index: map[string]int{"pids": 0, "memory": 0, "cpu": 0}}
	if err := d.writable(); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

func testV2(t *testing.T) *Parent {
	t.Helper()
	p, err := findV2()
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skipf("not for a host with version 1 only: %v", err)
	}
	if err != nil {
		skip(t, "no writable group of version 2: %v", err)
	}
	t.Cleanup(p.Close)
	return p
}

// bareGroup is a leaf without limits.
func bareGroup(p *Parent, label string) (*Group, error) {
	g := &Group{parent: p, limits: small, name: leafName(label)}
	return g, g.claim()
}

func testBareGroup(t *testing.T, p *Parent) *Group {
	t.Helper()
	g, err := bareGroup(p, strings.ToLower(t.Name()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { discard(t, g) })
	return g
}

func sleeper(g *Group) *exec.Cmd { return enter(g, exec.Command("/bin/sleep", "60")) }

func ended(t *testing.T, cmd *exec.Cmd, by syscall.Signal) {
	t.Helper()
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != by {
		t.Errorf("%v ended with %v, want %v", cmd.Args, err, by)
	}
}

func TestV2Kill(t *testing.T) {
	g := testBareGroup(t, testV2(t))
	if empty, err := g.Empty(); !empty || err != nil {
		t.Errorf("Empty() of a new group = %v, %v, want true", empty, err)
	}
	// A shell with children, one of which outlives it in its own session.
	cmd := enter(g, exec.Command("/bin/sh", "-c", "setsid sleep 60 & sleep 60 & wait"))
	start(t, cmd)
	if empty, err := g.Empty(); empty || err != nil {
		t.Errorf("Empty() with processes = %v, %v, want false", empty, err)
	}
	if err := g.Remove(); !errors.Is(err, unix.EBUSY) {
		t.Errorf("Remove() with processes = %v, want EBUSY", err)
	}
	if err := g.Kill(); err != nil {
		t.Fatal(err)
	}
	ended(t, cmd, syscall.SIGKILL)
	eventually(t, "the group is empty", func() bool { empty, err := g.Empty(); return empty && err == nil })
	if _, err := g.CPUUsage(); err != nil {
		t.Errorf("CPUUsage() = %v", err)
	}
	where := paths(g)
	if err := g.Remove(); err != nil {
		t.Errorf("Remove() = %v", err)
	}
	if got := left(where); len(got) > 0 {
		t.Errorf("after Remove there is %v", got)
	}
}

// On kernels without the fix of 6.1.192, 6.12.117 and 7.3.4, a group whose
// cgroup.kill was written kills what is cloned into it later. That is why a
// group is never used twice. Both kernels are fine here, as long as a fresh
// group beside it works.
func TestV2NewGroupAfterKill(t *testing.T) {
	p := testV2(t)
	g := testBareGroup(t, p)
	first := sleeper(g)
	start(t, first)
	if err := g.Kill(); err != nil {
		t.Fatal(err)
	}
	ended(t, first, syscall.SIGKILL)
	eventually(t, "the group is empty", func() bool { empty, err := g.Empty(); return empty && err == nil })

	again := enter(g, exec.Command("/bin/true"))
	if err := again.Run(); err == nil {
		t.Log("this kernel has the fix: a killed group can be cloned into")
	} else {
		t.Logf("this kernel has the bug: cloned into a killed group, /bin/true says %v", err)
	}
	fresh := testBareGroup(t, p)
	if err := enter(fresh, exec.Command("/bin/true")).Run(); err != nil {
		t.Errorf("/bin/true in a fresh group after a kill: %v", err)
	}
}

// orphan makes a leaf of version 2 with a sleeper in it and lives on.
func orphan([]string) {
	p, err := findV2()
	if err != nil {
		panic(err)
	}
	g, err := bareGroup(p, "orphan")
	if err != nil {
		panic(err)
	}
	cmd := sleeper(g)
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	fmt.Println(paths(g)[0], cmd.Process.Pid)
	untilOrphaned()
}

func TestV2SweepKillsWhatStillRuns(t *testing.T) {
	p := testV2(t)
	cmd := self("role:orphan")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	startHeld(t, cmd)
	var path string
	var pid int
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(line, &path, &pid); err != nil {
		t.Fatal(err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if err := syscall.Kill(pid, 0); err != nil {
		t.Fatalf("control: the sleeper did not outlive its supervisor: %v", err)
	}
	eventually(t, "Sweep removes the leaf", func() bool { p.Sweep(1000); return len(left([]string{path})) == 0 })
	eventually(t, "the sleeper has ended", func() bool { return over(strconv.Itoa(pid)) })
}
