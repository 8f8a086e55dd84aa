package withheld

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/internal/shellword"
)

// What a folder opens besides what it was asked for.

// SocketIn is the folder of a tree in which there is a socket, or "". By it a program with
// --unix is out of its box where Landlock does not keep it (abiResolveUnix).
func (h *Looks) SocketIn(dir string) (at, unseen string) {
	return h.through(dir, mostOfTree, func(at string, kind fs.FileMode) string {
		if kind&fs.ModeSocket != 0 {
			return path.Dir(at)
		}
		return ""
	})
}

// OpensOf is what a folder that would be granted to be written holds of what programs of
// the caller's are told by what to do, at whatever depth, in words, or "". By a named pipe
// that is whatever reads from it.
func (h *Looks) OpensOf(source string) string {
	const mostTold = 8
	var held []string
	there := func(p string) bool { _, ok := h.look(p); return ok }
	h.through(source, mostOfTree, func(at string, kind fs.FileMode) string {
		switch name := path.Base(at); {
		case name == "pyvenv.cfg", name == "HEAD" && there(path.Join(path.Dir(at), "objects")) && there(path.Join(path.Dir(at), "refs")):
			at = path.Dir(at) // a virtual environment, a repository without a folder around it
		case kind&fs.ModeNamedPipe == 0 && !slices.Contains(steering, name):
			return ""
		}
		if slices.ContainsFunc(held, func(in string) bool { return pathname.Below(at, in) }) {
			return ""
		}
		if held = append(held, at); len(held) > mostTold {
			return "enough"
		}
		return ""
	})
	if held == nil {
		return ""
	}
	more := ""
	if len(held) > mostTold {
		held, more = held[:mostTold], " and more"
	}
	slices.Sort(held)
	for i, at := range held {
		held[i] = shellword.Quote(strings.TrimPrefix(at, strings.TrimSuffix(source, "/")+"/"))
	}
	return "its " + strings.Join(held, ", ") + more + " as well, by which programs of yours are told what to do"
}

// steering are names of what tells programs what to do, and of what they run.
var steering = []string{".devcontainer", ".envrc", ".git", ".github", ".hg", ".husky", ".idea", ".vscode", "node_modules", "site-packages"}
