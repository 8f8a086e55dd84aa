package learn

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-75010da9/jail/jail"
)

// blind is what the runs can't have shown.
const blind = `# What it can't tell: what the program did not do in these runs; what the kernel
# opens by itself (the interpreter of a script); what is reached through an open
# descriptor; how a call was answered, since paths are looked up beside the calls.
`

// TOML is the profile. It is the same for the same runs.
func (l *Learned) TOML() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Learned from %s of: %s\n", runsText(len(l.Runs)), comment(shellLine(l.Args)))
	fmt.Fprintf(&b, "# %s\n", endings(l.Runs))
	b.WriteString("# Read it before you use it: it holds what the program did, needed or not.\n")
	if l.Dir != "" {
		fmt.Fprintf(&b, "# To run it as it was: jail run --profile THIS-FILE --cwd %s -- …\n", comment(shellLine([]string{l.Dir})))
	}
	b.WriteString("#\n" + blind)
	if len(l.Open) > 0 {
		b.WriteString("#\n# Not granted, for you to decide:\n")
		for _, line := range l.Open {
			b.WriteString("#   " + comment(line) + "\n")
		}
	}
	if len(l.Sought) > 0 {
		b.WriteString("#\n# Not there, and mostly done without:\n")
		for _, line := range l.Sought {
			b.WriteString("#   " + comment(line) + "\n")
		}
	}
	fmt.Fprintf(&b, "\nextends = %s\n", text(l.Extends))
	fmt.Fprintf(&b, "description = %s\n", text("learned from "+runsText(len(l.Runs))+" of "+short(l.Args)))
	l.view(&b)
	l.limitsTOML(&b)
	l.net(&b)
	if len(l.Calls) > 0 {
		b.WriteString("\n[seccomp]\n# Allowed in the runs beyond the policy, and used.\nallow = [" + joinTexts(l.Calls) + "]\n")
	}
	return b.String()
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
			value := g.Host
			if g.Box != "" {
				value += ":" + g.Box
			}
			fmt.Fprintf(b, "  %s, # %s\n", text(value), comment(g.Why))
		}
		b.WriteString("]\n")
	}
	if len(l.Tmpfs) > 0 {
		b.WriteString("tmpfs = [" + joinTexts(l.Tmpfs) + "]\n")
	}
}

func (l *Learned) net(b *strings.Builder) {
	if l.Loopback || l.Interfaces || l.Unix {
		b.WriteString("\n[net]\n")
	}
	switch {
	case l.Loopback:
		b.WriteString("# It made sockets of the internet's families.\nmode = \"loopback\"\n")
	case l.Interfaces:
		b.WriteString("# It asked which interfaces there are.\nmode = \"loopback\"\n")
	}
	if l.Unix {
		b.WriteString("# Named Unix sockets were allowed in the runs, and made.\nunix = true\n")
	}
}

func (l *Learned) limitsTOML(b *strings.Builder) {
	m := l.Limits
	b.WriteString("\n[limits]\n")
	if m.Memory > 0 {
		fmt.Fprintf(b, "memory = %q # %d times the peak of %s, %s at least\n", size(m.Memory), headroomMemory, rough(m.MemoryPeak), size(leastMemory))
	}
	if m.Pids > 0 {
		fmt.Fprintf(b, "pids = %d # %d times the peak of %d, %d at least\n", m.Pids, headroomPids, m.PidsPeak, leastPids)
	}
	fmt.Fprintf(b, "output = %q # %d times the %d bytes that it wrote, %s at least\n", size(m.Output), headroomOutput, m.OutputBytes, size(leastOutput))
	fmt.Fprintf(b, "timeout = %q # %d times the longest run, %.1fs, %v at least\n", m.Timeout.String(), headroomTime, m.Longest.Seconds(), leastTime)
	switch {
	case m.Memory == 0 && m.Pids == 0:
		b.WriteString("# Memory and processes were not measured: the runs had no control group.\n")
	case m.Pids == 0:
		b.WriteString("# Processes were not counted: the runs had no control group.\n")
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
		quoted[i] = text(s)
	}
	return strings.Join(quoted, ", ")
}

// text is a TOML string. What Go would write as \x or \a TOML writes as \u.
func text(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString("\\" + string(r))
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, "\\u%04X", r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// comment is a line of a comment: nothing in it ends the line or steers a terminal.
func comment(s string) string {
	return strings.Map(func(r rune) rune {
		if strconv.IsPrint(r) {
			return r
		}
		return '�'
	}, s)
}

func shellLine(args []string) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = a
		if a == "" || strings.Trim(a, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:@%=,") != "" {
			words[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
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
	return comment(strings.ToValidUTF8(name, "�"))
}

// size is a number of bytes as profiles write it.
func size(n int64) string {
	for _, unit := range []struct {
		bytes int64
		name  string
	}{{1 << 30, "G"}, {1 << 20, "M"}, {1 << 10, "K"}} {
		if n > 0 && n%unit.bytes == 0 {
			return strconv.FormatInt(n/unit.bytes, 10) + unit.name
		}
	}
	return strconv.FormatInt(n, 10)
}

// rough is a number of bytes for people.
func rough(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
