package main

import (
	"fmt"
	"strings"
)

// fishCompletion hands what stands behind the program's name over to the
// program's own completion.
func fishCompletion() string {
	var b strings.Builder
	b.WriteString("# fish completion for jail\n" + fishPlace(explainFlags()))
	for _, c := range commands() {
		fmt.Fprintf(&b, "complete -c jail -f -n __fish_use_subcommand -a %s -d %s\n", c.name, fishQuote(c.summary))
	}
	b.WriteString(fishProfiles)
	for _, c := range commands() {
		where := "__fish_seen_subcommand_from " + c.name
		if c.name == "run" || c.name == "explain" {
			where = "__jail_flags " + c.name
		}
		for _, f := range c.completed() {
			fmt.Fprintf(&b, "complete -c jail -n %s -l %s%s -d %s\n", fishQuote(where), f.name, fishRest(f), fishQuote(f.usage))
		}
		words := c.words
		if c.name == "help" {
			words = commandNames()
		}
		if c.name == "profiles" {
			continue
		}
		if len(words) > 0 {
			fmt.Fprintf(&b, "complete -c jail -f -n %s -a %s\n", fishQuote(where), fishQuote(strings.Join(words, " ")))
		}
	}
	b.WriteString("complete -c jail -f -n '__jail_flags run; or __jail_flags explain' -a '(__fish_complete_command)'\n" +
		"complete -c jail -n '__fish_seen_subcommand_from run explain; and not __jail_flags run; and not __jail_flags explain' -xa '(__jail_program)'\n")
	return b.String()
}

// fishProfiles completes the words of `jail profiles`: names, and files.
const fishProfiles = `complete -c jail -f -n '__fish_seen_subcommand_from profiles; and not __fish_seen_subcommand_from list show check' -a 'list show check'
complete -c jail -n '__fish_seen_subcommand_from profiles; and __fish_seen_subcommand_from show' -Fa '(jail profiles list --names 2>/dev/null)'
complete -c jail -F -n '__fish_seen_subcommand_from profiles; and __fish_seen_subcommand_from check'
`

// fishPlace are fish functions: where the program stands, which is an error while
// the cursor is on flags; whether it is on those of the given command; and what
// completes the program and its words.
func fishPlace(flags []flagDef) string {
	var with []string
	for _, f := range flags {
		if f.value != "" {
			with = append(with, "--"+f.name)
		}
	}
	return `function __jail_at
    set -l words (commandline -opc)
    set -l i 3
    while test $i -le (count $words)
        switch $words[$i]
            case ` + strings.Join(with, " ") + `
                set i (math $i + 2)
            case '--'
                math $i + 1
                return 0
            case '-*'
                set i (math $i + 1)
            case '*'
                echo $i
                return 0
        end
    end
    return 1
end
function __jail_flags -a command
    set -l words (commandline -opc)
    test "$words[2]" = $command; and not __jail_at >/dev/null
end
function __jail_program
    set -l words (commandline -opc)
    set -l i (__jail_at); or return
    if test $i -gt (count $words)
        __fish_complete_command
    else
        complete -C (string join -- ' ' (string escape -- $words[$i..-1]) (commandline -ct))
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
