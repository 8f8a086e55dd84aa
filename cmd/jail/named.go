package main

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
	"golang.org/x/sys/unix"
)

// named says faults in the words of the command line: the flags behind the
// fields of spec, with the values as they were typed (1K, not 1024).
func (c *commandLine) named(faults jail.Faults, spec jail.Spec, o options) jail.Faults {
	named := make(jail.Faults, len(faults))
	for i, f := range faults {
		named[i] = c.typed(underFlag(f, spec, o), o)
	}
	return named
}

// typed is f with the value of its flag as it was typed. Where none was, the
// value is a default, and the fault says so.
func (c *commandLine) typed(f jail.Fault, o options) jail.Fault {
	if _, ok := inheritedFD(f.Value); ok && f.Field != "--stdin" && f.Field != "--record" {
		f.Want = "must be the path of a file itself, not of a descriptor: those go in by --stdin, as in --stdin - or --stdin fd:3"
		return f
	}
	if f.Field == "--rw" && o.over.Workspace != "" && isWorkspace(f.Value, o.over.Workspace) {
		f.Field = "--workspace"
	}
	if f.Field == "--profile" && c.profileFlag() != f.Field {
		f.Field = c.profileFlag()
		return f
	}
	f.Want = inUnits(f.Want)
	d := lookup(runFlags(), f.Field)
	if d == nil || d.many {
		return f
	}
	for _, s := range c.settings {
		if s.def.name == d.name {
			f.Value = s.value
			return f
		}
	}
	if d.preset != "" {
		f.Want += "; this is the default, or the profile's: give " + f.Field
	}
	return f
}

func isWorkspace(path, workspace string) bool {
	abs, err := filepath.Abs(workspace)
	return err == nil && path == abs
}

// inUnits writes the numbers of bytes in text as sizes are typed.
func inUnits(text string) string {
	numbers, ok := strings.CutSuffix(text, " bytes")
	if !ok {
		return text
	}
	words := strings.Fields(numbers)
	for i, w := range words {
		n, err := strconv.ParseInt(w, 10, 64)
		if err != nil || n == 0 {
			continue
		}
		unit := ""
		for _, next := range []string{"K", "M", "G"} {
			if n%1024 != 0 {
				break
			}
			n, unit = n/1024, next
		}
		words[i] = strconv.FormatInt(n, 10) + unit
	}
	return strings.Join(words, " ")
}

// checkWorkspace says so when --workspace is no folder.
func (c *commandLine) checkWorkspace(o options) {
	if o.over.Workspace == "" {
		return
	}
	info, err := os.Stat(o.over.Workspace)
	switch {
	case errors.Is(err, os.ErrNotExist):
		c.fault("--workspace", o.over.Workspace, "must be a folder that exists")
	case err == nil && !info.IsDir():
		c.fault("--workspace", o.over.Workspace, "must be a folder; a file is granted by --rw")
	}
}

// underFlag names the flag behind a field of spec: "limits.memory" was
// --memory on the command line.
func underFlag(f jail.Fault, spec jail.Spec, o options) jail.Fault {
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
		return grantFault(f, spec, number, o)
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
func grantFault(f jail.Fault, spec jail.Spec, index string, o options) jail.Fault {
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
	f.Want = otherGrant(f.Want, spec, o)
	f.Field = "--" + string(m.Kind)
	if o.asksFor(m) {
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
func otherGrant(want string, spec jail.Spec, o options) string {
	for _, m := range spec.View {
		if m.Kind != jail.MountRO && m.Kind != jail.MountRW {
			continue
		}
		value := m.Source
		if m.Target != m.Source {
			value += ":" + m.Target
		}
		flag, shows := "--"+string(m.Kind)+" "+shellword.Quote(value), " shows it "
		switch {
		case m.Kind == jail.MountRW && o.over.Workspace != "" && isWorkspace(m.Target, o.over.Workspace):
			want = strings.Replace(want, flag+shows, "--workspace "+shellword.Quote(value)+shows, 1)
		case !o.asksFor(m):
			want = strings.Replace(want, flag+shows, "view."+string(m.Kind)+" of the profile, "+shellword.Quote(value)+","+shows, 1)
		}
	}
	return want
}

// asksFor says whether a flag asks for what is shown at a mount's place in the box.
func (o options) asksFor(m jail.Mount) bool {
	at := func(p string) bool {
		abs, err := filepath.Abs(p)
		return err == nil && abs == m.Target
	}
	for _, g := range slices.Concat(o.over.RO, o.over.RW) {
		if at(cmp.Or(g.Box, g.Host)) {
			return true
		}
	}
	return o.over.Workspace != "" && at(o.over.Workspace) || slices.ContainsFunc(o.over.Tmpfs, func(t profiles.Tmpfs) bool { return at(t.Box) })
}
