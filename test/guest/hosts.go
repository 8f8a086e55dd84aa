package main

import (
	"strings"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/test/guest/internal/order"
)

// A class is one class of hosts: a kernel, and what a host makes of it.
type class struct {
	name      string
	what      string
	kernel    kernel
	layout    order.Layout
	arguments []string // of the kernel
	// refuses is the layer for which a box with all defaults is refused here,
	// or "": it runs. userRefuses is the same for an ordinary user.
	refuses, userRefuses jail.LayerName
	// brief leaves the long suites out, unless they are asked for by name: the
	// class differs from another one in something that they don't ask for.
	brief bool
	// given is a group that the ordinary user has, on version 1 in each hierarchy,
	// made by the commands that jail doctor has for root, or "". Root needs none, so
	// there is no guest of root's then.
	given string
}

func (c class) roles() []string {
	switch {
	case c.kernel.kind == here:
		return []string{"root"} // whose tests become ordinary users where they need one
	case c.given != "", c.layout == order.Undelegated:
		return []string{"user"}
	}
	return []string{"root", "user"}
}

// onlyRole is why there is no other role.
func (c class) onlyRole() string {
	if c.kernel.kind == here {
		return "root's tests become users by themselves"
	}
	return "root needs no group of its own"
}

// hosts are all classes, the cheapest first.
func hosts() []class {
	self := kernel{name: "here", kind: here}
	list := []class{{name: self.name, what: self.says(), kernel: self}}
	byName := map[string]kernel{}
	for _, k := range kernels() {
		byName[k.name] = k
		h := class{name: k.name, what: k.says(), kernel: k, layout: order.V2, brief: k.below}
		if k.landlock == 0 {
			h.refuses, h.userRefuses = jail.LayerLandlock, jail.LayerLandlock
		}
		list = append(list, h)
	}
	for _, v := range []struct {
		kernel, suffix, what string
		layout               order.Layout
		arguments            string
		root, user           jail.LayerName // for which these are refused
		given                string
	}{
		{"qemu-6.1", "hybrid", "the controllers in control groups of version 1", order.Hybrid, "", "", jail.LayerCgroup, ""},
		{"qemu-6.1", "v1", "control groups of version 1 alone", order.V1, "", "", jail.LayerCgroup, ""},
		{"qemu-6.1", "given", "the same, and a user for whom root ran the line of `jail doctor --fix-hints`", order.V1, "", "", "", "jail"},
		{"qemu-6.12", "hybrid", "as hybrid, on a kernel without version 1 of memory: split controllers", order.Hybrid, "",
			jail.LayerCgroup, jail.LayerCgroup, ""},
		{"qemu-6.12", "undelegated", "version 2, and a user to whom nobody gave a group", order.Undelegated, "", "", jail.LayerCgroup, ""},
		{"qemu-6.12", "given", "the same, and a user for whom root ran the lines of `jail doctor --fix-hints`", order.Undelegated, "", "", "", "jail"},
		{"qemu-6.12", "none", "no control groups", order.None, "", jail.LayerCgroup, jail.LayerCgroup, ""},
		{"qemu-6.12", "no-landlock", "Landlock not among the security modules", order.V2, "lsm=yama", jail.LayerLandlock, jail.LayerLandlock, ""},
		{"qemu-7.3", "audit", "auditing switched on: root's boxes read Landlock's records", order.V2, "audit=1", "", "", ""},
		{"qemu-6.12", "no-memory", "control groups without memory", order.V2, "cgroup_disable=memory", jail.LayerCgroup, jail.LayerCgroup, ""},
	} {
		k := byName[v.kernel]
		list = append(list, class{name: k.name + "-" + v.suffix, what: v.what, kernel: k, layout: v.layout,
			arguments: strings.Fields(v.arguments), brief: true, refuses: v.root, userRefuses: v.user, given: v.given})
	}
	return list
}
