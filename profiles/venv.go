package profiles

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
)

// A venvConfig is what of a virtual environment's pyvenv.cfg matters here.
// See the documentation of Python's module site: the file lies beside the
// program or one folder above it, and home names the folder of the program
// from which the environment was made.
type venvConfig struct {
	root string // the environment
	home string
}

// venvOf reads the pyvenv.cfg that belongs to a program, if there is one.
// Python looks for it beside the path by which it was started, so path's last
// part must not have been followed.
func venvOf(path string) (venvConfig, bool) {
	dir := filepath.Dir(path)
	for _, root := range [...]string{filepath.Dir(dir), dir} {
		text := readHead(filepath.Join(root, "pyvenv.cfg"), 64<<10)
		for _, line := range strings.Split(string(text), "\n") {
			key, v, ok := strings.Cut(line, "=")
			if home := strings.TrimSpace(v); ok && strings.TrimSpace(key) == "home" && filepath.IsAbs(home) {
				return venvConfig{root, home}, true
			}
		}
	}
	return venvConfig{}, false
}

// venv is the interpreter of a virtual environment: the environment, the
// Python it was made from, and the links between the two. It is started by its
// path in the environment, because that is how Python knows of it.
func (b *builder) venv(path string, cfg venvConfig, t trail, depth int) (interpreter, error) {
	in := interpreter{program: path, roots: []string{cfg.root}, links: t.links}
	// An environment may hold a copy of the program instead of a link.
	made := t.real
	if within(cfg.root, made) {
		made = filepath.Join(cfg.home, filepath.Base(made))
	}
	base, err := b.resolve(made, depth+1)
	if errors.Is(err, errNext) {
		return in, err
	}
	if err != nil {
		return in, fmt.Errorf("a virtual environment whose Python is there; that of %s is gone: %s", shellword.Quote(cfg.root), unfound(err))
	}
	// The two are files of whoever made the environment, and may name anything.
	// What comes of it is that environment and an installation of Python.
	if !b.view.shows(cfg.root) && !b.mayBeRoot(cfg.root) {
		return in, fmt.Errorf("a virtual environment in a folder of its own; %s is a home, holds one, or lies right below /: grant what is needed of it with --ro", shellword.Quote(cfg.root))
	}
	if len(base.roots) > 0 && !isPython(base.binary) {
		return in, fmt.Errorf("a virtual environment that was made from a Python installation; that of %s leads to %s, which is in none: %s", shellword.Quote(cfg.root), shellword.Quote(base.binary), ifRight(base.binary))
	}
	in.binary, in.via = base.binary, base.via
	in.roots = append(in.roots, base.roots...)
	in.links = append(in.links, base.links...)
	// home may be another name of the same place: uv has one without the last
	// part of the version.
	home, err := walk(cfg.home)
	in.via = append(in.via, home.real) // where Python looks for its library first
	for _, l := range home.links {
		in.via = append(in.via, l.path)
	}
	if err == nil {
		in.links = append(in.links, home.links...)
		if prog := filepath.Join(home.real, filepath.Base(made)); !b.view.shows(home.real) && isExecutable(prog) && isPython(prog) {
			in.roots = append(in.roots, b.tree(prog)...)
		}
	}
	return in, nil
}
