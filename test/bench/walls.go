package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// namespaces are those of proc(5), /proc/pid/ns, by their file there.
func namespaces() []string { return []string{"user", "mnt", "pid", "net", "ipc", "uts", "cgroup"} }

// walls is what stands around the program in the runs that are timed: as the
// program itself sees it, and what jail does besides. Comparing launchers that
// do unlike things is only honest when it is said.
func (b *bench) walls(sizes) (table, error) {
	script := "cat /proc/self/status; for n in " + strings.Join(namespaces(), " ") + "; do echo ns-$n: $(readlink /proc/self/ns/$n); done; for d in /home /root /var; do [ ! -e $d ] || echo host: $d; done"
	list, err := b.contenders(job{argv: []string{"/bin/sh", "-c", script}})
	if err != nil {
		return table{}, err
	}
	t := table{title: "What is compared",
		note: "Read by a program in the box, from /proc/self: which namespaces are not the host's, whether /home, /root and /var are missing, whether the capability bounding set is empty, no_new_privs, and the number of filters of system calls. runsc shows what its own kernel makes up. The last column is what the options used here leave out of what jail does in the same run.",
		head: []string{"", "own namespaces", "own root", "no capabilities", "no_new_privs", "filters", "without"}}
	for _, c := range list {
		text, err := b.output(c.cmd)
		if err != nil {
			return table{}, err
		}
		t.figures(c.name, append(seen(text), b.lacks(c.name))...)
	}
	return t, b.checkRecords(list, 1)
}

func (b *bench) lacks(name string) string {
	for _, l := range b.launchers {
		if l.name == name && l.lacks != "" {
			return l.lacks
		}
	}
	return "–"
}

// seen is what one look found, a cell for each column.
func seen(text string) []string {
	field := map[string]string{}
	for l := range strings.Lines(text) {
		key, value, _ := strings.Cut(l, ":")
		field[key] = strings.TrimSpace(value)
	}
	var own []string
	for _, n := range namespaces() {
		host, err := os.Readlink(filepath.Join("/proc/self/ns", n))
		if inside := field["ns-"+n]; err == nil && inside != "" && inside != host {
			own = append(own, n)
		}
	}
	filters := field["Seccomp_filters"]
	if filters == "" {
		filters = "?"
	}
	return []string{count(own, len(namespaces())), yes(field["host"] == ""), yes(strings.Trim(field["CapBnd"], "0") == ""), yes(field["NoNewPrivs"] == "1"), filters}
}

// count is "all", "none", or the names.
func count(names []string, of int) string {
	switch len(names) {
	case 0:
		return "none"
	case of:
		return fmt.Sprintf("all %d", of)
	}
	return strings.Join(names, " ")
}

func yes(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}
