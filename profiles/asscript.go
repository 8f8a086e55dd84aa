package profiles

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
)

// programAsScript is for a program that is named where the script goes, and no file
// here: what was wanted of it, with the line that works, or "".
func (b *builder) programAsScript(arg string, l line) string {
	if arg == "" || strings.Contains(arg, "/") {
		return ""
	}
	stem := func(program string) string { return strings.TrimRight(filepath.Base(program), "0123456789.") }
	isIts := func(interpreter string) bool { return stem(interpreter) == stem(arg) }
	if slices.ContainsFunc(b.p.settings.run.interpreter, isIts) {
		return "the script alone, since the profile brings the interpreter: " + runLine(b.p.Name, l.rest)
	}
	if other := interprets(arg); other != "" {
		return "a script of this profile's; " + shellword.Quote(arg) + " has a profile of its own, which brings it: " + runLine(other, l.rest)
	}
	if b.lookPath(arg) == "" {
		return ""
	}
	return "a script; " + shellword.Quote(arg) + " is a program, which goes without --profile: " + runLine("", append([]string{arg}, l.rest...))
}

// runLine is a line to type, under a profile or without; of arguments that are long it
// has the first alone.
func runLine(profile string, args []string) string {
	const longest = 120
	words := []string{"jail run"}
	if profile != "" {
		words = append(words, "--profile", shellword.Quote(profile))
	}
	switch {
	case len(args) == 0:
		return strings.Join(append(words, "SCRIPT"), " ")
	case profile == "" || isOption(args[0]):
		words = append(words, "--")
	}
	for i, arg := range args {
		if arg = shellword.Quote(arg); i > 0 && len(strings.Join(words, " "))+len(arg) > longest {
			words = append(words, "…")
			break
		}
		words = append(words, arg)
	}
	return strings.Join(words, " ")
}
