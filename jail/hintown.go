package jail

import (
	"path"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/internal/withheld"
)

// What a program makes where the box has nothing of the host's is kept only in what lies
// there on the host: the folder that it asks for, where the host has that, or the nearest
// around it.

// grantOfOwn is for writing to dir, which is the box's own. Asked is what was to be made.
func (r *run) grantOfOwn(dir, asked string) pathGrant {
	meant := r.meantBelow(asked)
	near, ok := r.nearest(meant)
	if !ok {
		return pathGrant{never: withheld.TookTooLong}
	}
	why := r.looks().Why(near, withheld.Write)
	if why == "" {
		return pathGrant{flag: "--rw", source: near.Real, instead: r.replacedBy(dir, asked)}
	}
	if why := withheld.KernelsOwn(asked); why != "" {
		return pathGrant{never: why}
	}
	if dir == "/" {
		dir = asked
	}
	keep, still := "", ""
	if whole := near.Real == "/" || withheld.Whole(near.Real); whole && r.looks().Withheld(meant, true) == "" {
		keep = "make " + shellword.Quote(meant) + " on the host and grant that with --rw"
		still = ": to keep what is made, " + keep
		keep = ", or " + keep
	}
	switch {
	case strings.Contains(dir, "…"):
		return pathGrant{never: "the box's own tree is read-only: have it written to /tmp or to a folder that --rw or --tmpfs grants"}
	case !r.plan.view.holds(dir):
		return pathGrant{flag: "--tmpfs", source: dir, opens: "a folder in memory there, of which nothing is kept" + still}
	case strings.HasPrefix(why, withheld.NotHintedWord) && !r.plan.view.holds(asked):
		return pathGrant{never: why + "; have it written to /tmp" + keep}
	}
	return pathGrant{never: "the box's own tree is read-only: have it written to /tmp" + keep}
}

// meantBelow is a path below one that a program was to make, where the host has that: who
// makes a folder with those around it (mkdir -p) begins with the first that the box has
// not, and the caller's own words may say for which.
func (r *run) meantBelow(asked string) string {
	if f, ok := r.looks().At(asked); !ok || !f.Dir() {
		return asked
	}
	deeper := func(p string) bool { return p != asked && pathname.Below(p, asked) }
	for _, arg := range r.spec.Args[1:] {
		words := r.pathsIn(arg)
		if i := slices.IndexFunc(words, deeper); i >= 0 {
			return words[i]
		}
	}
	return asked
}

// nearest is the folder at a path on the host, or the first one above it that is there; not
// ok is for what took too long. What links lead to elsewhere is not where the box has it.
func (r *run) nearest(p string) (withheld.File, bool) {
	for ; ; p = path.Dir(p) {
		f, ok := r.looks().At(p)
		switch {
		case ok && f.Dir() && f.Real == p:
			return f, true
		case r.looks().Over() || p == "/" || p == ".":
			return f, false
		}
	}
}
