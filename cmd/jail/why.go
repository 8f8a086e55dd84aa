package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
	"github.com/seed-75010da9/jail/seccomp"
)

// explainFlags are those of run and the question.
func explainFlags() []flagDef {
	return append(runFlags(), flagDef{name: "why", value: "WHAT", group: groupResult, field: "why", words: wordFile,
		usage:  "make the box and try WHAT in it: a path, a system call, ADDRESS:PORT, unix:PATH or unix:@NAME; tell which wall refuses it and which flag allows it",
		accept: "a path, a system call as the kernel spells it, ADDRESS:PORT, unix:PATH or unix:@NAME",
		set:    parsed(asIs[string], func(o *options) *string { return &o.why })})
}

// whyCommand is `jail explain --why`: the box is made, the access is tried in it,
// and no program is run. Which one it would be need not be said.
func whyCommand(o options, line *commandLine) int {
	if len(line.rest) == 0 {
		line.rest = placeholder(o.profile)
	}
	host := profiles.CurrentHost()
	limit := limitSetup(options{json: o.json, over: o.over}, host)
	spec := line.compose(o, host, limit)
	question := asked(o.why, host)
	line.lookAtHost(spec, o)
	limit.over()
	faults := line.faults
	var answer jail.Answer
	var err error
	if len(faults) == 0 {
		answer, err = jail.Why(watchSignals(), spec, question)
		if errors.As(err, &faults) {
			faults = line.named(faults, spec, o)
			for i, f := range faults {
				switch {
				case f.Field != "--why" || f.Value != question:
				case strings.Contains(question, "://"):
					faults[i].Want = wantURL
				case !strings.Contains(question, "/"):
					faults[i].Want = wantWhy
				}
			}
		}
	}
	if len(faults) > 0 {
		printFaults(faults)
		return exitRefused
	}
	if err != nil {
		printError(err)
		return exitRefused
	}
	if o.tty {
		answer.Note = strings.TrimPrefix(answer.Note+"; it was tried without --tty, by which a program has a terminal of its own at /dev/tty", "; ")
	}
	if !o.json {
		return print(lines(answer.Text()))
	}
	text, err := oneLine(answer)
	if err != nil {
		fmt.Fprintln(os.Stderr, "jail: explain:", err)
		return exitRefused
	}
	return print(string(text))
}

// wantWhy is told of a word that is nothing that can be asked about.
const wantWhy = "must be a path (a word without a slash is one if there is such a file here), a system call as the kernel spells it, ADDRESS:PORT with a numeric address (no name is looked up), unix:PATH or unix:@NAME"

// wantURL is told of a URL.
const wantURL = "must be the numeric ADDRESS:PORT of the URL's host in its place; a box reaches no network beyond its own loopback"

// placeholder stands for a program that is not named: an option of an interpreter's
// that takes no script, or a program that every box has.
func placeholder(profile string) []string {
	if profile == "" || profile == defaultProfile || profile == leastProfile {
		return []string{"true"}
	}
	return []string{"--version"}
}

// asked is the question with a relative path made absolute: a file is in a box where
// it is on the host.
func asked(what string, host profiles.Host) string {
	absolute := func(p string) string {
		if rest, ok := strings.CutPrefix(p, "~/"); ok && host.Home != "" {
			return filepath.Join(host.Home, rest)
		}
		if !filepath.IsAbs(p) && host.Dir != "" {
			return filepath.Join(host.Dir, p)
		}
		return p
	}
	if p, ok := strings.CutPrefix(what, "unix:"); ok {
		if strings.HasPrefix(p, "@") { // an abstract name
			return what
		}
		return "unix:" + absolute(p)
	}
	if address, ok := strings.CutPrefix(what, "localhost:"); ok {
		return "127.0.0.1:" + address
	}
	if strings.Contains(what, "://") { // no path is written so
		return what
	}
	_, call := seccomp.Number(what)
	if _, err := os.Lstat(absolute(what)); !call && (strings.Contains(what, "/") || slices.Contains([]string{".", ".."}, what) || err == nil) {
		return absolute(what)
	}
	return what
}

// lines is text that is safe to print on a terminal.
func lines(text string) string {
	parts := strings.Split(text, "\n")
	for i, p := range parts {
		parts[i] = visible(p)
	}
	return strings.Join(parts, "\n")
}
