package doctor

import (
	"fmt"
	"path/filepath"
	"strings"
)

// cgroup is what to do about control groups, beside what package cgroups says.
func (f facts) cgroup(o outcome) []string {
	var steps []string
	if o.remedy != "" {
		steps = append(steps, "# "+o.remedy)
	}
	if f.cgroup1 && !f.split && f.uid != 0 {
		steps = append(steps, f.ownGroup()...)
	}
	if f.systemd && !f.split && !f.inContainer() {
		scope := "systemd-run --scope -p Delegate=yes jail run …"
		if f.uid != 0 {
			scope = "systemd-run --user --scope -p Delegate=yes jail run …"
		}
		steps = append(steps, "# With systemd, start jail in a delegated scope (cpu is delegated to users from systemd 252 on):", scope)
	}
	if f.inContainer() && f.inside != "kubernetes" && !f.cgroup1 {
		steps = append(steps, "# In a container: a cgroup namespace of its own and a writable /sys/fs/cgroup:", "docker run --cgroupns=private -v /sys/fs/cgroup:/sys/fs/cgroup:rw …")
	}
	return append(steps, "# To go without caps on memory, CPU and processes, by name: jail run --optional cgroup …")
}

// ownGroup makes a group for an ordinary user in each hierarchy of version 1
// that a box needs.
func (f facts) ownGroup() []string {
	name := strings.Trim(f.parent, "/")
	if !filepath.IsLocal(name) || strings.HasPrefix(name, "sys/") || strings.ContainsAny(name, " '\"$`\\;&|<>()*?[]{}~#\n\t") {
		name = "jail"
	}
	return []string{
		"# As root, after each boot: a group of the user's own in each of the four hierarchies (version 1).",
		fmt.Sprintf("for c in pids memory cpu cpuacct; do mkdir -p /sys/fs/cgroup/$c/%s && chown %d /sys/fs/cgroup/$c/%[1]s; done", name, f.uid),
		"# Then, as the user; PATH is relative to each mount:",
		"jail doctor --cgroup-parent " + name,
		"jail run --cgroup-parent " + name + " …",
	}
}
