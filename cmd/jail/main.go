// Command jail runs untrusted programs in a box: flags in, one record out.
// `jail help` says how.
package main

import (
	"fmt"
	"os"
)

// Exit statuses of jail's own; those of a run are in jail.Result.ExitStatus.
const (
	exitOK      = 0
	exitFailed  = 1   // a check was made, and its answer is no
	exitRefused = 125 // jail refused or failed
)

func main() {
	growStack()
	if !enoughFiles() {
		os.Exit(exitRefused)
	}
	os.Exit(dispatch(os.Args[1:]))
}

// dispatch runs the command that args name and returns jail's exit status.
func dispatch(args []string) int {
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usageLine)
		return exitRefused
	}
	name := args[0]
	switch name {
	case "-h", "--help":
		name = "help"
	case "--version":
		name = "version"
	}
	if c := findCommand(name); c != nil {
		return c.run(args[1:])
	}
	fmt.Fprintln(os.Stderr, unknownCommand(name))
	return exitRefused
}
