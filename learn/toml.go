package learn

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail"
)

// blind is what the runs can't have shown.
const blind = `# What it can't tell: what the program did not do in these runs; what the kernel
# opens by itself (the interpreter of a script); what is reached through an open
# descriptor; how a call was answered, since paths are looked up beside the calls.
`

// Mark is what a learned profile begins with.
const Mark = "# Learned from "

// TOML is the profile. It is the same for the same runs.
func (l *Learned) TOML() string {
	var b strings.Builder
	fmt.Fprintf(&b, Mark+"%s of: %s\n", runsText(len(l.Runs)), shellword.Line(shellLine(l.Args)))
	fmt.Fprintf(&b, "# %s\n", endings(l.Runs))
	b.WriteString("# Read it before you use it: it holds what the program did, needed or not.\n")
	if l.Dir != "" {
		fmt.Fprintf(&b, "# To run it as it was: jail run --profile THIS-FILE --cwd %s -- %s\n", shellword.Line(shellword.Quote(l.Dir)), shellword.Line(shellLine(l.Args)))
	}
	b.WriteString("#\n" + blind)
	notes(&b, "Not granted, for you to decide", l.Open)
	notes(&b, "Not there, and mostly done without", l.Sought)
	fmt.Fprintf(&b, "\nextends = %s\n", shellword.TOML(l.Extends))
	fmt.Fprintf(&b, "description = %s\n", shellword.TOML("learned from "+runsText(len(l.Runs))+" of "+short(l.Args)))
	if len(l.Kept.Require) > 0 {
		fmt.Fprintf(&b, "require = [%s]\n", joinTexts(l.Kept.Require))
	}
	l.view(&b)
	l.limitsTOML(&b)
	l.net(&b)
	l.calls(&b)
	return b.String()
}

// mostNotes is how much of a profile's text one list of notes takes up.
const mostNotes = MostText / 4

// notes are lines of a comment. How many and how long there are is the program's choice.
func notes(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	b.WriteString("#\n# " + title + ":\n")
	room := mostNotes
	for i, line := range lines {
		line = "#   " + shellword.Line(line) + "\n"
		if room -= len(line); room < 0 {
			fmt.Fprintf(b, "#   and %d more\n", len(lines)-i)
			return
		}
		b.WriteString(line)
	}
}

func (l *Learned) view(b *strings.Builder) {
	if len(l.ReadOnly)+len(l.Writable)+len(l.Tmpfs) == 0 {
		return
	}
	b.WriteString("\n[view]\n")
	for _, part := range []struct {
		key    string
		grants []Grant
	}{{"ro", l.ReadOnly}, {"rw", l.Writable}} {
		if len(part.grants) == 0 {
			continue
		}
		b.WriteString(part.key + " = [\n")
		for _, g := range part.grants {
			fmt.Fprintf(b, "  %s, # %s\n", shellword.TOML(g.value()), shellword.Line(g.Why))
		}
		b.WriteString("]\n")
	}
	if len(l.Tmpfs) > 0 {
		b.WriteString("tmpfs = [" + joinTexts(l.Tmpfs) + "]\n")
	}
}

func (l *Learned) calls(b *strings.Builder) {
	if len(l.Calls)+len(l.Kept.Deny) > 0 {
		b.WriteString("\n[seccomp]\n")
	}
	if len(l.Calls) > 0 {
		b.WriteString("# Allowed in the runs beyond the policy, and used, needed or not.\n")
		if slices.Contains(l.Calls, "flock") {
			b.WriteString("# flock holds up whoever else locks a file that is granted, read-only or not.\n")
		}
		b.WriteString("allow = [" + joinTexts(l.Calls) + "]\n")
	}
	if len(l.Kept.Deny) > 0 {
		b.WriteString("# Denied in the runs as well.\ndeny = [" + joinTexts(l.Kept.Deny) + "]\n")
	}
}

func (l *Learned) net(b *strings.Builder) {
	if l.Loopback || l.Interfaces || l.Unix || l.Kept.NoNet {
		b.WriteString("\n[net]\n")
	}
	switch {
	case l.Kept.NoNet:
		b.WriteString("# There was none in the runs.\nmode = \"none\"\n")
	case l.Loopback:
		b.WriteString("# It made sockets of the internet's families.\nmode = \"loopback\"\n")
	case l.Interfaces:
		b.WriteString("# It asked which interfaces there are.\nmode = \"loopback\"\n")
	}
	if l.Unix {
		b.WriteString("# Named Unix sockets were allowed in the runs, and made.\nunix = true\n")
	}
}

// endings says how the runs ended.
func endings(runs []Watched) string {
	var ways []string
	for _, w := range runs {
		ways = append(ways, Ending(w.Result))
	}
	if ways = slices.Compact(ways); len(ways) == 1 {
		if len(runs) == 1 {
			return "It ended: " + ways[0] + "."
		}
		return "Each ended: " + ways[0] + "."
	}
	return "They ended: " + strings.Join(ways, "; ") + "."
}

// Ending is how a run ended, in words.
func Ending(r jail.Result) string {
	switch {
	case r.ExitCode != nil:
		return fmt.Sprintf("%s, exit code %d", r.Reason, *r.ExitCode)
	case r.Signal != nil:
		return fmt.Sprintf("%s, %s", r.Reason, *r.Signal)
	}
	return string(r.Reason)
}

func runsText(n int) string {
	if n == 1 {
		return "one run"
	}
	return strconv.Itoa(n) + " runs"
}

func joinTexts(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = shellword.TOML(s)
	}
	return strings.Join(quoted, ", ")
}

func shellLine(args []string) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = shellword.Quote(a)
	}
	line := strings.Join(words, " ")
	if len(line) > 200 {
		line = strings.ToValidUTF8(line[:200], "") + " …"
	}
	return line
}

func short(args []string) string {
	name := args[0]
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	return shellword.Line(strings.ToValidUTF8(name, "�"))
}
