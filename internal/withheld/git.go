package withheld

import (
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/internal/shellword"
)

// What git runs lies in .git/hooks, which is hidden; in a repository without a folder
// around it, which is not; and wherever core.hooksPath says (githooks(5), git-config(1)).

// gitRuns says why what lies at a path is not written to for what git runs, or is "": in
// the repository that it lies in, and in those of the caller's and of what he granted
// (repositories), whose settings may name what lies elsewhere.
func (h *Looks) gitRuns(real string) string {
	for dir := real; ; dir = path.Dir(dir) {
		if h.bare(dir) {
			return NotHinted + "it is a git repository's own, by which git is told what to run"
		}
		if dir == "/" || dir == "." {
			break
		}
		if _, ok := h.look(path.Join(dir, ".git")); ok {
			if why := h.gitSettings(dir).tells(real); why != "" {
				return why
			}
		}
	}
	trees := h.repositories()
	for _, tree := range trees.dirs {
		if !pathname.Below(real, tree) { // else it was looked at
			if why := h.gitSettings(tree).tells(real); why != "" {
				return why
			}
		}
	}
	if trees.unseen != "" {
		return NotHinted + "settings of git's may name it, and not all repositories in what was granted could be looked at: " + trees.unseen
	}
	return h.gitSettings("").tells(real)
}

// mostNamed is how many words, and how many paths, of a repository's settings are looked at.
const mostNamed = 1 << 13

// mostFiles is how many files of them are read.
const mostFiles = 32

// gitConfigs are what a repository's settings say of hooks and programs.
type gitConfigs struct {
	h     *Looks
	tree  string   // its folder, or "" for what is said for all of them
	hooks []string // where they lie
	runs  []string // what other settings name, mostly to be run
	// hooksAlone is for who asks for nothing else.
	hooksAlone bool
	words      int // that were taken for paths
	// folders are those of runs, of which all that lies in one may be meant.
	folders []string
	files   []string // that were read
	unseen  string
}

// gitSettings are those of one repository, or of none, with those for all.
func (h *Looks) gitSettings(tree string) *gitConfigs {
	if c, ok := h.gitRead[tree]; ok {
		return c
	}
	c := &gitConfigs{h: h, tree: tree}
	h.gitRead[tree] = c
	c.readAll()
	return c
}

// trees are where what the settings name by a relative path lies: the repository's folder,
// or, of one that GIT_DIR names, its work tree (git(1)).
func (c *gitConfigs) trees() []string {
	h := c.h
	switch tree := os.Getenv("GIT_WORK_TREE"); {
	case c.tree != "":
		return []string{c.tree}
	case os.Getenv("GIT_DIR") == "":
		return nil
	case tree != "":
		return append(h.placed(tree, h.cwd), h.cwd) // for whoever takes the variable away again
	}
	return []string{h.cwd}
}

// readAll reads those of the repository, and those for all.
func (c *gitConfigs) readAll() {
	h, tree := c.h, c.tree
	if tree != "" {
		c.read(path.Join(tree, ".git/config"))
		c.read(path.Join(tree, ".git/config.worktree"))
		c.pointed(path.Join(tree, ".git"))
		if h.bare(tree) {
			c.read(path.Join(tree, "config"))
			c.read(path.Join(tree, "config.worktree"))
		}
	}
	for _, home := range h.homes {
		c.read(path.Join(home, ".gitconfig"))
		c.read(path.Join(home, ".config/git/config"))
	}
	c.take(gitVariables(), path.Join(h.cwd, "GIT_CONFIG_PARAMETERS"))
	c.read("/etc/gitconfig")
	c.read("/usr/local/etc/gitconfig")
	for variable, file := range map[string]string{"GIT_CONFIG_GLOBAL": "", "GIT_CONFIG_SYSTEM": "", "XDG_CONFIG_HOME": "git/config", "GIT_DIR": "config", "GIT_COMMON_DIR": "config"} {
		if value := os.Getenv(variable); value != "" {
			for _, p := range h.placed(value, h.cwd) {
				c.read(path.Join(p, file))
			}
		}
	}
}

