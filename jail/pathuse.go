package jail

import (
	"github.com/seed-75010da9/jail/jail/internal/paths"
	"golang.org/x/sys/unix"
)

// A PathUse is a path that a traced program used and was not refused, as it was seen
// beside its calls.
type PathUse struct {
	// Path is absolute, in the box, as the program named it; Real is where it leads,
	// with links resolved. They are the program's words.
	Path, Real string
	// Dir says that it is a folder.
	Dir bool
	// Kind is what of the box's view it lies in, "" for the box's own; Source is where
	// on the host, or "".
	Kind   MountKind
	Source string
	// What was done with it. Used is anything else, such as looking at it.
	Read, Written, Made, Executed, Used bool
	Count                               int64
}

// pathUses are what a tracer saw, in the order in which it did.
func (r *run) pathUses() []PathUse {
	t := r.observer.paths()
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	uses := make([]PathUse, 0, len(t.order))
	for _, u := range t.order {
		p := PathUse{Path: u.asked, Real: u.real, Dir: u.mode&unix.S_IFMT == unix.S_IFDIR, Count: u.count,
			Read: u.did&paths.Read != 0, Written: u.did&(paths.Write|paths.Change|paths.Remove) != 0, Made: u.did&paths.Make != 0,
			Executed: u.did&paths.Execute != 0, Used: u.did&(paths.Look|paths.Enter|paths.Connect) != 0}
		if m := r.plan.view.mountAt(u.real); m != nil {
			p.Kind, p.Source = m.Kind, m.source(u.real)
		}
		uses = append(uses, p)
	}
	return uses
}

// paths is what a tracer saw, or nil.
func (o *observer) paths() *seenPaths {
	if o == nil || o.tracer == nil {
		return nil
	}
	return &o.tracer.seen
}
