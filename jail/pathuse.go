package jail

import (
	"slices"

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

// Used is what a traced program used.
type Used struct {
	// Paths are in the order in which they were first used.
	Paths []PathUse
	// Families are those of the sockets that it made, such as AF_INET.
	Families []int
	// Calls are those of Spec.Seccomp.Allow that it made.
	Calls []string
	// Incomplete says that there was more than is told apart, or could be read.
	Incomplete bool
}

// used is what a tracer saw, or nil.
func (r *run) used() *Used {
	t := r.observer.paths()
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	used := &Used{Paths: make([]PathUse, 0, len(t.order)), Families: slices.Clone(t.families), Calls: slices.Clone(t.calls), Incomplete: t.unread+t.beyond > 0}
	for _, u := range t.order {
		p := PathUse{Path: u.asked, Real: u.real, Dir: u.mode&unix.S_IFMT == unix.S_IFDIR, Count: u.count,
			Read: u.did&paths.Read != 0, Written: u.did&(paths.Write|paths.Change|paths.Remove) != 0, Made: u.did&paths.Make != 0,
			Executed: u.did&paths.Execute != 0, Used: u.did&(paths.Look|paths.Enter|paths.Connect) != 0}
		if m := r.plan.view.mountAt(u.real); m != nil {
			p.Kind, p.Source = m.Kind, m.source(u.real)
		}
		used.Paths = append(used.Paths, p)
	}
	return used
}

// paths is what a tracer saw, or nil.
func (o *observer) paths() *seenPaths {
	if o == nil || o.tracer == nil {
		return nil
	}
	return &o.tracer.seen
}
