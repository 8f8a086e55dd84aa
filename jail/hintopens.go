package jail

import (
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
		at := ""
		if !r.looks().bounded(func() { at = r.looks().socketIn(m.Source) }) {
			return grant{never: tookTooLong}
		}
		if at != "" {
			return grant{never: notHinted + "--unix opens " + all + ", and one lies in " + shellword.Quote(at)}
		}
	}
	g.opens = all
	return g
}

// opensOf is what a folder that would be granted to be written holds of what programs of
// the caller's are told by what to do, in words, or "".
func (h *hostLooks) opensOf(g pathGrant) string {
	if g.flag != "--rw" || g.file {
		return ""
	}
	var held []string
	for _, name := range []string{".devcontainer", ".envrc", ".git", ".github", ".hg", ".husky", ".idea", ".vscode", "node_modules/.bin"} {
		if h.has(path.Join(g.source, name)) {
			held = append(held, name)
		}
	}
	if held == nil {
		return ""
	}
	return "its " + strings.Join(held, ", ") + " as well, by which programs of yours are told what to do"
}
