package main

import (
	"cmp"
	"strings"

	"github.com/seed-75010da9/jail/jail"
)

// A flagDef is one flag. The tables of them are the only source of what is
// parsed, of what `jail help` prints and of what the shells complete.
type flagDef struct {
	name   string // long name, without dashes
	short  byte   // one-letter name, or 0
	value  string // name of the value in help; empty for a switch
	many   bool   // may be given more than once
	group  string // heading in help
	usage  string // one sentence for help
	accept string // what a value must look like, for faults and help
	preset string // default, for help; empty if there is none
	field  string // the field of jail.Spec that it sets, as Validate names it
	values []string
	words  completes
	script bool // for scripts: in the help, but not completed
	set    func(*options, string) error
}

// completes says what kind of word a flag's value is, for completion.
type completes int

const (
	wordAny completes = iota
	wordFile
	wordDir
	wordProfile
	wordEnv
	wordChoice // one of flagDef.values
)

// A setting is one flag as it was given.
type setting struct {
	def   *flagDef
	value string
}

// A commandLine is what parse makes of arguments.
type commandLine struct {
	command  string // that is told of where no program is named; "" is run
	settings []setting
	rest     []string // from the first argument on that is no flag
	faults   jail.Faults
	profiled string // the flag that named the profile which is looked at, where that is not --profile
	bare     bool   // the profile is one that shows nothing of the system's
	module   bool   // what runs is a WebAssembly module, in the engine
}

// parse reads flags until the first argument that is none, or `--`: what
// follows belongs to the program in the box, whatever it looks like. Package
// flag would do the same, but stops at the first fault, has no repeatable or
// hidden-by-table flags, and prints its own texts; the libraries that do more
// cost start-up time on every run.
//
// Faults do not stop it, so that all of them are reported at once, and so that
// a --json behind a mistyped flag is still seen.
func parse(table []flagDef, args []string) commandLine { return parseOf("", table, args) }

// parseOf is parse for another command than run.
func parseOf(command string, table []flagDef, args []string) commandLine {
	c := commandLine{command: command}
	for len(args) > 0 {
		arg := args[0]
		if arg == "--" {
			c.rest = args[1:]
			return c
		}
		if len(arg) < 2 || arg[0] != '-' {
			break
		}
		args = c.flag(table, arg, args[1:])
	}
	c.rest = args
	return c
}

// flag takes arg, a flag, and its value from args if it needs one; it returns
// the arguments behind it.
func (c *commandLine) flag(table []flagDef, arg string, args []string) []string {
	name, value, inline := strings.Cut(arg, "=")
	def := lookup(table, name)
	if def == nil {
		return c.unknown(table, name, inline, args)
	}
	shown := "--" + def.name
	switch {
	case def.value == "" && inline:
		c.fault(shown, value, "takes no value")
		return args
	case def.value == "":
		// A switch that is given twice says the same thing twice.
	case inline:
	case len(args) == 0 || isFlag(table, args[0]):
		c.fault(shown, "", "needs a value: "+def.accept)
		return args
	default:
		value, args = args[0], args[1:]
	}
	if !def.many && def.value != "" {
		if prev := c.given(def); prev != nil {
			c.fault(shown, value, "given twice, first as "+quote(prev.value)+"; give it once")
			return args
		}
	}
	c.settings = append(c.settings, setting{def, value})
	return args
}

// unknown reports a flag that is in no table, and guesses whether the next
// argument was meant as its value: it then is not taken for the program.
func (c *commandLine) unknown(table []flagDef, name string, inline bool, args []string) []string {
	names := make([]string, 0, len(table))
	for _, d := range table {
		names = append(names, d.name)
	}
	want := "unknown flag"
	near := nearest(strings.TrimLeft(name, "-"), names)
	if near != "" {
		want += "; did you mean --" + near + "?"
	} else {
		want += "; `jail help " + cmp.Or(c.command, "run") + "` lists them"
		if c.command == "" { // the others have no program of the caller's
			want += "; flags of the program go behind `--`"
		}
	}
	c.fault(name, "", want)
	def := lookup(table, "--"+near)
	takesValue := def == nil || def.value != ""
	if takesValue && !inline && len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		return args[1:]
	}
	return args
}

func (c *commandLine) fault(field, value, want string) {
	c.faults = append(c.faults, jail.Fault{Field: field, Value: value, Want: want})
}

// given is the first setting of def, or nil.
func (c *commandLine) given(def *flagDef) *setting {
	for i := range c.settings {
		if c.settings[i].def == def {
			return &c.settings[i]
		}
	}
	return nil
}

// lookup finds a flag by the name it was typed with: --long or -s.
func lookup(table []flagDef, typed string) *flagDef {
	long, isLong := strings.CutPrefix(typed, "--")
	for i := range table {
		d := &table[i]
		if isLong && d.name == long || !isLong && len(typed) == 2 && d.short != 0 && typed[1] == d.short {
			return d
		}
	}
	return nil
}

// isFlag says that arg is `--` or one of our long flags, with a value or
// without. It is then no value of the flag before it; --flag=--other would
// make it one.
func isFlag(table []flagDef, arg string) bool {
	name, _, _ := strings.Cut(arg, "=")
	return name == "--" || strings.HasPrefix(name, "--") && lookup(table, name) != nil
}

// apply carries every setting over into o. A value that its flag does not
// accept is a fault.
func (c *commandLine) apply(o *options) {
	for _, s := range c.settings {
		if err := s.def.set(o, s.value); err != nil {
			c.fault("--"+s.def.name, s.value, inUnits(err.Error()+s.def.within()))
		}
	}
}

// within is how much a limit may be.
func (d *flagDef) within() string {
	if within := jail.LimitRange(d.field); within != "" {
		return "; " + within
	}
	return ""
}
