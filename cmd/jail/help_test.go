package main

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestHelpFits: help is read on terminals of 80 columns.
func TestHelpFits(t *testing.T) {
	var b strings.Builder
	writeFlags(&b, runFlags())
	pages := []string{helpIntro, helpOutro, helpSignals, b.String()}
	for _, c := range commands() {
		pages = append(pages, commandHelp(c.name))
	}
	for _, page := range pages {
		for line := range strings.Lines(page) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > helpWidth {
				t.Errorf("help line of %d columns, want at most %d: %q", n, helpWidth, line)
			}
		}
	}
}

// TestHelpNamesExitStatuses: the table shows each number that ExitStatus gives.
func TestHelpNamesExitStatuses(t *testing.T) {
	for _, status := range []string{"124", "125", "126", "127", "128+n", "137", "153"} {
		if !strings.Contains(exitTable, "  "+status+" ") {
			t.Errorf("help does not explain the exit status %s", status)
		}
	}
}
