package jail

import (
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// What git runs lies in .git/hooks, which is hidden; in a repository without a folder
// around it, which is not; and wherever core.hooksPath says (githooks(5), git-config(1)).

// gitRuns says why what lies at a path is not written to for what git runs, or is "": in
// the repository that it lies in, and in those that the caller and what he granted lie in,
// whose settings may name what lies elsewhere.
func (h *hostLooks) gitRuns(real string) string {
	there := func(p string) bool { _, ok := h.look(p); return ok }
	for dir := real; ; dir = path.Dir(dir) {
		if there(path.Join(dir, "HEAD")) && there(path.Join(dir, "objects")) && there(path.Join(dir, "refs")) {
			return notHinted + "it is a git repository's own, by which git is told what to run"
		}
		if dir == "/" || dir == "." {
			break
		}
		if there(path.Join(dir, ".git")) {
			if why := h.gitSettings(dir).tells(real); why != "" {
				return why
			}
		}
	}
	for _, tree := range h.repositories() {
		if !below(real, tree) { // else it was looked at
			if why := h.gitSettings(tree).tells(real); why != "" {
				return why
			}
		}
	}
	return h.gitSettings("").tells(real)
}

// repositories are those that the folders around the caller lie in.
func (h *hostLooks) repositories() []string {
	const mostRepositories = 16
	if h.gitTrees != nil {
		return h.gitTrees
	}
	h.gitTrees = []string{}
	for _, at := range h.around {
		for dir := at; dir != "/" && dir != "." && len(h.gitTrees) < mostRepositories; dir = path.Dir(dir) {
			if _, ok := h.look(path.Join(dir, ".git")); ok && !slices.Contains(h.gitTrees, dir) {
				h.gitTrees = append(h.gitTrees, dir)
			}
		}
	}
	return h.gitTrees
}

// gitConfigs are what a repository's settings say of hooks and programs.
type gitConfigs struct {
	h      *hostLooks
	tree   string   // its folder, or "" for what is said for all of them
	hooks  []string // where they lie
	runs   []string // files that other settings name, mostly to be run
	files  []string // that were read
	unseen string
}

// gitSettings are those of one repository, or of none, with those for all.
func (h *hostLooks) gitSettings(tree string) *gitConfigs {
	c := &gitConfigs{h: h, tree: tree}
	if tree != "" {
		c.read(path.Join(tree, ".git/config"))
		c.read(path.Join(tree, ".git/config.worktree"))
		c.pointed(path.Join(tree, ".git"))
	}
	for _, home := range h.homes {
		c.read(path.Join(home, ".gitconfig"))
		c.read(path.Join(home, ".config/git/config"))
	}
	c.read("/etc/gitconfig")
	return c
}

// tells says why what lies at a path is not written to by these, or is "".
func (c *gitConfigs) tells(real string) string {
	// Of a folder with the whole repository in it that is told otherwise (opensOf).
	whole := c.tree != "" && below(c.tree, real)
	holds := func(p string) bool { return below(p, real) && !(whole && below(p, c.tree)) }
	switch {
	case slices.ContainsFunc(c.hooks, func(hooks string) bool { return below(real, hooks) || below(hooks, real) }):
		return notHinted + "git runs its hooks there, by core.hooksPath"
	case slices.ContainsFunc(c.runs, holds):
		return notHinted + "git is told by its settings to run, or to read, what lies in it"
	case c.unseen != "":
		return notHinted + "what git runs could not be looked at: " + shownPath(c.unseen) + " is too long, or can't be read"
	}
	return ""
}

// pointed reads those of a repository whose .git is a file with the name of its folder, as
// of a submodule, or of a worktree, whose are those of the main one (gitrepository-layout(5)).
func (c *gitConfigs) pointed(file string) {
	text, ok := c.text(file)
	dir, isFile := strings.CutPrefix(text, "gitdir: ")
	if !ok || !isFile {
		return
	}
	if dir = strings.TrimSpace(dir); !path.IsAbs(dir) {
		dir = path.Join(c.tree, dir)
	}
	for _, config := range []string{"config", "config.worktree", "../../config"} {
		c.read(path.Join(dir, config))
	}
}

// read takes a file of settings, and those that it includes, by whatever condition.
func (c *gitConfigs) read(file string) {
	const mostFiles = 32
	if slices.Contains(c.files, file) {
		return
	}
	if c.files = append(c.files, file); len(c.files) > mostFiles {
		c.unseen = file
		return
	}
	text, _ := c.text(file)
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if head, rest, ok := strings.Cut(line, "]"); ok && strings.HasPrefix(line, "[") {
			section, line = strings.ToLower(head[1:]), strings.TrimSpace(rest)
		}
		key, value, _ := strings.Cut(line, "=")
		switch key = strings.ToLower(strings.TrimSpace(key)); {
		case key == "hookspath" && section == "core":
			c.hooks = append(c.hooks, c.paths(value, c.tree)...)
		case key == "path" && strings.HasPrefix(section, "include"):
			for _, p := range c.paths(value, path.Dir(file)) {
				c.runs = append(c.runs, p)
				c.read(p)
			}
		case !slices.Contains([]string{"directory", "insteadof", "pushinsteadof", "pushurl", "url", "worktree"}, key):
			c.runs = append(c.runs, c.named(value)...)
		}
	}
}

// paths are what a value may name, as it is and with its links followed.
func (c *gitConfigs) paths(value, from string) (list []string) {
	value, _, _ = strings.Cut(strings.TrimSpace(value), " #")
	value = strings.Trim(strings.TrimSpace(value), `"`)
	named := []string{path.Join(from, value)}
	if rest, ok := strings.CutPrefix(value, "~"); ok {
		named = nil
		for _, home := range c.h.homes {
			named = append(named, path.Join(home, strings.TrimPrefix(rest, "/")))
		}
	} else if path.IsAbs(value) {
		named = []string{path.Clean(value)}
	} else if from == "" {
		named = nil // which is in each repository
	}
	for _, p := range named {
		list = append(list, p)
		if f, ok := c.h.look(p); ok && f.real != p {
			list = append(list, f.real)
		}
	}
	return list
}

// named are the paths from the root, or from a home, among the words of a value.
func (c *gitConfigs) named(value string) (list []string) {
	for _, word := range strings.FieldsFunc(value, func(r rune) bool { return notOfPath(r) || r == '=' || r == '!' || r == '|' || r == '&' }) {
		if strings.HasPrefix(word, "/") || strings.HasPrefix(word, "~/") {
			list = append(list, c.paths(word, "")...)
		}
	}
	return list
}

// text is what is in a file, if it is a plain one of some length.
func (c *gitConfigs) text(file string) (string, bool) {
	const longest = 256 << 10
	f, ok := c.h.look(file)
	if !ok || f.mode&unix.S_IFMT != unix.S_IFREG {
		return "", false
	}
	fd, err := unix.Open(f.real, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		c.unseen = file
		return "", false
	}
	opened := os.NewFile(uintptr(fd), file)
	defer opened.Close()
	text, err := io.ReadAll(io.LimitReader(opened, longest+1))
	if err != nil || len(text) > longest {
		c.unseen = file
		return "", false
	}
	return string(text), true
}
