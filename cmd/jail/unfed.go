package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail"
)

// readers are programs that carry out what they read where they are given nothing else.
var readers = []string{"bash", "dash", "node", "python", "python3", "sh", "zsh"}

// tellUnfed says to whoever started a program that carries out its input, and gave it none,
// that it found none: it ends at once and well, as if it had done something.
func (c *commandLine) tellUnfed(res jail.Result, o options) {
	if res.Reason != jail.ReasonOK || o.stdin != "" || o.tty || o.quiet || o.json || len(c.rest) == 0 {
		return
	}
	alone := len(c.rest) == 1 && slices.Contains(readers, filepath.Base(c.rest[0]))
	if !alone && (c.rest[0] != "-" || o.profile == "") || res.Stdout.Bytes > 0 || res.Stderr.Bytes > 0 {
		return
	}
	fmt.Fprintln(os.Stderr, "jail: "+shellword.Quote(c.rest[0])+" had nothing to read: a program's standard input is empty, unless --stdin - passes on jail's or --tty joins it to a terminal")
}
