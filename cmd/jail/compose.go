package main

import (
	"cmp"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

// defaultProfile is what runs without --profile: any program, its own file
// granted with it.
const defaultProfile = "exec"

// leastProfile makes the fewest demands.
const leastProfile = "base"

// parseRun reads the arguments of `jail run`.
func parseRun(args []string) (options, *commandLine) { return parseWith(runFlags(), args) }

func parseWith(flags []flagDef, args []string) (options, *commandLine) {
	var o options
	line := parse(flags, args)
	line.apply(&o)
	return o, &line
}

// compose makes a Spec of what was read. Every fault that can be found without
// touching anything is among the line's faults then, each under the name of its
// flag. limit may be nil.
func (c *commandLine) compose(o options, host profiles.Host, limit *setupLimit) jail.Spec {
	c.together(&o)
	name := o.profile
	if name == "" {
		name = defaultProfile
	}
	p, err := profiles.Load(name, host)
	if err != nil {
		c.errors(err, c.profileFlag(), name, o)
	}
	if err != nil || len(c.rest) == 0 {
		return c.flagsAlone(o, host)
	}
	if o.over.Limits.Timeout == 0 && limit != nil {
		limit.profile(p.Limits().Timeout)
	}
	if o.tty {
		o.over.Env = append(o.over.Env, terminalType(o.over)...)
	}
	o.over.OwnInterpreter = !o.eval.believes
	return c.spec(p, c.rest, o, host)
}

// flagsAlone finds what is wrong with the other flags when there is no profile, or
// no program, to make a Spec of.
func (c *commandLine) flagsAlone(o options, host profiles.Host) jail.Spec {
	p, err := profiles.Load(leastProfile, host)
	if err != nil {
		return o.asked()
	}
	spec := c.spec(p, []string{"true"}, o, host)
	spec.Profile = nil
	return spec
}

// spec is the Spec of a program under a profile.
func (c *commandLine) spec(p *profiles.Profile, args []string, o options, host profiles.Host) jail.Spec {
	c.module = p.RunsModules()
	spec, err := p.Spec(args, o.over, host)
	c.bare = len(p.Files()) > 0 && !slices.ContainsFunc(spec.View, func(m jail.Mount) bool { return m.Kind == jail.MountSystem })
	if err != nil {
		c.errors(err, c.profileFlag(), p.Name, o)
	}
	c.checkWorkspace(o)
	spec.Hostname = o.hostname
	spec.Timings, spec.Trace = o.timings, o.trace
	spec.Unix = spec.Unix || o.unix
	c.validate(spec, o)
	return spec
}

// asked is what a record says of a run that comes to no Spec.
func (o options) asked() jail.Spec {
	return jail.Spec{Name: o.over.Name, Tier: o.over.Tier, Optional: o.over.Optional}
}

// validate adds the faults that spec has by itself.
func (c *commandLine) validate(spec jail.Spec, o options) { c.found(spec.Validate(), spec, o) }

// lookAtHost adds the faults that spec has on this host, if there are any faults
// already: a run finds them itself, and would tell them the next time.
func (c *commandLine) lookAtHost(spec jail.Spec, o options) {
	if len(c.faults) > 0 {
		c.found(jail.Check(spec), spec, o)
	}
}

// kept is the Spec of boxes of a profile that a companion makes later, for programs that
// its callers name, with all that is wrong with it here among the line's faults: the
// companion knows of no flags. What args are grants nothing.
func (c *commandLine) kept(o options, host profiles.Host, profile string, args ...string) jail.Spec {
	o.profile, c.rest = profile, args
	spec := c.compose(o, host, nil)
	c.found(jail.Check(spec), spec, o)
	return spec
}

// found adds Faults of spec. What another check has found already is not told
// twice.
func (c *commandLine) found(err error, spec jail.Spec, o options) {
	var faults jail.Faults
	if !errors.As(err, &faults) {
		return
	}
	type place struct{ field, value string }
	known := map[place]bool{}
	for _, f := range c.faults {
		known[place{f.Field, f.Value}] = true
		if f.Field == "command" && f.Value == "" { // no program
			known[place{"CMD", ""}] = true
		}
	}
	for _, f := range c.named(faults, spec, o) {
		if at := (place{f.Field, f.Value}); !known[at] {
			known[at] = true
			c.faults = append(c.faults, f)
		}
	}
}

// together checks what flags say with one another.
func (c *commandLine) together(o *options) {
	if len(c.rest) == 0 && len(c.faults) == 0 {
		c.fault("CMD", "", "name the program to run: jail "+cmp.Or(c.command, "run")+" [FLAGS] [--] CMD [ARG…]")
	}
	for _, pair := range [...]struct {
		first, second bool
		names, why    string
	}{
		{o.json, o.record != "", "--json, --record", "give one of them: the first captures the output, the second streams it"},
		{o.eval.reads, o.over.Limits.Output == jail.Unlimited, "--output", "unlimited output can't be captured, as it is here: give a size"},
		{o.json && !o.eval.reads, o.over.Limits.Output == jail.Unlimited, "--json, --output", "unlimited output can't be captured: give a size, or take the record by --record"},
		{o.tty, o.json, "--tty, --json", "give one of them: what goes to a terminal can't be captured"},
		{o.tty, o.via != "", "--tty, --via", "give one of them: a server has no terminal to join a program to"},
		{o.tty, o.stdin != "", "--tty, --stdin", "give one of them: with --tty the terminal is the input"},
	} {
		if pair.first && pair.second {
			c.fault(pair.names, "", pair.why)
		}
	}
}

// profileFlag is the flag that named the profile.
func (c *commandLine) profileFlag() string { return cmp.Or(c.profiled, "--profile") }

// errors adds what package profiles found, which may be many faults. A flag as the
// field is the one that named the profile.
func (c *commandLine) errors(err error, field, value string, o options) {
	var faults jail.Faults
	if !errors.As(err, &faults) {
		c.fault(field, value, err.Error())
		return
	}
	defer func(by string) { c.profiled = by }(c.profiled)
	if strings.HasPrefix(field, "--") {
		c.profiled = field
	}
	known := make(map[jail.Fault]bool, len(c.faults))
	for _, f := range c.faults { // such as of another box
		known[f] = true
	}
	for _, f := range c.named(inWords(faults), jail.Spec{}, o) {
		if !known[f] {
			known[f] = true
			c.faults = append(c.faults, f)
		}
	}
}

// terminalType is the TERM of the caller's terminal for a program that gets one
// joined to it, unless the flags set another.
func terminalType(over profiles.Overrides) []string {
	value, ok := os.LookupEnv("TERM")
	isTerm := func(kv string) bool { return strings.HasPrefix(kv, "TERM=") }
	if !ok || slices.Contains(over.PassEnv, "TERM") || slices.ContainsFunc(over.Env, isTerm) {
		return nil
	}
	return []string{"TERM=" + value}
}
