package jail

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/internal/shellword"
)

// commandHint is for a shell that found no command, by the name in its words: a bare one
// is looked for in PATH, and one that is there names what is not.
func (r *run) commandHint(said string) string {
	code := r.result.ExitCode
	if code == nil || *code != 127 && *code != 126 || filepath.Base(r.spec.Args[0]) == "jaild" {
		return ""
	}
	const mostLines = 16
	n := 0
	for line := range strings.Lines(linesThatTellOf(said, "not found", "No such file", "bad interpreter", "cannot execute", "ermission denied")) {
		if n++; n > mostLines {
			break
		}
		if hint := r.commandIn(line); hint != "" {
			return hint
		}
	}
	return ""
}

// commandIn is commandHint of one line.
func (r *run) commandIn(line string) string {
	for _, p := range r.pathsIn(line) {
		if name, kind := r.lacks(p); name != "" {
			return shellword.Shown(p) + " is there, and names the " + kind + " " + shown(name) + ", which is not in the box: " + r.wayToInterpreter(name)
		}
	}
	name := notFound(strings.Split(strings.TrimSpace(line), ": "))
	if name == "" || strings.ContainsAny(name, "/ ") {
		return ""
	}
	return "by 127 a shell says that it " + r.notInPath(name)
}

// notInPath is what to do about a command that is called by its name alone.
func (r *run) notInPath(name string) string {
	return "found no " + shellword.Shown(name) + " in PATH, " + shellword.Quote(searchPath(r.spec)) + ": " + startedByPath
}

const startedByPath = "name it by its path, and grant it with --ro if it is not in the box; or grant its folder, and name that in --env PATH=…"

// spawnHint is for a program that started no other, by the name in its words.
func (r *run) spawnHint(said string) string {
	if name := notStarted(said); name != "" {
		return "the program " + r.notInPath(name)
	}
	return ""
}

// notStarted is the command that a program says it could not start, where those words are
// of no file else, or "": Python's subprocess says so, Node.js's child_process, Go's
// os/exec, Ruby and Java.
func notStarted(said string) string {
	for _, words := range []struct{ of, before, after string }{
		{"_execute_child", "No such file or directory: '", "'\n"}, {"", "Error: spawn ", " ENOENT"}, {"", "Error: spawnSync ", " ENOENT"},
		{"", `exec: "`, `": executable file not found in $PATH`}, {"", "No such file or directory - ", " (Errno::ENOENT)"}, {"", `Cannot run program "`, `"`},
	} {
		_, rest, ok := strings.Cut(said, words.of)
		if !ok {
			continue
		}
		if _, rest, ok = strings.Cut(rest, words.before); !ok {
			continue
		}
		if name, _, ok := strings.Cut(rest, words.after); ok && name != "" && len(name) <= unix.NAME_MAX && !strings.ContainsAny(name, "/ \n") {
			return name
		}
	}
	return ""
}

// starters are programs that start the one that they are called with, and name it when
// there is none: `xargs: frobnicate: No such file or directory`.
var starters = []string{"env", "gmake", "make", "nice", "nohup", "setsid", "stdbuf", "time", "timeout", "xargs"}

// notFound is the command that a shell, or one of those, says it has not found, or "".
func notFound(parts []string) string {
	n := len(parts) - 1
	if n < 1 || parts[n] != "not found" && parts[n] != "command not found" && (!slices.Contains(starters, path.Base(parts[0])) || !strings.HasPrefix(parts[n], "No such file")) {
		return ""
	}
	words := strings.Fields(parts[n-1]) // timeout(1): failed to run command 'frobnicate'
	if len(words) == 0 {
		return ""
	}
	return strings.TrimFunc(words[len(words)-1], pathname.Around)
}

// lacks is the interpreter or loader that a file of the box's names, and that the box
// may not execute, or "". It is asked of a file that a shell could not execute.
func (r *run) lacks(file string) (name, kind string) {
	if m := r.plan.view.mountAt(file); m == nil || m.Kind != MountRO && m.Kind != MountRW {
		return "", ""
	}
	name, kind = interpreter(r.headOf(file))
	if name == "" || !path.IsAbs(name) {
		return "", ""
	}
	if r.spec.inPlace() {
		if f, ok := r.looks().At(name); !ok || r.ruled(f.Real, false) {
			return "", ""
		}
		return name, kind
	}
	if p := r.view.followed(path.Clean(name)); r.plan.view.mountAt(p) != nil {
		source := r.plan.view.mountAt(p).source(p)
		if _, there := r.looks().At(source); source == "" || there {
			return "", ""
		}
	}
	return name, kind
}
