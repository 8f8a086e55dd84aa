package profiles

import (
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail"
)

// An interpreter is a program found in the caller's PATH, behind whatever
// shims and links stand in front of it.
type interpreter struct {
	program string   // path to execute
	binary  string   // the real file behind it
	roots   []string // real folders and files that it is made of
	links   []hop    // links between them that are followed at run time
	via     []string // every path and link on the way to it
}

// errNext says that a shim passes the question on to the rest of PATH.
var errNext = errors.New("the next in PATH")

// interpreter finds the first of names, grants what it is made of, and returns
// the path to execute.
func (b *builder) interpreter(names []string) string {
	for _, name := range names {
		for path := range b.candidates(name) {
			in, err := b.resolve(path, 0)
			if err == nil {
				err = b.ownInterpreter(in, path)
			}
			if err == nil {
				err = b.grantInterpreter(in, path)
			}
			if err == nil {
				return in.program
			}
			if errors.Is(err, errNext) {
				continue
			}
			b.fault("run.interpreter", path, unfound(err))
			return path
		}
	}
	want := "an interpreter that is in PATH"
	if slices.Contains(names, companion) {
		want = "jail's companion, which runs WebAssembly, beside jail or in PATH: install it there, as from bin/" + companion + " after ./setup.sh"
	}
	b.fault("run.interpreter", strings.Join(names, ", "), want)
	return names[0]
}

// candidates is where an interpreter may be: for Python the virtual environment
// of the workspace, if the box may bring its own, everywhere in PATH, in order, and then where a version manager
// would put it that is only a shell function.
func (b *builder) candidates(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if filepath.IsAbs(name) {
			yield(name)
			return
		}
		if path := b.h.besideUs(name); path != "" && !yield(path) {
			return
		}
		// An environment is Python's alone: whatever else has its name there was put there
		// to be taken for it.
		if path := filepath.Join(b.workspace, ".venv", "bin", name); b.o.OwnInterpreter && b.workspace != "" && sameProgram("python", name) && isExecutable(path) {
			if _, ok := venvOf(path); ok && !yield(path) {
				return
			}
		}
		found := false
		for _, dir := range filepath.SplitList(b.h.Path) {
			if path := filepath.Join(dir, name); filepath.IsAbs(dir) && isExecutable(path) {
				if found = true; !yield(path) {
					return
				}
			}
		}
		if found || name != "node" {
			return
		}
		if path := b.nvmDefault(); path != "" {
			yield(path)
		}
	}
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
	base := filepath.Base(path)
	path = filepath.Join(dir.real, base)
	t, err := walkFrom(dir.real, base, nil)
	if err != nil {
		return interpreter{}, err
	}
	in, err := b.behind(path, t, depth)
	in.via = append(in.via, path)
	for _, l := range slices.Concat(dir.links, t.links) {
		in.via = append(in.via, l.path)
	}
	return in, err
}

// behind is the interpreter behind a path whose folder is free of links: that
// of a virtual environment, that which a shim starts, or the file itself.
func (b *builder) behind(path string, t trail, depth int) (interpreter, error) {
	if cfg, ok := venvOf(path); ok && sameProgram("python", filepath.Base(path)) {
		return b.venv(path, cfg, t, depth)
	}
	if next, err := b.behindShim(path, t.real); err != nil {
		return interpreter{}, err
	} else if next != "" {
		return b.resolve(next, depth+1)
	}
	// A system's own interpreter is there already, script or not. It keeps the
	// name by which it was found: /bin/sh may be a link to busybox.
	if b.view.shows(t.real) {
		if !b.view.shows(path) {
			path = t.real
		}
		return interpreter{program: path, binary: t.real}, nil
	}
	if isScript(t.real) {
		return interpreter{}, fmt.Errorf("the interpreter itself; %s is a script that starts it: put the folder of the real one first in PATH", shellword.Quote(t.real))
	}
	if !sameProgram(filepath.Base(path), filepath.Base(t.real)) {
		return interpreter{}, fmt.Errorf("the interpreter itself; %s leads to %s, which is another program: put the folder of the real one first in PATH", shellword.Quote(path), shellword.Quote(t.real))
	}
	if filepath.Base(t.real) == companion { // one static file, whatever it lies beside
		return interpreter{program: t.real, binary: t.real, roots: []string{t.real}}, nil
	}
	return interpreter{program: t.real, binary: t.real, roots: b.tree(t.real)}, nil
}

// grantInterpreter adds an interpreter's own files to the view, read-only.
// What a writable grant holds was perhaps written by an earlier run: a link or
// a file in it must not choose what this run is granted.
func (b *builder) grantInterpreter(in interpreter, found string) error {
	grant, tainted := b.tainted(in, found)
	for _, root := range in.roots {
		if b.view.shows(root) {
			continue
		}
		if tainted && !b.trusted(root) {
			return fmt.Errorf("an interpreter that does not depend on files in the writable grant %s: they name %s; %s", shellword.Quote(grant), shellword.Quote(root), ifRight(root))
		}
		b.view.put(jail.Mount{Kind: jail.MountSystem, Source: root, Target: root})
	}
	for _, l := range in.links {
		if m, ok := b.view.covering(l.path); ok && m.Kind != jail.MountTmpfs || tainted && !b.h.isVersion(l.path) {
			continue
		}
		b.view.put(jail.Mount{Kind: jail.MountLink, Source: l.text, Target: l.path})
	}
	if len(in.roots) == 0 {
		return nil
	}
	b.binDir = filepath.Dir(in.program)
	if !tainted {
		b.libraries("run.interpreter", found, in.binary, in.binary)
	}
	return nil
}

// tainted says whether the way to an interpreter leads through a writable
// grant, and through which.
func (b *builder) tainted(in interpreter, found string) (grant string, ok bool) {
	for _, path := range append(in.via, found, in.program) {
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
	if b.h.isVersion(root) {
		return true
	}
	for _, name := range b.p.settings.run.interpreter {
		for path := range b.candidates(name) {
			in, err := b.resolve(path, 0)
			if err != nil {
				continue
			}
			if _, bad := b.tainted(in, path); !bad && slices.Contains(in.roots, root) {
				return true
			}
		}
	}
	return false
}

// isScript says whether a file starts with #!.
func isScript(path string) bool {
	return string(readHead(path, 2)) == "#!"
}

// readHead is the first n bytes of a regular file, or what there is.
func readHead(path string, n int) []byte {
	// O_NONBLOCK keeps a FIFO of that name from holding us up. os.Open would
	// set up the runtime's poller, which costs a start as much as the read.
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil
	}
	head := make([]byte, min(int64(n), st.Size))
	got := 0
	for got < len(head) {
		k, err := unix.Read(fd, head[got:])
		if err == unix.EINTR {
			continue
		}
		if err != nil || k == 0 {
			break
		}
		got += k
	}
	return head[:got]
}
