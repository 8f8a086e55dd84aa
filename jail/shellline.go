package jail

import (
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
)

// ofShells are commands of every shell that are no programs, and that nobody calls a
// program of his own (POSIX.1-2024, XCU 2.15 and 1.7).
var ofShells = []string{"alias", "bg", "cd", "eval", "exec", "exit", "export", "fg", "jobs", "read", "readonly", "set", "shift", "source", "times", "trap", "type", "ulimit", "umask", "unalias", "unset", "wait"}

// shellLine is what to do about words that were not found as a program since a shell was
// to read them, or "".
func shellLine(args []string) string {
	name := args[0]
	switch {
	case slices.Contains(ofShells, name):
		return shellword.Quote(name) + " is a shell's own command and no program: give the line that it is of to a shell, as in sh -c " + shellword.Quote(strings.Join(args, " ")+" && …")
	case len(args) == 1 && strings.Contains(name, " ") && strings.ContainsAny(name, "|&;<>$`"):
		return "this is a line for a shell, and none reads it: sh -c " + shellword.Quote(name)
	}
	return ""
}
