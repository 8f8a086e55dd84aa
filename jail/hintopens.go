package jail

import (
	"io/fs"
	"path"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
)

// What a flag opens besides what it was asked for is told with it.

// unixGrant is --unix, with what it opens below the ABI from which on Landlock keeps the
// sockets of a box in it; where that is somebody's socket it is not named.
func (r *run) unixGrant() grant {
	g := grant{flags: "--unix", setting: "net.unix = true"}
	if r.plan.handled.abi >= abiResolveUnix {
		return g
	}
	const all = "every Unix socket that lies in a granted folder, or comes to (below Landlock ABI 9)"
	for _, m := range r.plan.view.mounts {
		if m.Kind != MountRO && m.Kind != MountRW || !m.dir {
			continue
		}
		at, unseen := "", ""
		if !r.looks().bounded(func() { at, unseen = r.looks().socketIn(m.Source) }) {
			return grant{never: tookTooLong}
		}
		switch {
		case at != "":
			return grant{never: notHinted + "--unix opens " + all + ", and one lies in " + shellword.Quote(at)}
		case unseen != "":
			return grant{never: notHinted + "--unix opens " + all + ", and " + shellword.Quote(m.Source) + " could not be looked through for one: " + unseen}
		}
	}
	g.opens = all
	return g
}

// socketIn is the folder of a tree in which there is a socket, or "". By it a program with
// --unix is out of its box where Landlock does not keep it (abiResolveUnix).
func (h *hostLooks) socketIn(dir string) (at, unseen string) {
	return h.through(dir, mostOfTree, func(at string, kind fs.FileMode) string {
		if kind&fs.ModeSocket != 0 {
			return path.Dir(at)
		}
		return ""
	})
}

// opensOf is what a folder that would be granted to be written holds of what programs of
// the caller's are told by what to do, in words, or "".
func (h *hostLooks) opensOf(g pathGrant) string {
	if g.flag != "--rw" || g.file {
		return ""
	}
	var held []string
	for _, name := range []string{".devcontainer", ".envrc", ".git", ".github", ".hg", ".husky", ".idea", ".vscode", "node_modules"} {
		if _, there := h.look(path.Join(g.source, name)); there {
			held = append(held, name)
		}
	}
	if held == nil {
		return ""
	}
	return "its " + strings.Join(held, ", ") + " as well, by which programs of yours are told what to do"
}
