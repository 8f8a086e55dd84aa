package cgroups

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Delegation is the commands by which root gives an ordinary user the group that
// [Find] takes by that name, a path relative to the mounts, until the next boot.
//
// On version 2 the last of them moves the shell that they are typed into, $$, to a
// group below: a process may enter a group only if it may write to cgroup.procs of
// the closest group above its own and that (cgroup-v2.rst, "Delegation
// Containment"), and the kernel limits no groups below one that has processes.
func Delegation(v Version, name string, uid int) []string {
	name = strings.Trim(path.Clean("/"+name), "/")
	if v == V1 {
		return []string{fmt.Sprintf("for c in pids memory cpu cpuacct; do mkdir -p %s/$c/%s && chown %d %[1]s/$c/%[2]s; done", mountRoot, name, uid)}
	}
	group := path.Join(mountRoot, name)
	lines := []string{"mkdir -p " + group + "/shell"}
	for at := path.Dir(group); strings.HasPrefix(at, mountRoot); at = path.Dir(at) {
		lines = slices.Insert(lines, 1, "echo '+pids +memory +cpu' > "+at+"/cgroup.subtree_control")
	}
	return append(lines, fmt.Sprintf("chown %d %s %[2]s/cgroup.procs %[2]s/cgroup.subtree_control", uid, group),
		fmt.Sprintf(`sudo sh -c "echo $$ > %s/shell/cgroup.procs"`, group))
}
