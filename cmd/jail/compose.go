package main

import (
	"errors"
	"strconv"
	"strings"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

// defaultProfile is what runs without --profile: any program, its own file
// granted with it.
const defaultProfile = "exec"

// parseRun reads the arguments of `jail run`.
func parseRun(args []string) (options, *commandLine) {
	var o options
	line := parse(runFlags(), args)
	line.apply(&o)
	return o, &line
}

// compose makes a Spec of what was read. Every fault that can be found without
// touching anything is among the line's faults then, each under the name of its
// flag.
func (c *commandLine) compose(o options, host profiles.Host, limit *setupLimit) jail.Spec {
	c.together(&o)
	name := o.profile
	if name == "" {
		name = defaultProfile
	}
	p, err := profiles.Load(name, host)
	if err != nil {
		c.errors(err, "--profile", name)
		return jail.Spec{Name: o.over.Name}
	}
	if len(c.rest) == 0 {
		return jail.Spec{}
	}
	if o.over.Limits.Timeout == 0 {
		limit.profile(p.Limits().Timeout)
	}
	spec, err := p.Spec(c.rest, o.over, host)
	if err != nil {
		c.errors(err, "--profile", name)
	}
	spec.Hostname = o.hostname
	spec.Unix = spec.Unix || o.unix
	c.validate(spec)
	return spec
}

// validate adds the faults that spec has by itself: those of its fields under
// the names of their flags, with the values as they were typed (1K, not 1024).
// What another check has found already is not told twice.
func (c *commandLine) validate(spec jail.Spec) {
	var faults jail.Faults
	if !errors.As(spec.Validate(), &faults) {
		return
	}
	type place struct{ field, value string }
	typed, known := map[string]string{}, map[place]bool{}
	for _, s := range c.settings {
		if !s.def.many {
			typed["--"+s.def.name] = s.value
		}
	}
	for _, f := range c.faults {
		known[place{f.Field, f.Value}] = true
	}
	for _, f := range namedByFlag(faults, spec) {
		if value, ok := typed[f.Field]; ok {
			f.Value = value
		}
		if at := (place{f.Field, f.Value}); !known[at] {
			known[at] = true
			c.faults = append(c.faults, f)
		}
	}
}

// together checks what flags say with one another.
func (c *commandLine) together(o *options) {
	if len(c.rest) == 0 {
		c.fault("CMD", "", "name the program to run: jail run [FLAGS] [--] CMD [ARG…]")
	}
	for _, pair := range [...]struct {
		first, second bool
		names, why    string
	}{
		{o.json, o.record != "", "--json, --record", "give one of them: the first captures the output, the second streams it"},
		{o.tty, o.json, "--tty, --json", "give one of them: what goes to a terminal can't be captured"},
		{o.tty, o.stdin != "", "--tty, --stdin", "give one of them: with --tty the terminal is the input"},
	} {
		if pair.first && pair.second {
			c.fault(pair.names, "", pair.why)
		}
	}
}

// errors adds what package profiles found, which may be many faults.
func (c *commandLine) errors(err error, field, value string) {
	var faults jail.Faults
	if !errors.As(err, &faults) {
		c.fault(field, value, err.Error())
		return
	}
	c.faults = append(c.faults, namedByFlag(inWords(faults), jail.Spec{})...)
}

// namedByFlag names the flags behind the fields of spec.
func namedByFlag(faults jail.Faults, spec jail.Spec) jail.Faults {
	named := make(jail.Faults, len(faults))
	for i, f := range faults {
		named[i] = underFlag(f, spec)
	}
	return named
}

// underFlag names the flag behind a field of spec: "limits.memory" was
// --memory on the command line.
func underFlag(f jail.Fault, spec jail.Spec) jail.Fault {
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
		f.Field = grantFlag(spec, number)
		return f
	}
	for _, d := range runFlags() {
		if d.field == field && field != "" {
			f.Field = "--" + d.name
		}
	}
	return f
}

// grantFlag is the flag that makes mounts like the one of spec at index.
func grantFlag(spec jail.Spec, index string) string {
	i, err := strconv.Atoi(index)
	if err != nil || i < 0 || i >= len(spec.View) {
		return "view"
	}
	switch spec.View[i].Kind {
	case jail.MountRO:
		return "--ro"
	case jail.MountRW:
		return "--rw"
	case jail.MountTmpfs:
		return "--tmpfs"
	}
	return "view[" + index + "]"
}
