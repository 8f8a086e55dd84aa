package withheld

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/internal/shellword"
)

// What no hint names goes by where it lies and by its shape, and not by what the programs
// of this world are called: whoever means it names it by a flag.

// packages are the folders below a home that hold what was installed or fetched, and that
// may be named for reading though they are hidden.
var packages = []string{
	".asdf/installs", ".bun/install", ".cabal/packages", ".cache/go-build", ".cache/ms-playwright", ".cache/node", ".cache/pip", ".cache/pnpm", ".cache/pypoetry",
	".cache/uv", ".cache/yarn", ".cargo/bin", ".cargo/git", ".cargo/registry", ".gem/ruby", ".julia/packages", ".local/bin", ".local/lib", ".local/pipx", ".local/share/fnm",
	".local/share/mise/installs", ".local/share/pipx", ".local/share/pnpm", ".local/share/uv/python", ".local/share/uv/tools", ".local/share/virtualenvs", ".m2/repository",
	".npm/_cacache", ".nuget/packages", ".nvm/versions", ".opam", ".pub-cache", ".pyenv/versions", ".rbenv/versions", ".rustup/toolchains", ".sdkman/candidates",
	".virtualenvs", ".volta/tools",
}

// hidden says why what lies at a path is not named, by its place and its name, or is "".
func (h *Looks) hidden(real string) string {
	if pathname.Below(real, "/run") || pathname.Below(real, "/var/run") {
		return "sockets of the system's and of its users' lie there"
	}
	for _, tmp := range []string{"/tmp/", "/var/tmp/"} {
		if rest, ok := strings.CutPrefix(real, tmp); ok && slices.ContainsFunc([]string{".", "tmux-", "ssh-", "systemd-private-"}, func(s string) bool { return strings.HasPrefix(rest, s) }) {
			return "sockets, or what a service keeps to itself, lie there"
		}
	}
	if why := h.ofHome(real); why != "" {
		return why
	}
	if keyName(real) {
		return keyNamed
	}
	return ""
}

// ofHome is the part of hidden that is about homes.
func (h *Looks) ofHome(real string) string {
	home := h.homeOf(real)
	at := h.asOfHome(real, "XDG_")
	if home != "" && strings.HasPrefix(real, home+"/.") {
		at = real[len(home)+1:]
	}
	if at == "" {
		return ""
	}
	if slices.ContainsFunc(packages, func(p string) bool { return pathname.Below(at, p) }) {
		return ""
	}
	return "what is hidden in a home is settings, keys and histories"
}

const keyNamed = "it is called as keys and tokens are"

// homeOf is the home that a path lies in, or "": one that is known, one right below /home,
// or a folder with what homes begin with, as a copy of one has.
func (h *Looks) homeOf(real string) string {
	for dir := path.Dir(real); dir != "/" && dir != "."; dir = path.Dir(dir) {
		if path.Dir(dir) == "/home" || slices.Contains(h.homes, dir) {
			return dir
		}
		for _, name := range homeSigns {
			if _, ok := h.look(path.Join(dir, name)); ok {
				return dir
			}
		}
	}
	return ""
}

// homeSigns are names of what lies in homes and nowhere else.
var homeSigns = []string{".bashrc", ".gnupg", ".profile", ".ssh", ".zshrc"}

// keyName says whether a file is called as those with keys and tokens in them are, or lies
// in a folder that is; in what was installed it is code.
func keyName(real string) bool {
	if installed(real) || real == "/etc/passwd" { // in which nobody has a password any more
		return false
	}
	return slices.ContainsFunc(strings.Split(real, "/"), keyFolder) || keyFile(path.Base(real))
}

// installed says whether a path lies where code or certificates are kept that somebody
// published, or where git keeps the names of branches.
func installed(real string) bool {
	in := func(part string) bool { return strings.Contains(real, "/"+part+"/") }
	return slices.ContainsFunc([]string{"/usr", "/lib", "/lib64", "/nix", "/etc/ca-certificates", "/etc/pki/ca-trust", "/etc/pki/tls/certs", "/etc/ssl/certs"}, func(top string) bool { return pathname.Below(real, top) }) ||
		slices.ContainsFunc([]string{"dist-packages", "go/pkg/mod", "node_modules", "refs/heads", "refs/remotes", "refs/tags", "site-packages"}, in) ||
		slices.ContainsFunc(packages, in)
}

