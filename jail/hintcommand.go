package jail

import (
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

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
			return shownPath(p) + " is there, and names the " + kind + " " + shown(name) + ", which is not in the box: " + r.wayToInterpreter(name)
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
	return "found no " + shownPath(name) + " in PATH, " + shellword.Quote(searchPath(r.spec)) +
		": name it by its path, and grant it with --ro if it is not in the box; or grant its folder, and name that in --env PATH=…"
}

// spawnHint is for a program that started no other, by the name in its words: those of
// Python's subprocess and of Node.js's child_process, which are of a file else.
func (r *run) spawnHint(said string) string {
	name, ok := "", false
	if _, of, python := strings.Cut(said, "_execute_child"); python {
		if _, rest, found := strings.Cut(of, "No such file or directory: '"); found {
			name, _, ok = strings.Cut(rest, "'\n")
		}
	}
	for _, call := range []string{"Error: spawn ", "Error: spawnSync "} {
		if _, rest, node := strings.Cut(said, call); !ok && node {
			name, _, ok = strings.Cut(rest, " ENOENT")
		}
	}
	if !ok || name == "" || len(name) > unix.NAME_MAX || strings.ContainsAny(name, "/ \n") {
		return ""
	}
	return "the program " + r.notInPath(name)
}

// notFound is the command that a shell, or env(1), says it has not found, or "".
func notFound(parts []string) string {
	n := len(parts) - 1
	if n < 1 || parts[n] != "not found" && parts[n] != "command not found" && (path.Base(parts[0]) != "env" || !strings.HasPrefix(parts[n], "No such file")) {
		return ""
	}
	return strings.TrimFunc(parts[n-1], notOfPath)
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
		if f, ok := r.looks().at(name); !ok || r.ruled(f.real, false) {
			return "", ""
		}
		return name, kind
	}
	if p := r.view.followed(path.Clean(name)); r.plan.view.mountAt(p) != nil {
		source := r.plan.view.mountAt(p).source(p)
		if _, there := r.looks().at(source); source == "" || there {
			return "", ""
		}
	}
	return name, kind
}
