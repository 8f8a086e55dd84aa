package main

import (
	"slices"
	"strings"
)

// A command is one word behind `jail`.
type command struct {
	name    string
	args    string   // what follows the name, for help
	summary string   // half a sentence, for the list of commands
	words   []string // arguments that the shells complete
	flags   func() []flagDef
	run     func(args []string) int
}

// commands lists every command in the order of the help page.
func commands() []command {
	return []command{
		{name: "run", args: "[FLAGS] [--] CMD [ARG…]", summary: "run one program in a box", flags: runFlags, run: runCommand},
		{name: "explain", args: "[--why WHAT] [FLAGS] [--] CMD [ARG…]", summary: "print what `run` would do, and run nothing; or try an access, with --why", flags: explainFlags, run: explainCommand},
		{name: "learn", args: "[--out FILE | --check FILE] [--runs N] [FLAGS] [--] CMD [ARG…]", summary: "run a program in a watching box, and write a profile of what it needed", flags: learnFlags, run: learnCommand},
		{name: "eval", args: "--profile node|python|sh|wasm [FLAGS] <REQUEST", summary: "evaluate a source in a box; the record has its value", flags: evalFlags, run: evalCommand},
		{name: "serve", args: "[FLAGS]", summary: "run boxes for others over a socket, some of them ready ahead of need", flags: serveFlags, run: serveCommand},
		{name: "mcp", args: "[FLAGS]", summary: "give a chat client or an agent tools that run code in boxes", flags: mcpFlags, run: mcpCommand},
		{name: "doctor", args: "[--json | --fix-hints] [--cgroup-parent PATH]", summary: "try each layer on this host; say what is missing and how to get it", flags: doctorFlags, run: doctorCommand},
		{name: "selftest", args: "[--list] [--only NAME]… [--json]", summary: "attack boxes on this host, and show which wall stops what", flags: selftestFlags, run: selftestCommand},
		{name: "profiles", args: "[list | show NAME | check FILE]", summary: "the kinds of programs that jail knows", words: []string{"list", "show", "check"}, flags: profilesFlags, run: profilesCommand},
		{name: "version", summary: "print the versions of jail and of what it stands on", flags: helpOnly, run: versionCommand},
		{name: "completion", args: "bash | zsh | fish", summary: "print a completion script for a shell", words: []string{"bash", "zsh", "fish"}, flags: helpOnly, run: completionCommand},
		{name: "help", args: "[COMMAND]", summary: "print help on jail or on one command", flags: helpOnly, run: helpCommand},
	}
}

// completed are the flags that the shells complete.
func (c command) completed() []flagDef {
	return slices.DeleteFunc(c.flags(), func(f flagDef) bool { return f.script })
}

func findCommand(name string) *command {
	for _, c := range commands() {
		if c.name == name {
			return &c
		}
	}
	return nil
}

func commandNames() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

func unknownCommand(name string) string {
	text := "jail: unknown command " + quote(name)
	if near := nearest(name, commandNames()); near != "" {
		return text + "; did you mean " + near + "?"
	}
	return text + "; there are " + strings.Join(commandNames(), ", ") + "; a program is run with `jail run`"
}

// helpFlag is part of every command's flags.
func helpFlag() flagDef {
	return flagDef{name: "help", short: 'h', group: groupResult, usage: "print this help",
		set: on(func(o *options) *bool { return &o.help })}
}

func helpOnly() []flagDef { return []flagDef{helpFlag()} }

// plainArgs reads the arguments of a command that takes few flags. ok is false
// when that is all there is to do: help was asked for or something is wrong;
// then status is jail's exit status.
func plainArgs(name string, args []string, o *options) (rest []string, status int, ok bool) {
	c := findCommand(name)
	table := c.flags()
	for {
		line := parseOf(name, table, args)
		line.apply(o)
		if o.help {
			return nil, printHelp(name), false
		}
		if len(line.faults) > 0 {
			printFaults(line.faults)
			return nil, exitRefused, false
		}
		// Flags may stand behind words here: nothing is passed on.
		if len(line.rest) == 0 || !flagsBehind(line.rest) {
			return append(rest, line.rest...), 0, true
		}
		rest, args = append(rest, line.rest[0]), line.rest[1:]
	}
}

func flagsBehind(words []string) bool {
	for _, w := range words[1:] {
		if strings.HasPrefix(w, "-") {
			return true
		}
	}
	return false
}
