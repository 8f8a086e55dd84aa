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
		return "_jail_words -f"
	case wordDir:
		return "_jail_words -d"
	case wordEnv:
		return "_jail_words -e"
	case wordProfile:
		return "_jail_profiles"
	case wordChoice:
		return `_jail_words -W "` + strings.Join(f.values, " ") + `"`
	}
	return "COMPREPLY=()"
}

// bashHead begins the script. Readline makes a word of its own of the = in
// --flag=value. The names of profiles are those of files, and compgen -W would carry
// out what stands in them: they are compared.
const bashHead = `# bash completion for jail
_jail_words() { mapfile -t COMPREPLY < <(compgen "$@" -- "$cur"); }
_jail_profiles() {
    local name
    while IFS= read -r name; do
        [[ $name == "$cur"* ]] && COMPREPLY+=("$name")
    done < <(jail profiles list --names 2>/dev/null)
    [[ ${#COMPREPLY[@]} -eq 0 ]] && _jail_words -f
}
_jail() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} i own=
    COMPREPLY=()
    [[ $cur == = ]] && cur=
    [[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD-2]}
    if ((COMP_CWORD == 1)); then
        _jail_words -W "%s"
        return
    fi
    case ${COMP_WORDS[1]} in
`

// bashCompletion walks the words to find out whether the cursor is on a flag
// of jail or behind the program's name, where the program's own words begin.
func bashCompletion() string {
	var b strings.Builder
	fmt.Fprintf(&b, bashHead, strings.Join(commandNames(), " "))
	for _, c := range commands() {
		switch c.name {
		case "run", "explain":
			b.WriteString("    " + c.name + ")\n" + bashRun(c.completed()) + "        ;;\n")
			continue
		case "profiles":
			b.WriteString("    profiles)\n" + bashProfilesCommand(c) + "        ;;\n")
			continue
		}
		fmt.Fprintf(&b, "    %s)\n        case $prev in\n%s        esac\n        %s\n        ;;\n", c.name, bashValues(c.completed(), ""), bashWords(c))
	}
	b.WriteString("    esac\n}\ncomplete -o filenames -o bashdefault -F _jail jail\n")
	return b.String()
}

// bashWords completes the words of a command, or its flags.
func bashWords(c command) string {
	words := c.words
	if c.name == "help" {
		words = commandNames()
	}
	flags := `_jail_words -W "` + strings.Join(flagNames(c.completed()), " ") + `"`
	if len(words) == 0 {
		return flags
	}
	return "if [[ $cur == -* ]]; then " + flags + `; else _jail_words -W "` + strings.Join(words, " ") + `"; fi`
}

// bashValues are the cases of the flags that take a value; when is in front of each
// completion.
func bashValues(flags []flagDef, when string) string {
	var b strings.Builder
	for _, f := range flags {
		if f.value != "" {
			fmt.Fprintf(&b, "        --%s) %s{ %s; return; } ;;\n", f.name, when, bashValue(f))
		}
	}
	return b.String()
}

// bashProfilesCommand completes the words of `jail profiles`: names, and files.
func bashProfilesCommand(c command) string {
	return `        if ((COMP_CWORD == 3)) && [[ ${COMP_WORDS[2]} == show ]]; then
            _jail_profiles
        elif ((COMP_CWORD == 3)) && [[ ${COMP_WORDS[2]} == check ]]; then
            _jail_words -f
        elif ((COMP_CWORD == 2)); then
            ` + bashWords(c) + `
        fi
`
}

// bashRun completes the words of `jail run`.
func bashRun(flags []flagDef) string {
	var takesValue []string
	for _, f := range flags {
		if f.value != "" {
			takesValue = append(takesValue, "--"+f.name)
		}
	}
	return fmt.Sprintf(`        for ((i = 2; i < COMP_CWORD; i++)); do
            case ${COMP_WORDS[i]} in
            %s)
                ((i++))
                [[ ${COMP_WORDS[i]} == = ]] && ((i++))
                ;;
            --) ((i++)); own=1; break ;;
            -*) ;;
            *) own=1; break ;;
            esac
        done
        if ((i < COMP_CWORD)); then
            _jail_words -f
            return
        elif [[ $own ]]; then
            _jail_words -c -f
            return
        fi
        case $prev in
%s        esac
        if [[ $cur == -* ]]; then
            _jail_words -W "%s"
        else
            _jail_words -c -f
        fi
`, strings.Join(takesValue, " | "), bashValues(flags, "((i > COMP_CWORD)) && "), strings.Join(flagNames(flags), " "))
}
