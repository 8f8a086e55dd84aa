package main

import (
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/seed-75010da9/jail/jail"
)

// named says faults in the words of the command line: the flags behind the
// fields of spec, with the values as they were typed (1K, not 1024).
func (c *commandLine) named(faults jail.Faults, spec jail.Spec, o options) jail.Faults {
	named, asked := make(jail.Faults, len(faults)), askedBy(o)
	for i, f := range faults {
		named[i] = c.typed(asked.underFlag(f, spec), asked)
	}
	return named
}

// typed is f with the value of its flag as it was typed. Where none was, the
// value is a default, and the fault says so.
func (c *commandLine) typed(f jail.Fault, asked *askedFor) jail.Fault {
	if _, ok := inheritedFD(f.Value); ok && f.Field != "--stdin" && f.Field != "--record" {
		f.Want = "must be the path of a file itself, not of a descriptor: those go in by --stdin, as in --stdin - or --stdin fd:3"
		return f
	}
	if f.Field == "--rw" && asked.isWorkspace(f.Value) {
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
