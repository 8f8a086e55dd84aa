package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/pid1"
	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail"
	"golang.org/x/sys/unix"
)

// print writes the answer of a command to stdout. An answer that does not
// arrive is a failure; a reader that went away, as `jail help | head -1`
// does, is none.
func print(s string) int {
	finishing()
	err := stdoutIsThere()
	if err == nil {
		_, err = os.Stdout.WriteString(s)
	}
	if err != nil && !errors.Is(err, unix.EPIPE) {
		fmt.Fprintln(os.Stderr, "jail: stdout:", err)
		return exitRefused
	}
	return exitOK
}

// stdoutIsThere tells of a stdout that the caller had closed: what is written to the
// /dev/null in its place is lost without an error, which is no answer. What a program
// prints may go there: nobody has asked jail for it.
func stdoutIsThere() error {
	if pid1.WasClosed(1) {
		return errors.New("it was closed when jail started, and the answer goes there: leave it open, or give it /dev/null")
	}
	return nil
}

// printFaults writes one line for each fault to stderr.
func printFaults(faults jail.Faults) {
	finishing()
	for _, f := range faults {
		fmt.Fprintln(os.Stderr, visible("jail: "+faultText(f)))
	}
}

// faultText says what is wrong in one line.
func faultText(f jail.Fault) string {
	if f.Value == "" {
		return f.Field + ": " + f.Want
	}
	return f.Field + " " + quote(f.Value) + ": " + f.Want
}

// inWords makes a sentence of what a fault wants where it only names it: "a
// folder below /".
func inWords(faults jail.Faults) jail.Faults {
	said := make(jail.Faults, len(faults))
	for i, f := range faults {
		if !slices.ContainsFunc([]string{"must ", "no ", "accepted "}, func(s string) bool { return strings.HasPrefix(f.Want, s) }) {
			f.Want = "want " + f.Want
		}
		if strings.Contains(f.Field, ": limits.") { // a size in a profile
			f.Want = inUnits(f.Want)
		}
		said[i] = f
	}
	return said
}

// quote makes s safe to print on a terminal, in quotes and not too long.
func quote(s string) string {
	const longest = 200
	if len(s) > longest {
		return shellword.Text(s[:longest]) + "…"
	}
	return shellword.Text(s)
}

// visible makes a message safe to print on one line of a terminal.
func visible(s string) string { return shellword.Line(s) }