// holds says why a folder is not named for what is in it, or is "": a home, files with
// keys, or a socket.
func (h *Looks) holds(dir string) string {
	why, known := h.held[dir]
	if !known {
		why = h.found(dir)
		h.held[dir] = why
	}
	return why
}

// found is holds of a folder that was not looked into yet.
func (h *Looks) found(dir string) string {
	if h.homeOf(path.Join(dir, "x")) == dir {
		return "it is somebody's whole home"
	}
	if why := h.mountedIn(dir); why != "" {
		return why
	}
	said, unseen := h.through(dir, mostOfTree, judgeIn(dir))
	if unseen != "" {
		return "it could not be looked through for keys and sockets: " + unseen
	}
	return said
}

// judgeIn says of what lies in a folder why that is not named with it, or "".
func judgeIn(dir string) func(at string, kind fs.FileMode) string {
	places, last, published := placesByName(), "", false
	return func(at string, kind fs.FileMode) string {
		name, rest := path.Base(at), strings.TrimPrefix(at, dir+"/")
		if around := path.Dir(at); around != last { // what lies in one folder comes together
			last, published = around, installed(at)
		}
		switch {
		case kind&fs.ModeSocket != 0:
			return "it holds a socket"
		case published:
		case kind.IsDir() && keyFolder(name), !kind.IsDir() && keyFile(name):
			return "it holds " + shellword.Shown(rest) + ", which is called as keys and tokens are"
		case slices.ContainsFunc(places[name], func(s string) bool { return strings.HasSuffix(at, "/"+s) }):
			return "it holds " + shellword.Shown(rest) + ", where keys or tokens are kept"
		case slices.Contains(homeSigns, name):
			return "it holds " + shellword.Shown(rest) + ", by which it is a home or the copy of one"
		}
		return ""
	}
}

// runs says why what lies at a path is not named to be written to, or is "": somebody runs
// it, or a program of somebody's is told by it what to do.
func (h *Looks) runs(real string) string {
	if slices.ContainsFunc(systems, func(s string) bool { return pathname.Below(real, s) }) {
		return NotHinted + "it is a part of the operating system, which no program in a box is to change"
	}
	return h.tells(real)
}

// folderHere says whether something is a folder in the one that the caller is in: where PATH
// names that, what lies deeper is not found by it.
func (h *Looks) folderHere(real string) bool {
	f, ok := h.look(real)
	return ok && f.Dir() && path.Dir(real) == h.cwd
}

// tells is the part of runs that is not about where the system lies.
func (h *Looks) tells(real string) string {
	switch {
	case slices.ContainsFunc(h.policy, func(file string) bool { return pathname.Below(file, real) || pathname.Below(real, file) }):
		return "it holds a profile, by which the program could rewrite its own policy"
	case slices.ContainsFunc(h.programs, func(dir string) bool {
		return pathname.Below(dir, real) || path.Dir(real) == dir && !h.folderHere(real)
	}):
		return NotHinted + "programs that you run lie in it"
	}
	if why := cmp.Or(h.runsBy(real), h.loads(real), h.gitRuns(real)); why != "" {
		return why
	}
	home := h.homeOf(real)
	for part := range strings.SplitSeq(real, "/") {
		if strings.HasPrefix(part, ".") && (!strings.Contains(part, "cache") || home != "" && strings.HasPrefix(real, home+"/.")) {
			return NotHinted + "what is hidden tells programs of yours what to do"
		}
		if slices.Contains([]string{"dist-packages", "node_modules", "site-packages"}, part) {
			return NotHinted + "what is installed there is run outside of boxes as well"
		}
	}
	for dir := real; dir != "/" && dir != "."; dir = path.Dir(dir) {
		if _, ok := h.look(path.Join(dir, "pyvenv.cfg")); ok {
			return NotHinted + "it is a virtual environment's, which is run outside of boxes as well"
		}
	}
	return ""
}
