package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/jail"
)

// margin stands before remedies, below the check's name.
const margin = "         "

// Text is the report for people.
func (r Report) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s, %s, uid %d", r.Kernel, r.Arch, r.UID)
	if r.Inside != "" {
		b.WriteString(", inside " + r.Inside)
	}
	b.WriteString("\n\n")
	var shown [][]string
	for _, c := range r.Checks {
		name := c.Name
		if !c.Needed {
			name += " *"
		}
		fmt.Fprintf(&b, "%-8s %-18s %s\n", c.Answer, name, c.Evidence)
		if len(c.Remedy) > 0 && slices.ContainsFunc(shown, func(s []string) bool { return slices.Equal(s, c.Remedy) }) {
			b.WriteString(margin + "> as above\n")
			continue
		}
		shown = append(shown, c.Remedy)
		for _, s := range c.Remedy {
			b.WriteString(margin + "> " + s + "\n")
		}
	}
	b.WriteString("\n* not needed by a box with all defaults\n\n")
	r.writeBox(&b)
	return b.String()
}

// writeBox writes how the box went, with its receipt.
func (r Report) writeBox(b *strings.Builder) {
	if r.OK {
		fmt.Fprintf(b, "A box with all defaults ran /bin/true in %d ms:\n", r.Box.WallMS)
	} else {
		fmt.Fprintf(b, "A box with all defaults does NOT run here: %s: %s\n", r.Box.Reason, r.Box.Message)
		if r.Box.Hint != "" {
			b.WriteString("> " + r.Box.Hint + "\n")
		}
	}
	for _, l := range r.Box.Layers {
		if !r.OK && !l.Applied {
			continue // nothing was started
		}
		state := "off"
		if l.Applied {
			state = "on"
		}
		fmt.Fprintf(b, "  %-3s %-14s %s\n", state, l.Name, strings.TrimSpace(l.Mechanism+"  "+l.Evidence))
		if l.Note != "" {
			b.WriteString("      note: " + l.Note + "\n")
		}
	}
	r.writeTier2(b)
}

// writeTier2 writes whether there is the weaker box, for those who have no other.
func (r Report) writeTier2(b *strings.Builder) {
	switch {
	case r.Tier2.Reason == jail.ReasonOK && r.OK:
		b.WriteString("\nThe weaker box without namespaces (--tier 2) runs here, too.\n")
	case r.Tier2.Reason == jail.ReasonOK:
		b.WriteString("\nThe weaker box without namespaces runs here, by name:\n> jail run --tier 2 …\n")
	default:
		fmt.Fprintf(b, "\nThe weaker box without namespaces (--tier 2) does not run here: %s: %s\n", r.Tier2.Reason, r.Tier2.Message)
		if r.Tier2.Hint != "" {
			b.WriteString("> " + r.Tier2.Hint + "\n")
		}
	}
}

// FixHints lists every remedy of the report once, as a script to read.
func (r Report) FixHints() string {
	var lines, told []string
	for _, c := range r.Checks {
		if allIn(c.Remedy, told) {
			continue
		}
		told = append(told, c.Remedy...)
		lines = append(lines, "# "+c.Name+": "+c.Evidence)
		for _, line := range c.Remedy {
			lines = append(lines, runnable(line))
		}
	}
	if len(lines) == 0 && r.Box.Hint != "" { // of what no check is about
		lines = []string{"# box: " + r.Box.Message, runnable(r.Box.Hint)}
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// runnable is a line as a shell may have it: what the reader is to complete is a comment.
func runnable(line string) string {
	if strings.Contains(line, "…") && !strings.HasPrefix(line, "#") {
		return "# " + line
	}
	return line
}

func allIn(some, all []string) bool {
	for _, s := range some {
		if !slices.Contains(all, s) {
			return false
		}
	}
	return true
}
