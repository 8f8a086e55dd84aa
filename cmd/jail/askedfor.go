package main

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail"
	"golang.org/x/sys/unix"
)

// An askedFor is what the flags asked to have shown. Each of thousands of faults may be about it,
// so that it is found out once, when a fault is the first that needs it.
type askedFor struct {
	o         options
	at        map[string]bool   // the places in the box that flags name; nil until then
	workspace string            // the place of --workspace, or ""
	grants    map[string]string // see saidOf; nil until then
}

func askedBy(o options) *askedFor { return &askedFor{o: o} }

// find finds out about the flags.
func (a *askedFor) find() {
	if a.at != nil {
		return
	}
	a.at = map[string]bool{}
	add := func(path string) string {
		abs, err := filepath.Abs(path) // which asks the kernel for the working directory
		if err != nil {
			return ""
		}
		a.at[abs] = true
		return abs
	}
	over := &a.o.over
	for _, g := range over.RO {
		add(cmp.Or(g.Box, g.Host))
	}
	for _, g := range over.RW {
		add(cmp.Or(g.Box, g.Host))
	}
	for _, t := range over.Tmpfs {
		add(t.Box)
	}
	if over.Workspace != "" {
		a.workspace = add(over.Workspace)
	}
}

// isWorkspace says whether a path is that of --workspace.
func (a *askedFor) isWorkspace(path string) bool {
	if a.o.over.Workspace == "" {
		return false
	}
	a.find()
	return path != "" && path == a.workspace
}

// asksFor says whether a flag asks for what is shown at a mount's place in the box.
func (a *askedFor) asksFor(m jail.Mount) bool {
	a.find()
	return a.at[m.Target]
}

// underFlag names the flag behind a field of spec: "limits.memory" was
// --memory on the command line.
func (a *askedFor) underFlag(f jail.Fault, spec jail.Spec) jail.Fault {
	field, index, _ := strings.Cut(f.Field, "[")
	number, _, _ := strings.Cut(index, "]")
	switch field {
	case "profile":
		f.Field = "--profile"
		return f
	case "args":
		f.Field = "CMD"
		if number != "" && number != "0" {
			f.Field = "argument " + number
		}
		return f
	case "view":
		return a.grantFault(f, spec, number)
	}
	for _, d := range explainFlags() { // which are those of run as well
		if d.field == field && field != "" {
			f.Field = "--" + d.name
		}
	}
	return f
}

// grantFault is a fault of the mount at index of spec under the flag that asked for it,
// or under the key of profiles that makes such mounts where none did.
func (a *askedFor) grantFault(f jail.Fault, spec jail.Spec, index string) jail.Fault {
	i, err := strconv.Atoi(index)
	if err != nil || i < 0 || i >= len(spec.View) {
		f.Field = "view"
		return f
	}
	m := spec.View[i]
	if !slices.Contains([]jail.MountKind{jail.MountRO, jail.MountRW, jail.MountTmpfs}, m.Kind) {
		f.Field = "view[" + index + "]"
		return f
	}
	f.Want = a.otherGrant(f.Want, spec)
	f.Field = "--" + string(m.Kind)
	if a.asksFor(m) {
		return f
	}
	f.Field = "view." + string(m.Kind)
	gone := strings.HasSuffix(f.Want, unix.ENOENT.Error())
	f.Want += "; no flag asks for it, but the profile or the program"
	if gone { // such as what was learned, and removed since
		f.Want += ": make it, as a folder or as an empty file, or take its line out of the profile"
	}
	return f
}

// otherGrant names the other grant that a fault of a hole speaks of as it was asked for: by
// --workspace, or by the profile.
func (a *askedFor) otherGrant(want string, spec jail.Spec) string {
	const gives, shows = " gives: ", " shows it "
	before, named, ok := strings.Cut(want, gives)
	if !ok {
		return want
	}
	// The grant's path may hold any words.
	for end := 0; ; end += len(shows) {
		next := strings.Index(named[end:], shows)
		if next < 0 {
			return want
		}
		end += next
		if said, ok := a.saidOf(spec)[named[:end]]; ok {
			return before + gives + said + named[end:]
		}
	}
}

// saidOf is how the grants of spec are named that no flag of their kind asked for, by what
// package jail calls them.
func (a *askedFor) saidOf(spec jail.Spec) map[string]string {
	if a.grants != nil {
		return a.grants
	}
	a.grants = map[string]string{}
	for _, m := range spec.View {
		if m.Kind != jail.MountRO && m.Kind != jail.MountRW {
			continue
		}
		value := m.Source
		if m.Target != m.Source {
			value += ":" + m.Target
		}
		value = shellword.Quote(value)
		flag := "--" + string(m.Kind) + " " + value
		switch {
		case m.Kind == jail.MountRW && a.isWorkspace(m.Target):
			a.grants[flag] = "--workspace " + value
		case !a.asksFor(m):
			a.grants[flag] = "view." + string(m.Kind) + " of the profile, " + value + ","
		}
	}
	return a.grants
}
