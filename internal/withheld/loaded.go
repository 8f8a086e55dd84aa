package withheld

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/pathname"
)

// What programs of PATH load when they are run lies around them, and where the caller's
// variables say: who may write there says what is run as well.

// ofPrefix are the folders of a prefix in which what lies in its bin looks for the rest of
// itself, such as an interpreter's standard library, and what it is set up by.
var ofPrefix = []string{"etc", "lib", "lib32", "lib64", "libexec", "share"}

// loads says why what lies at a path is not written to for what programs load, or is "".
func (h *Looks) loads(real string) string {
	for _, l := range h.loaded {
		if pathname.Below(l.at, real) || pathname.Below(real, l.at) && l.means(h, real) {
			return NotHinted + l.why + l.variable
		}
	}
	of := func(bin string) bool {
		prefix := path.Dir(bin)
		return slices.Contains([]string{"bin", "sbin"}, path.Base(bin)) && prefix != "/" && !slices.Contains(h.homes, prefix) && inPrefix(real, prefix)
	}
	if slices.ContainsFunc(h.programs, of) || slices.ContainsFunc(h.linked().paths, func(p string) bool { return of(path.Dir(p)) }) {
		return NotHinted + "programs that you run load what lies in it"
	}
	if slices.ContainsFunc(h.linked().packages(h), func(dir string) bool { return pathname.Below(real, dir) || pathname.Below(dir, real) }) && h.code(real) {
		return NotHinted + "programs that you run, by links in PATH, load what lies in it"
	}
	return ""
}

// packages are the folders of what links in PATH lead to: those that such a program lies
// in, and the one around it where that is called as parts of packages are, or has what says
// that it is one.
func (l *linkedPrograms) packages(h *Looks) []string {
	if l.around != nil {
		return l.around
	}
	there := func(p string) bool { _, ok := h.look(p); return ok }
	l.around = []string{}
	for _, p := range l.paths {
		if h.stopped() {
			break
		}
		dir := path.Dir(p)
		if slices.Contains(h.programs, dir) || slices.ContainsFunc(systems, func(s string) bool { return pathname.Below(dir, s) }) {
			continue // all that lies there is kept back as it is
		}
		const mostAbove = 3
		for n, at := 0, dir; n < mostAbove && at != "/"; n, at = n+1, path.Dir(at) {
			part := n == 1 && slices.Contains([]string{"bin", "build", "cli", "dist", "exe", "lib", "libexec", "out", "sbin", "scripts", "src"}, path.Base(dir))
			sign := slices.ContainsFunc(packageSigns, func(name string) bool { return there(path.Join(at, name)) })
			if n == 0 || part || sign {
				if at != "/" && !slices.Contains(wholes, at) && !slices.Contains(h.homes, at) && !slices.Contains(l.around, at) {
					l.around = append(l.around, at)
				}
			}
		}
	}
	return l.around
}

// packageSigns are names of what says of a folder that it is a package.
var packageSigns = []string{"Cargo.toml", "Gemfile", "composer.json", "go.mod", "package.json", "pyproject.toml", "setup.py"}

// inPrefix says whether a path lies in one of the folders of a prefix.
func inPrefix(real, prefix string) bool {
	return slices.ContainsFunc(ofPrefix, func(name string) bool { return pathname.Below(real, path.Join(prefix, name)) })
}

// code says whether a file is called as code is that interpreters or loaders take, or a
// folder has one, or could not be looked through for one.
func (h *Looks) code(real string) bool {
	f, ok := h.look(real)
	if !ok || !f.Dir() {
		return codeFile(path.Base(real))
	}
	said, unseen := h.through(real, mostOfTree, func(at string, kind fs.FileMode) string {
		if !kind.IsDir() && codeFile(path.Base(at)) {
			return at
		}
		return ""
	})
	return said != "" || unseen != ""
}

// codeFile says that of a name alone.
func codeFile(name string) bool {
	return name == "package.json" || strings.Contains(name, ".so.") ||
		slices.Contains([]string{".bash", ".cjs", ".class", ".jar", ".js", ".dll", ".el", ".elc", ".jl", ".lua", ".mjs", ".node", ".php", ".pl", ".pm", ".py", ".pyc", ".r", ".R", ".rb", ".sh", ".so", ".tcl", ".ts", ".vim"}, path.Ext(name))
}
