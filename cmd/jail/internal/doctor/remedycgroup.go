package doctor

import (
	"path/filepath"
	"strings"

	"github.com/seed-75010da9/jail/cgroups"
)

// cgroup is what to do about control groups, beside what package cgroups says.
func (f facts) cgroup(o outcome) []string {
	var steps []string
	if o.remedy != "" {
		steps = append(steps, "# "+o.remedy)
	}
	if f.cgroup1 && !f.split && f.uid != 0 {
		steps = append(steps, f.ownGroup(cgroups.V1)...)
	}
	if o.ungiven && !f.cgroup1 && !f.systemd && !f.inContainer() && f.uid != 0 { // systemd wants to give groups itself
		steps = append(steps, f.ownGroup(cgroups.V2)...)
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

// ownGroup gives an ordinary user a group, on version 1 in each hierarchy that a box
// needs.
func (f facts) ownGroup(v cgroups.Version) []string {
	name := strings.Trim(f.parent, "/")
	if !filepath.IsLocal(name) || strings.HasPrefix(name, "sys/") || strings.ContainsAny(name, " '\"$`\\;&|<>()*?[]{}~#\n\t") {
		name = "jail"
	}
	steps := []string{"# As root, after each boot: a group of the user's own in each of the four hierarchies (version 1)."}
	if v == cgroups.V2 {
		steps = []string{"# As root, after each boot: a group of the user's own, and one below for the shell that starts jail, which the last line moves there (typed into that shell)."}
	}
	steps = append(steps, cgroups.Delegation(v, name, f.uid)...)
	return append(steps, "# Then, as the user; PATH is relative to each mount:",
		"jail doctor --cgroup-parent "+name,
		"jail run --cgroup-parent "+name+" …")
}
