package main

import (
	"fmt"
	"strings"
)

// zshCompletion leaves the walk over the words to _arguments; `*::` hands the
// program's own words over to the program's own completion. No variable may be
// called as one of the shell's (commands, words), which that completion reads.
func zshCompletion() string {
	var b strings.Builder
	b.WriteString("#compdef jail\n_jail() {\n    local -a ours\n    ours=(\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "        %s\n", zshQuote(c.name+":"+c.summary))
	}
	b.WriteString("    )\n    if ((CURRENT == 2)); then\n        _describe command ours\n        return\n    fi\n" +
		"    local command=$words[2]\n    shift words\n    ((CURRENT--))\n    case $command in\n")
	for _, c := range commands() {
		rest := ""
		switch {
		case c.name == "run" || c.name == "explain":
			rest = zshQuote("*::program:" + zshProgram)
		case c.name == "help":
			rest = "'1:command:(" + strings.Join(commandNames(), " ") + ")'"
		case c.name == "profiles":
			rest = "'1:what:(list show check)' " + zshQuote("2:profile:{[[ $words[2] == check ]] || "+zshProfiles+"; _files}")
		case len(c.words) > 0:
			rest = "'1:word:(" + strings.Join(c.words, " ") + ")'"
		}
		fmt.Fprintf(&b, "    %s)\n        _arguments -S", c.name)
		for _, f := range c.completed() {
			b.WriteString(" \\\n            " + zshFlag(f))
		}
		if rest != "" {
			b.WriteString(" \\\n            " + rest)
		}
		b.WriteString(" ;;\n")
	}
	b.WriteString("    esac\n}\n_jail \"$@\"\n")
	return b.String()
}

// zshFlag is one flag as _arguments wants it.
func zshFlag(f flagDef) string {
	usage := strings.NewReplacer("[", `\[`, "]", `\]`, ":", `\:`).Replace(f.usage)
	spec := "--" + f.name
	if f.many {
		spec = "*" + spec
	}
	if f.value != "" {
		spec += "=[" + usage + "]:" + strings.ReplaceAll(strings.ToLower(f.value), ":", `\:`) + ":" + zshValue(f)
	} else {
		spec += "[" + usage + "]"
	}
	return zshQuote(spec)
}

func zshValue(f flagDef) string {
	switch f.words {
	case wordFile:
		return "_files"
	case wordDir:
		return "_files -/"
	case wordEnv:
		return "_parameters -g '*export*'"
	case wordProfile:
		return "{" + zshProfiles + "; _files}"
	case wordChoice:
		return "(" + strings.Join(f.values, " ") + ")"
	}
	return " "
}

// zshProgram completes the program and its words; _arguments leaves the -- in front
// of them.
const zshProgram = `{ if [[ $words[1] == -- ]]; then shift words; ((CURRENT--)); fi; if ((CURRENT == 1)); then _command_names -e || _files; else _normal; fi }`

const zshProfiles = `compadd -- ${(f)"$(jail profiles list --names 2>/dev/null)"}`

func zshQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