// tells says why what lies at a path is not written to by these, or is "".
func (c *gitConfigs) tells(real string) string {
	// Of a folder with the whole repository in it that is told otherwise (opensOf).
	whole := c.tree != "" && pathname.Below(c.tree, real)
	holds := func(p string) bool { return pathname.Below(p, real) && !(whole && pathname.Below(p, c.tree)) }
	switch {
	case slices.ContainsFunc(c.hooks, func(hooks string) bool { return pathname.Below(real, hooks) || pathname.Below(hooks, real) }):
		return NotHinted + "git runs its hooks there, by core.hooksPath"
	case slices.ContainsFunc(c.runs, holds), slices.ContainsFunc(c.folders, func(dir string) bool { return pathname.Below(real, dir) }):
		return NotHinted + "git is told by its settings to run, to read, or to work on, what lies in it"
	case c.unseen != "":
		return NotHinted + "what git runs could not be looked at: " + shellword.Shown(c.unseen) + " is too long, or can't be read"
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

// ofPlaces are settings by whose paths git neither runs anything nor writes, nor is told
// to: whole repositories, their addresses and their branches.
var ofPlaces = []string{"branch.merge", "gui.recentrepo", "maintenance.repo", "remote.fetch", "remote.push", "remote.pushurl", "remote.url", "safe.directory", "scalar.repo", "submodule.url",
	"url.insteadof", "url.pushinsteadof"}

// read takes a file of settings, and those that it includes, by whatever condition. Which
// settings are commands is not asked: nothing that one may name is written to.
func (c *gitConfigs) read(file string) {
	if slices.Contains(c.files, file) {
		return
	}
	if len(c.files) == mostFiles {
		c.unseen = file
		return
	}
	c.files = append(c.files, file)
	text, _ := c.text(file)
	c.take(gitEntries(text), file)
}

// take takes settings, of a file or as of one.
func (c *gitConfigs) take(entries []gitEntry, file string) {
	for _, e := range entries {
		if c.h.stopped() {
			return
		}
		e.value = strings.TrimPrefix(e.value, ":(optional)")
		switch {
		case max(c.words, len(c.hooks), len(c.runs)) > mostNamed:
			c.unseen = file
			return
		case e.key == "hookspath" && e.section == "core":
			c.hooks = append(c.hooks, c.h.placed(e.value, c.trees()...)...)
		case e.key == "path" && strings.HasPrefix(e.section, "include"):
			for _, p := range c.h.placed(e.value, path.Dir(file)) {
				c.runs = append(c.runs, p)
				c.read(p)
			}
		case c.hooksAlone:
		case !slices.Contains(ofPlaces, e.section+"."+e.key), strings.Contains(e.value, "::"): // gitremote-helpers(7)
			c.named(e, e.value, file)
		}
		if e.key == "" && !c.hooksAlone && strings.Contains(e.of, "::") {
			c.named(e, e.of, file)
		}
	}
}

// ofPeople are sections whose words are names of people, of branches and of colors.
var ofPeople = []string{"author", "branch", "color", "committer", "user"}

// named takes what a value of a setting may name: from the root or a home, from the work
// tree, in which git runs commands, or from the folder of the settings. A word alone is no
// folder unless it may be the argument of a command, such as cd.
func (c *gitConfigs) named(e gitEntry, value, file string) {
	arguments := len(strings.Fields(value)) > 1 && !slices.Contains(ofPeople, e.section)
	inTree := func(name string) string {
		return map[string]string{"GIT_DIR": c.tree + "/.git", "GIT_COMMON_DIR": c.tree + "/.git", "GIT_WORK_TREE": c.tree}[name]
	}
	words, whole := pathWords(value, inTree, c.h.stopped)
	if c.words += len(words); !whole || c.words > mostNamed {
		c.unseen = file
		return
	}
	if strings.Contains(value, "$(") || strings.Contains(value, "`") { // which may say the folder
		for _, word := range words {
			if path.IsAbs(word) {
				words = append(words, "."+word)
			}
		}
	}
	trees := c.trees()
	for _, word := range words {
		if c.h.stopped() {
			return
		}
		bare, from := !strings.ContainsAny(word, "/~"), trees
		if !bare {
			from = append(slices.Clip(from), path.Dir(file))
		}
		for _, p := range c.h.placed(word, from...) {
			f, ok := c.h.look(p)
			folder := ok && f.Dir()
			switch {
			case bare && (folder && !arguments || !ok), slices.ContainsFunc(trees, func(tree string) bool { return pathname.Below(tree, p) }), slices.Contains(c.h.homes, p), slices.Contains(wholes, p):
				// a word that is no file, or all that there is
			case folder && !slices.ContainsFunc(c.h.around, func(at string) bool { return pathname.Below(at, p) }):
				c.folders = append(c.folders, p)
				fallthrough
			default:
				c.runs = append(c.runs, p)
			}
		}
	}
}

// text is what is in a file, if it is a plain one of some length.
func (c *gitConfigs) text(file string) (string, bool) {
	const longest = 256 << 10
	f, ok := c.h.look(file)
	if !ok || f.Mode&unix.S_IFMT != unix.S_IFREG {
		return "", false
	}
	text, err := FileText(f.Real, longest)
	if err != nil || len(text) > longest {
		c.unseen = file
		return "", false
	}
	return text, true
}
