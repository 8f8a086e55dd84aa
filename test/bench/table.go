package main

import (
	"fmt"
	"strings"
)

// A table is one measured thing, with the command behind every row.
type table struct {
	title    string
	note     string
	head     []string
	rows     [][]string
	commands []string
}

// row adds the figures of a contender, and how it was started.
func (t *table) row(c contender, figures ...string) {
	t.figures(c.name, figures...)
	t.command(c)
}

func (t *table) figures(name string, figures ...string) {
	t.rows = append(t.rows, append([]string{name}, figures...))
}

func (t *table) command(c contender) {
	t.commands = append(t.commands, c.name+": "+c.cmd.String())
}

func (t *table) markdown() string {
	var s strings.Builder
	fmt.Fprintf(&s, "\n## %s\n\n%s\n", t.title, t.note)
	if len(t.rows) > 0 {
		s.WriteString("\n" + line(t.head) + "|---|" + strings.Repeat("---:|", len(t.head)-1) + "\n")
	}
	for _, r := range t.rows {
		s.WriteString(line(r))
	}
	if len(t.commands) > 0 {
		s.WriteString("\n```\n" + strings.Join(t.commands, "\n") + "\n```\n")
	}
	return s.String()
}

func line(cells []string) string { return "| " + strings.Join(cells, " | ") + " |\n" }
