package main

import (
	"strings"

	"github.com/seed-75010da9/jail/test/guest/internal/order"
)

// A class is one class of hosts: a kernel, and what a host makes of it.
type class struct {
	name      string
	what      string
	kernel    kernel
	layout    order.Layout
	arguments []string // of the kernel
	// brief leaves the long suites out: the class differs from another one in
	// something that they don't ask for.
	brief bool
}

// hosts are all classes, the cheapest first.
func hosts() []class {
	var list []class
	byName := map[string]kernel{}
	for _, k := range kernels() {
		byName[k.name] = k
		list = append(list, class{name: k.name, what: k.says(), kernel: k, layout: order.V2, brief: k.below})
	}
	for _, v := range []struct {
		suffix, what string
		layout       order.Layout
		arguments    string
	}{
		{"hybrid", "the controllers in control groups of version 1", order.Hybrid, ""},
		{"v1", "control groups of version 1 alone", order.V1, ""},
		{"none", "no control groups", order.None, ""},
		{"no-landlock", "Landlock not among the security modules", order.V2, "lsm=yama"},
		{"no-memory", "control groups without memory", order.V2, "cgroup_disable=memory"},
	} {
		k := byName["qemu-6.12"]
		list = append(list, class{name: k.name + "-" + v.suffix, what: v.what, kernel: k, layout: v.layout,
			arguments: strings.Fields(v.arguments), brief: true})
	}
	return list
}
