package main

import (
	"fmt"
	"strings"
)

// fishCompletion hands what stands behind the program's name over to the
// program's own completion.
func fishCompletion() string {
	var b strings.Builder
	b.WriteString("# fish completion for jail\n" + fishPlace(runFlags()))
	for _, c := range commands() {
		fmt.Fprintf(&b, "complete -c jail -f -n __fish_use_subcommand -a %s -d %s\n", c.name, fishQuote(c.summary))
	}
	for _, c := range commands() {
		where := "__fish_seen_subcommand_from " + c.name
		if c.name == "run" || c.name == "explain" {
			where = "__jail_flags " + c.name
		}
		for _, f := range c.flags() {
			fmt.Fprintf(&b, "complete -c jail -n %s -l %s%s -d %s\n", fishQuote(where), f.name, fishRest(f), fishQuote(f.usage))
		}
		words := c.words
		if c.name == "help" {
			words = commandNames()
		}
		if len(words) > 0 {
			fmt.Fprintf(&b, "complete -c jail -f -n %s -a %s\n", fishQuote(where), fishQuote(strings.Join(words, " ")))
		}
	}
	b.WriteString("complete -c jail -f -n '__jail_flags run; or __jail_flags explain' -a '(__fish_complete_command)'\n" +
		"complete -c jail -n '__fish_seen_subcommand_from run explain; and not __jail_flags run; and not __jail_flags explain' -xa '(__fish_complete_subcommand)'\n")
	return b.String()
}

// fishPlace is a fish function: whether the cursor is where flags of the given
// command stand.
func fishPlace(flags []flagDef) string {
	var with []string
	for _, f := range flags {
		if f.value != "" {
			with = append(with, "--"+f.name)
		}
	}
	return `function __jail_flags -a command
    set -l words (commandline -opc)
    test "$words[2]" = $command; or return 1
    set -l i 3
    while test $i -le (count $words)
        switch $words[$i]
            case ` + strings.Join(with, " ") + `
                set i (math $i + 2)
            case '--'
                return 1
            case '-*'
                set i (math $i + 1)
            case '*'
                return 1
        end
    end
end
`
}

// fishRest is the short name and the value of a flag as complete wants them.
func fishRest(f flagDef) string {
	s := ""
	if f.short != 0 {
		s += " -s " + string(f.short)
	}
	if f.value == "" {
		return s
	}
	switch f.words {
	case wordFile:
		return s + " -rF"
	case wordDir:
		return s + " -xa '(__fish_complete_directories)'"
	case wordEnv:
		return s + " -xa '(set -xn)'"
	case wordProfile:
		return s + " -rFa '(jail profiles list --names 2>/dev/null)'"
	case wordChoice:
		return s + " -xa " + fishQuote(strings.Join(f.values, " "))
	}
	return s + " -x"
}

func fishQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}
