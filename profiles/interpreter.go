package profiles

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-75010da9/jail/jail"
)

// An interpreter is a program found in the caller's PATH, behind whatever
// shims and links stand in front of it.
type interpreter struct {
	program string   // path to execute
	roots   []string // real folders and files that it is made of
	links   []hop    // links between them that are followed at run time
}

// errNext says that a shim passes the question on to the rest of PATH.
var errNext = errors.New("the next in PATH")

// interpreter finds the first of names, grants what it is made of, and returns
// the path to execute.
func (b *builder) interpreter(names []string) string {
	for _, name := range names {
		for _, path := range b.candidates(name) {
			in, err := b.resolve(path, 0)
			if err == nil {
				err = b.grantInterpreter(in, path)
			}
			if err == nil {
				return in.program
			}
			if errors.Is(err, errNext) {
				continue
			}
			b.fault("run.interpreter", path, err.Error())
			return path
		}
	}
	b.fault("run.interpreter", strings.Join(names, ", "), "an interpreter that is in PATH")
	return names[0]
}

// candidates is where an interpreter may be: everywhere in PATH, in order, and
// then where a version manager would put it that is only a shell function.
func (b *builder) candidates(name string) []string {
	if filepath.IsAbs(name) {
		return []string{name}
	}
	var found []string
	for _, dir := range filepath.SplitList(b.h.Path) {
		if path := filepath.Join(dir, name); filepath.IsAbs(dir) && isExecutable(path) {
			found = append(found, path)
		}
	}
	if len(found) == 0 && name == "node" {
		found = b.h.nvmDefault()
	}
	return found
}

// maxShims bounds how many shims may stand behind one another.
const maxShims = 4

// resolve finds the real interpreter behind a path. It reads files and runs
// nothing.
func (b *builder) resolve(path string, depth int) (interpreter, error) {
	if depth > maxShims {
		return interpreter{}, errors.New("an interpreter; shims lead to one another in a circle")
	}
	dir, err := walk(filepath.Dir(path))
	if err != nil {
		return interpreter{}, err
	}
	path = filepath.Join(dir.real, filepath.Base(path))
	t, err := walk(path)
	if err != nil {
		return interpreter{}, err
	}
	if cfg, ok := venvOf(path); ok {
		return b.venv(path, cfg, t, depth)
	}
	if next, err := b.h.behindShim(path, t.real); err != nil {
		return interpreter{}, err
	} else if next != "" {
		return b.resolve(next, depth+1)
	}
	// A system's own interpreter is there already, script or not.
	if b.view.shows(t.real) {
		return interpreter{program: t.real}, nil
	}
	if isScript(t.real) {
		return interpreter{}, fmt.Errorf("the interpreter itself; %s is a script that starts it: put the folder of the real one first in PATH", t.real)
	}
	return interpreter{program: t.real, roots: b.h.tree(t.real)}, nil
}

// grantInterpreter adds an interpreter's own files to the view, read-only.
// What a writable grant holds was perhaps written by an earlier run: a link or
// a file in it must not choose what this run is granted.
func (b *builder) grantInterpreter(in interpreter, found string) error {
	for _, root := range in.roots {
		if b.view.shows(root) {
			continue
		}
		if grant, ok := b.tainted(in, found); ok && !b.trusted(root) {
			return fmt.Errorf("an interpreter that does not depend on files in the writable grant %s: they name %s; grant that with --ro if it is right", grant, root)
		}
		b.view.put(jail.Mount{Kind: jail.MountSystem, Source: root, Target: root})
	}
	for _, l := range in.links {
		if m, ok := b.view.covering(l.path); !ok || m.Kind == jail.MountTmpfs {
			b.view.put(jail.Mount{Kind: jail.MountLink, Source: l.text, Target: l.path})
		}
	}
	if dir := filepath.Dir(in.program); len(in.roots) > 0 {
		b.binDir = dir
	}
	return nil
}

// tainted says whether the way to an interpreter leads through a writable
// grant, and through which.
func (b *builder) tainted(in interpreter, found string) (grant string, ok bool) {
	for _, path := range append([]string{found, in.program}, paths(in.links)...) {
		if grant, ok := b.writable(path); ok {
			return grant, true
		}
	}
	return "", false
}

// trusted says whether a root is also what the caller's PATH leads to by a way
// that no writable grant has a part in, or is an installed version of a
// version manager.
func (b *builder) trusted(root string) bool {
	for _, dir := range b.h.versionDirs() {
		if filepath.Dir(root) == dir {
			return true
		}
	}
	for _, name := range b.p.settings.run.interpreter {
		for _, path := range b.candidates(name) {
			in, err := b.resolve(path, 0)
			if _, bad := b.tainted(in, path); err == nil && !bad && has(in.roots, root) {
				return true
			}
		}
	}
	return false
}

func paths(links []hop) []string {
	list := make([]string, len(links))
	for i, l := range links {
		list[i] = l.path
	}
	return list
}

// isScript says whether a file starts with #!.
func isScript(path string) bool {
	head := readHead(path, 2)
	return bytes.Equal(head, []byte("#!"))
}

// readHead is the first n bytes of a file, or what there is.
func readHead(path string, n int64) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, n))
	return head
}
