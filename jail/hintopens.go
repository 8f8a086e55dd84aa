package jail

import (
	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/internal/withheld"
)

// What a flag opens besides what it was asked for is told with it.

// unixGrant is --unix, with what it opens below the ABI from which on Landlock keeps the
// sockets of a box in it; where that is somebody's socket it is not named.
func (r *run) unixGrant() grant {
	g := grant{flags: "--unix", setting: "net.unix = true"}
	switch {
	case unixUnasked(r.spec, r.plan.handled.abi):
		return g
	case r.plan.handled.abi >= abiResolveUnix:
		g.opens = "the host's abstract names of sockets: who connects to one that the program has taken comes to it (there is no network namespace)"
		return g
	}
	const all = "every Unix socket that lies in a granted folder, or comes to (below Landlock ABI 9)"
	for _, m := range r.plan.view.mounts {
		if m.Kind != MountRO && m.Kind != MountRW || !m.dir {
			continue
		}
		at, unseen := "", ""
		if !r.looks().Bounded(func() { at, unseen = r.looks().SocketIn(m.Source) }) {
			return grant{never: withheld.TookTooLong}
		}
		switch {
		case at != "":
			return grant{never: withheld.NotHinted + "--unix opens " + all + ", and one lies in " + shellword.Quote(at)}
		case unseen != "":
			return grant{never: withheld.NotHinted + "--unix opens " + all + ", and " + shellword.Quote(m.Source) + " could not be looked through for one: " + unseen}
		}
	}
	g.opens = all
	return g
}
