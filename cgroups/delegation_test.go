package cgroups

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestDelegationLines(t *testing.T) {
	for _, c := range []struct {
		v    Version
		name string
		want []string
	}{
		{V1, "/a/b/", []string{"for c in pids memory cpu cpuacct; do mkdir -p /sys/fs/cgroup/$c/a/b && chown 7 /sys/fs/cgroup/$c/a/b; done"}},
		{V2, "a/b", []string{"mkdir -p /sys/fs/cgroup/a/b/shell",
			"echo '+pids +memory +cpu' > /sys/fs/cgroup/cgroup.subtree_control", "echo '+pids +memory +cpu' > /sys/fs/cgroup/a/cgroup.subtree_control",
			"chown 7 /sys/fs/cgroup/a/b /sys/fs/cgroup/a/b/cgroup.procs /sys/fs/cgroup/a/b/cgroup.subtree_control",
			`sudo sh -c "echo $$ > /sys/fs/cgroup/a/b/shell/cgroup.procs"`}},
	} {
		if got := Delegation(c.v, c.name, 7); !slices.Equal(got, c.want) {
			t.Errorf("Delegation(%v, %q) = %q, want %q", c.v, c.name, got, c.want)
		}
	}
}

// givenUser is who gets a group.
const givenUser = 65533

// asUser runs the role taker in a shell of another user's, once root has done before,
// which gets the shell's number, and returns what it said.
func asUser(t *testing.T, name string, before func(shell int)) string {
	t.Helper()
	shell := exec.Command("/bin/sh", "-c", `read go; /proc/self/fd/3 role:taker "$1"`, "sh", name)
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer self.Close()
	shell.ExtraFiles = []*os.File{self}
	shell.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: givenUser, Gid: givenUser}}
	stdin, err := shell.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := shell.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	defer shell.Wait()
	before(shell.Process.Pid)
	fmt.Fprintln(stdin)
	said, _ := bufio.NewReader(stdout).ReadString('\n')
	return strings.TrimSpace(said)
}

// taker makes a group below the named one, as a box has it, with a process in it.
func taker(args []string) {
	fmt.Println(makeBelow(args[0]))
}

func makeBelow(name string) error {
	p, err := Find(name)
	if err != nil {
		return err
	}
	defer p.Close()
	g, err := p.Create("given", small)
	if err != nil {
		return err
	}
	_, err = g.InForce()
	if err == nil {
		err = enter(g, exec.Command("/bin/true")).Run()
	}
	return errors.Join(err, g.Remove())
}

// The commands that a user is told to have run by root are all that it takes.
func TestDelegation(t *testing.T) {
	version := testParent(t).Version()
	if os.Getuid() != 0 {
		t.Skip("not for an ordinary user: root gives the group")
	}
	name := "jail-test-" + strconv.Itoa(os.Getpid())
	var made []string
	for _, point := range append(usualPoints(V1, "pids"), usualPoints(V1, "memory")[0], usualPoints(V1, "cpu")[0], usualPoints(V1, "cpuacct")[0], mountRoot) {
		made = append(made, filepath.Join(point, name, "shell"), filepath.Join(point, name))
	}
	defer func() {
		for _, dir := range made {
			os.Remove(dir)
		}
	}()
	lines := Delegation(version, name, givenUser)
	for n := range len(lines) + 1 {
		said := asUser(t, name, func(shell int) {
			for _, line := range lines[:n] {
				line, _ = strings.CutPrefix(strings.ReplaceAll(line, "$$", strconv.Itoa(shell)), "sudo ")
				if out, err := exec.Command("/bin/sh", "-ec", line).CombinedOutput(); err != nil {
					t.Fatalf("%s: %v: %s", line, err, out)
				}
			}
		})
		if all := n == len(lines); all != (said == "<nil>") {
			t.Errorf("after %q: %s", lines[:n], said)
		}
	}
}
