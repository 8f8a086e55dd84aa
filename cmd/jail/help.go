package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"
)

// commandHelp is what help says about a command besides its usage and flags.
func commandHelp(name string) string {
	switch name {
	case "run":
		return helpRun
	case "explain":
		return helpExplain
	case "learn":
		return helpLearn
	case "eval":
		return helpEval
	case "serve":
		return helpServe
	case "mcp":
		return helpMCP
	case "selftest":
		return helpSelftest
	case "doctor":
		return helpDoctor
	case "profiles":
		return helpProfiles
	case "completion":
		return helpCompletion
	}
	return ""
}

func helpCommand(args []string) int {
	var o options
	words, status, ok := plainArgs("help", args, &o)
	if !ok {
		return status
	}
	if len(words) == 0 {
		return printMainHelp()
	}
	if findCommand(words[0]) == nil {
		fmt.Fprintln(os.Stderr, unknownCommand(words[0]))
		return exitRefused
	}
	return printHelp(words[0])
}

func printMainHelp() int {
	var b strings.Builder
	b.WriteString(helpIntro)
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-11s %s\n", c.name, c.summary)
	}
	b.WriteString(helpOutro)
	return print(b.String())
}

// printHelp prints the help page of one command.
func printHelp(name string) int {
	c := findCommand(name)
	if name == "help" {
		return printMainHelp()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "usage: %s\n\n%s.\n", strings.TrimSpace("jail "+c.name+" "+c.args), sentence(c.summary))
	if text := commandHelp(name); text != "" {
		b.WriteString("\n" + text)
	}
	if name == "run" {
		writeFlags(&b, c.flags())
		b.WriteString("\nExit status:\n" + exitTable + helpSignals)
	}
	if name == "learn" {
		writeFlags(&b, slices.DeleteFunc(c.flags(), func(f flagDef) bool { return f.group != groupLearn }))
		b.WriteString("\nThe other flags are those of `jail help run`.\n")
	}
	switch name {
	case "serve", "eval", "mcp", "selftest", "profiles", "version", "completion":
		writeFlags(&b, c.flags())
	}
	if name == "explain" {
		b.WriteString("\n`jail help run` lists the flags.\n")
	}
	return print(b.String())
}

// writeFlags writes the flags below the headings of their groups.
func writeFlags(b *strings.Builder, flags []flagDef) {
	group := ""
	for _, f := range flags {
		if f.group != group {
			group = f.group
			b.WriteString("\n" + group + ":\n")
		}
		left := "--" + f.name
		if f.short != 0 {
			left = "-" + string(f.short) + ", " + left
		}
		if f.value != "" {
			left += " " + f.value
		}
		right := f.usage
		if f.many {
			right += "; may be repeated"
		}
		if f.preset != "" {
			right += " [" + f.preset + "]"
		}
		writeEntry(b, left, right)
	}
}

// Columns of the help pages.
const (
	helpIndent = 27
	helpWidth  = 80
)

// writeEntry writes one flag, its text wrapped in the right-hand column.
func writeEntry(b *strings.Builder, left, right string) {
	b.WriteString("  " + left)
	column := 2 + utf8.RuneCountInString(left)
	if column >= helpIndent {
		b.WriteString("\n")
		column = 0
	}
	b.WriteString(strings.Repeat(" ", helpIndent-column))
	column = helpIndent
	for i, word := range strings.Fields(right) {
		width := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+width > helpWidth:
			b.WriteString("\n" + strings.Repeat(" ", helpIndent))
			column = helpIndent
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += width
	}
	b.WriteString("\n")
}

func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
