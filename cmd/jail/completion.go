package main

import (
	"fmt"
	"os"
	"strings"
)

func completionCommand(args []string) int {
	var o options
	words, status, ok := plainArgs("completion", args, &o)
	if !ok {
		return status
	}
	if len(words) == 1 {
		switch words[0] {
		case "bash":
			return print(bashCompletion())
		case "zsh":
			return print(zshCompletion())
		case "fish":
			return print(fishCompletion())
		}
	}
	given := strings.Join(words, " ")
	fmt.Fprintln(os.Stderr, "jail: completion: "+quote(given)+": name one shell: bash, zsh or fish")
	return exitRefused
}

// flagNames lists flags as they are typed, one-letter names behind.
func flagNames(flags []flagDef) []string {
	var names, short []string
	for _, f := range flags {
		names = append(names, "--"+f.name)
		if f.short != 0 {
			short = append(short, "-"+string(f.short))
		}
	}
	return append(names, short...)
}

// bashValue is the bash code that completes a flag's value.
func bashValue(f flagDef) string {
	switch f.words {
	case wordFile:
		return `COMPREPLY=($(compgen -f -- "$cur"))`
	case wordDir:
		return `COMPREPLY=($(compgen -d -- "$cur"))`
	case wordEnv:
		return `COMPREPLY=($(compgen -e -- "$cur"))`
	case wordProfile:
		return `COMPREPLY=($(compgen -W "$(jail profiles list --names 2>/dev/null)" -- "$cur") $(compgen -f -- "$cur"))`
	case wordChoice:
		return `COMPREPLY=($(compgen -W "` + strings.Join(f.values, " ") + `" -- "$cur"))`
	}
	return "COMPREPLY=()"
}

// bashCompletion walks the words to find out whether the cursor is on a flag
// of jail or behind the program's name, where the program's own words begin.
func bashCompletion() string {
	var b strings.Builder
	b.WriteString("# bash completion for jail\n_jail() {\n" +
		"    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} i\n" +
		"    COMPREPLY=()\n" +
		"    if ((COMP_CWORD == 1)); then\n" +
		"        COMPREPLY=($(compgen -W \"" + strings.Join(commandNames(), " ") + "\" -- \"$cur\"))\n" +
		"        return\n    fi\n    case ${COMP_WORDS[1]} in\n")
	for _, c := range commands() {
		if c.name == "explain" {
			continue
		}
		if c.name == "run" {
			b.WriteString("    run | explain)\n" + bashRun(c.flags()) + "        ;;\n")
			continue
		}
		words := append(flagNames(c.flags()), c.words...)
		if c.name == "help" {
			words = append(words, commandNames()...)
		}
		fmt.Fprintf(&b, "    %s) COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")%s) ;;\n", c.name, strings.Join(words, " "), bashFiles(c.name))
	}
	b.WriteString("    esac\n}\ncomplete -o filenames -o bashdefault -F _jail jail\n")
	return b.String()
}

// bashFiles adds file names where a command takes one.
func bashFiles(command string) string {
	if command == "profiles" || command == "eval" {
		return ` $(compgen -f -- "$cur")`
	}
	return ""
}

// bashRun completes the words of `jail run`.
func bashRun(flags []flagDef) string {
	var takesValue []string
	var b strings.Builder
	for _, f := range flags {
		if f.value != "" {
			takesValue = append(takesValue, "--"+f.name)
		}
	}
	with := strings.Join(takesValue, " | ")
	fmt.Fprintf(&b, `        for ((i = 2; i < COMP_CWORD; i++)); do
            case ${COMP_WORDS[i]} in
            %s) ((i++)) ;;
            --) ((i++)); break ;;
            -*) ;;
            *) break ;;
            esac
        done
        if ((i < COMP_CWORD)); then
            COMPREPLY=($(compgen -f -- "$cur"))
            return
        fi
        case $prev in
`, with)
	for _, f := range flags {
		if f.value != "" {
			fmt.Fprintf(&b, "        --%s) [[ $i -gt $COMP_CWORD ]] && { %s; return; } ;;\n", f.name, bashValue(f))
		}
	}
	fmt.Fprintf(&b, `        esac
        if [[ $cur == -* ]]; then
            COMPREPLY=($(compgen -W "%s" -- "$cur"))
        else
            COMPREPLY=($(compgen -c -f -- "$cur"))
        fi
`, strings.Join(flagNames(flags), " "))
	return b.String()
}
