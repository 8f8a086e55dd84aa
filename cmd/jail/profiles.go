package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

func profilesFlags() []flagDef {
	return []flagDef{
		{name: "names", group: groupResult, script: true, usage: "with list: the names alone, one a line",
			set: on(func(o *options) *bool { return &o.names })},
		helpFlag(),
	}
}

func profilesCommand(args []string) int {
	var o options
	words, status, ok := plainArgs("profiles", args, &o)
	if !ok {
		return status
	}
	host := profiles.CurrentHost()
	switch {
	case len(words) == 0 || len(words) == 1 && words[0] == "list":
		return listProfiles(host, o.names)
	case len(words) == 2 && words[0] == "show":
		return showProfile(words[1], host)
	case len(words) == 2 && words[0] == "check":
		return checkProfile(words[1], host)
	}
	fmt.Fprintln(os.Stderr, "jail: profiles: "+quote(strings.Join(words, " "))+": want list, show NAME or check FILE"+profilesHint(words[0], host))
	return exitRefused
}

// profilesHint guesses what a line was meant to be, from its first word.
func profilesHint(word string, host profiles.Host) string {
	own, _ := profiles.UserNames(host)
	if slices.Contains(append(profiles.Names(), own...), word) {
		return "; did you mean show " + shellword.Quote(word) + "?"
	}
	if verbs := []string{"list", "show", "check"}; !slices.Contains(verbs, word) {
		return didYouMean(word, verbs)
	}
	return ""
}

// listProfiles prints every profile with its description; one that can't be
// loaded is listed as well, with the reason. The names alone are for shells to
// complete: those that one would have to quote are left out, since bash 5.2 carries
// out what stands in $((a[$(…)])) of a file's name that it completes itself.
func listProfiles(host profiles.Host, namesOnly bool) int {
	own, err := profiles.UserNames(host)
	if err != nil {
		printError(err)
		return exitRefused
	}
	var b strings.Builder
	for _, name := range append(profiles.Names(), own...) {
		if namesOnly {
			if shellword.Quote(name) == name {
				b.WriteString(name + "\n")
			}
			continue
		}
		description := ""
		p, err := profiles.Load(name, host)
		if err != nil {
			description = "(can't be used: `jail profiles show " + shellword.Quote(name) + "` says why)"
		} else {
			description = visible(p.Description)
		}
		fmt.Fprintf(&b, "%-10s %s\n", shellword.Quote(name), description)
	}
	return print(b.String())
}

// showProfile prints the text of a profile that can be used.
func showProfile(name string, host profiles.Host) int {
	if _, err := profiles.Load(name, host); err != nil {
		printError(err)
		return exitFailed
	}
	if text, ok := profiles.Source(name); ok {
		return print(text)
	}
	path := name
	if !strings.Contains(name, "/") && !strings.HasSuffix(name, ".toml") {
		path = filepath.Join(host.ConfigHome, "jail", "profiles", name+".toml")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		printError(err)
		return exitFailed
	}
	return print(string(text))
}

func checkProfile(path string, host profiles.Host) int {
	if err := profiles.Check(path, host); err != nil {
		printError(err)
		return exitFailed
	}
	return print(visible(path) + ": ok\n")
}

// printError writes err to stderr, one line for each fault.
func printError(err error) {
	var faults jail.Faults
	if errors.As(err, &faults) {
		printFaults(inWords(faults))
		return
	}
	fmt.Fprintln(os.Stderr, "jail: "+visible(strings.TrimPrefix(err.Error(), "jail: ")))
}
