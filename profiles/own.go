package profiles

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail"
)

// ownInterpreter refuses an interpreter that the box may replace, or change a part of,
// where the caller believes what it answers.
func (b *builder) ownInterpreter(in interpreter, found string) error {
	if b.o.OwnInterpreter {
		return nil
	}
	for _, path := range slices.Concat(in.via, in.roots, []string{found, in.program}) {
		if grant, ok := b.changeable(path); ok {
			return fmt.Errorf("an interpreter that the box can't change, and the grant %s is writable: put another first in PATH, or grant with --ro the folder right in that grant which holds this one", shellword.Quote(grant))
		}
	}
	for _, m := range b.view.mounts {
		if m.Kind != jail.MountRW {
			continue
		}
		if part, ok := b.partOf(in, m); ok {
			return fmt.Errorf("an interpreter that the box can't change, and the grant %s is writable, in %s, which is a part of this one: only its packages may be, below a folder site-packages, dist-packages or node_modules", m.Source, part)
		}
	}
	return nil
}

// changeable says whether the box may put something else at a real path of the host,
// and in which grant. A read-only grant within a writable one counts if it lies right
// there: with one of .venv/bin alone what the interpreter reads at its start, such as
// .venv/pyvenv.cfg, could still be anything.
func (b *builder) changeable(real string) (grant string, ok bool) {
	for _, m := range b.view.mounts {
		if m.Kind != jail.MountRW {
			continue
		}
		at, ok := b.places.Within(m.Source, real)
		if !ok {
			continue
		}
		rel, err := filepath.Rel(m.Source, at)
		if err != nil {
			return m.Source, true
		}
		top, _ := b.view.covering(filepath.Join(m.Target, rel))
		if top.Kind == jail.MountRW || filepath.Dir(top.Target) != m.Target {
			return m.Source, true
		}
	}
	return "", false
}

// partOf says whether a mount lies in what an interpreter is made of, on the host or in
// the box, and in which part. The system's own folders of programs and libraries are a
// part of every one, and of a prefix those are that have such names: a project may lie in
// its virtual environment. Packages are none: what a program imports is its own choice, and
// package runner has nothing there carried out before.
func (b *builder) partOf(in interpreter, m jail.Mount) (part string, ok bool) {
	parts := []string{"/nix/store", "/gnu/store"}
	prefixes := []string{"/", "/usr", "/usr/local"}
	for _, root := range in.roots {
		if isDir(filepath.Join(root, "bin")) {
			prefixes = append(prefixes, root)
		} else {
			parts = append(parts, root)
		}
	}
	for _, prefix := range prefixes {
		for _, name := range [...]string{"bin", "sbin", "lib", "lib32", "lib64", "libx32", "libexec", "pyvenv.cfg"} {
			parts = append(parts, filepath.Join(prefix, name))
		}
	}
	for _, path := range [...]string{m.Source, m.Target} {
		if slices.Contains(prefixes, path) {
			return path, true
		}
		for _, part := range parts {
			at, ok := path, within(part, path)
			if path == m.Source && !ok {
				at, ok = b.places.Within(part, path)
			}
			if ok && !holdsPackages(at[len(part):]) {
				return part, true
			}
		}
	}
	return "", false
}

// holdsPackages says whether a path within a part is a folder of packages, or in one.
func holdsPackages(rel string) bool {
	return slices.ContainsFunc(strings.Split(rel, "/"), func(name string) bool {
		return name == "site-packages" || name == "dist-packages" || name == "node_modules"
	})
}

// choice is the beginning of a file that chooses a version of an interpreter, such as
// .python-version. Where the caller believes what the interpreter answers, one that the
// box may write to, or put in its place, is not there: an earlier run may have.
func (b *builder) choice(file string, n int) []byte {
	if !b.o.OwnInterpreter {
		t, _ := walk(file)
		places := []string{t.real}
		for _, l := range t.links {
			places = append(places, l.path)
		}
		for _, place := range places {
			if _, ok := b.changeable(place); ok {
				return nil
			}
		}
	}
	return readHead(file, n)
}
