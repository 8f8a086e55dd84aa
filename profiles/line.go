package profiles

import (
	"slices"
	"strings"
)

// A line is an interpreter's command line, taken apart.
type line struct {
	options   []string // up to the script, values and a "--" included
	script    string
	hasScript bool
	rest      []string
}

// splitLine finds the script: the first argument that is neither an option nor
// an option's value. "-" means stdin, and after an option that carries the
// code itself there is no script at all: what follows is passed on unread.
func splitLine(run *runSettings, args []string) line {
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--":
			i++
			if i == len(args) {
				return line{options: args}
			}
			return line{args[:i], args[i], true, args[i+1:]}
		case arg == "-":
			return line{options: args[:i], rest: args[i:]}
		case !isOption(arg):
			return line{args[:i], arg, true, args[i+1:]}
		default:
			switch run.option(arg) {
			case carriesCode:
				return line{options: args[:i], rest: args[i:]}
			case takesValue:
				i++
			}
		}
	}
	return line{options: args}
}

type optionKind int

const (
	standsAlone optionKind = iota
	takesValue             // the next argument is its value
	carriesCode            // no script follows
)

// option says what an option means for the arguments after it. In a cluster
// of one-letter options, as getopt(3) reads them, the first one that takes
// something takes the rest of the cluster, else the next argument.
func (run *runSettings) option(arg string) optionKind {
	if slices.Contains(run.code, arg) {
		return carriesCode
	}
	if slices.Contains(run.value, arg) {
		return takesValue
	}
	if name, _, ok := strings.Cut(arg, "="); ok && slices.Contains(run.code, name) && strings.HasPrefix(name, "--") {
		return carriesCode
	}
	if !run.cluster || strings.HasPrefix(arg, "--") {
		return standsAlone
	}
	for i := 1; i < len(arg); i++ {
		letter := arg[:1] + arg[i:i+1]
		switch {
		case slices.Contains(run.code, letter):
			return carriesCode
		case slices.Contains(run.value, letter) && i == len(arg)-1:
			return takesValue
		case slices.Contains(run.value, letter):
			return standsAlone
		}
	}
	return standsAlone
}
