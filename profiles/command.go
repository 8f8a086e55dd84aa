package profiles

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail"
)

// command is the program and its arguments as the box is to run them.
func (b *builder) command(args []string) []string {
	run := &b.p.settings.run
	if len(run.interpreter) > 0 {
		return b.interpreted(args)
	}
	if len(args) == 0 || args[0] == "" {
		b.fault("command", "", "a program to run, such as /bin/true")
		return nil
	}
	out := concat(args[:1], concat(run.args, args[1:]))
	if run.grant == grantProgram {
		out[0] = b.program(args[0])
		b.checkScript(args)
	} else if strings.Contains(args[0], "/") {
		if box, ok := b.visible(args[0]); ok {
			out[0] = box
		}
	}
	return out
}

// interpreted is the command line of a profile with an interpreter: the real
// interpreter, its options, the script by its absolute path, the rest as is.
func (b *builder) interpreted(args []string) []string {
	run := &b.p.settings.run
	line := splitLine(run, args)
	b.checkDash(args)
	prog := b.interpreter(run.interpreter)
	out := []string{prog}
	out = append(out, b.heapOptions(line.options)...)
	out = append(out, b.engineOptions()...)
	out = append(out, run.args...)
	out = append(out, line.options...)
	switch {
	case line.hasScript:
		script := line.script
		if run.grant == grantScript {
			script = b.script(line.script, line)
		}
		out = append(out, script)
	case len(args) == 0:
		b.fault("command", "", "a script, an option, or - for a program on stdin")
	}
	return append(out, line.rest...)
}

// program makes sure that the box sees a program file. What is not found or
// not executable is left to the box, whose execve says so by the usual codes.
func (b *builder) program(arg string) string {
	host := arg
	if strings.Contains(arg, "/") {
		if box, ok := b.visible(arg); ok {
			return box
		}
		host, _ = b.h.abs(arg)
	} else if host = b.lookPath(arg); host == "" {
		return arg
	} else if box, ok := b.visible(host); ok {
		return box
	}
	if _, ok := venvOf(host); ok && sameProgram("python", filepath.Base(host)) && exists(host) {
		b.fault("command", arg, "the script alone under --profile python, with the environment first in PATH: PATH="+shellword.Quote(filepath.Dir(filepath.Clean(host)))+":$PATH jail run --profile python SCRIPT; most of "+shellword.Quote(arg)+" lies elsewhere")
		return arg
	}
	t, err := walk(host)
	if !b.view.shows(t.real) {
		if why := t.calledByName(arg); why != "" {
			b.fault("command", arg, why)
			return arg
		}
		if !b.noLinks("command", arg, t, false) {
			return arg
		}
	}
	if err != nil || !isFile(t.real) {
		if host == "" || strings.Contains(arg, " ") { // a whole line, mostly: it is shown as it was typed
			return arg
		}
		return filepath.Clean(host)
	}
	if why := b.shimAlone(host, t.real); why != "" {
		b.fault("command", arg, why)
		return arg
	}
	box := b.grantFile("command", arg, host, t)
	b.libraries("command", arg, t.real, box)
	return box
}

// lookPath finds a program in the caller's PATH, or "". Folders that are not
// absolute are skipped: what they hold depends on where one stands.
func (b *builder) lookPath(name string) string {
	for _, dir := range filepath.SplitList(b.h.Path) {
		if path := filepath.Join(dir, name); filepath.IsAbs(dir) && isExecutable(path) {
			return path
		}
	}
	return ""
}

// visible finds an existing file that the grants so far show, and its path in
// the box. A relative path means the box's working directory first, when that
// was asked for, and then the caller's.
func (b *builder) visible(arg string) (box string, ok bool) {
	var tries []string
	if filepath.IsAbs(arg) {
		tries = append(tries, filepath.Clean(arg))
	} else {
		if b.cwd != "" {
			tries = append(tries, filepath.Join(b.cwd, arg))
		}
		if path, ok := b.h.abs(arg); ok {
			tries = append(tries, filepath.Clean(path))
		}
	}
	for _, box := range tries {
		host, m, ok := b.view.hostPath(box)
		if !ok {
			continue
		}
		// A link out of the grant leads nowhere in the box.
		t, err := walk(host)
		if err == nil && (within(m.Source, t.real) || b.view.shows(t.real)) {
			return box, true
		}
	}
	return "", false
}

// grantFile grants one file by itself, read-only, at the path by which it was
// named, or, when a grant around that path is in the way, at its real one.
func (b *builder) grantFile(field, arg, host string, t trail) string {
	if why := refusedSource(t.real); why != "" {
		b.fault(field, arg, why)
		return arg
	}
	named := filepath.Clean(host)
	if m, ok := b.view.covering(named); ok && m.Kind != jail.MountTmpfs {
		named = t.real
	}
	if !b.view.shows(named) {
		b.view.put(jail.Mount{Kind: jail.MountRO, Source: t.real, Target: named})
	}
	return named
}

// reason is an error without the path, which the fault shows already.
func reason(err error) string {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// unfound is an error with the path, which nobody has typed.
func unfound(err error) string {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Op + " " + shellword.Quote(pe.Path) + ": " + pe.Err.Error()
	}
	return err.Error()
}
