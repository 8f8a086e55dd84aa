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
	// Dir says that it is a folder, Link that a symbolic link was meant itself, and
	// Special that it is a socket or a device.
	Dir, Link, Special bool
	// Kind is what of the box's view it lies in, "" for the box's own; Source is where
	// on the host, or "".
	Kind   MountKind
	Source string
	// What was done with it. Used is anything else, such as looking at it.
	// Entered is that it became the working folder, and Anew that a file that was there was
	// written from its start, as one that is not there is made (open(2), O_CREAT, O_TRUNC).
	// MayWrite is that it asked whether it may write to it, and may (access(2), W_OK).
	Read, Written, Made, Removed, Anew, Executed, Entered, MayWrite, Used bool
	Count                                                                 int64
}

// Used is what a traced program used.
type Used struct {
	// Paths are in the order in which they were first used.
	Paths []PathUse
	// Refused are paths of which something was refused, or that were not there, as the
	// program named them.
	Refused []string
	// Unwritable are those of which it asked whether it may write to them, and may not.
	Unwritable []string
	// Moves are pairs of folders, with links resolved, between which it moved or linked
	// something: no kernel does that from one mount to another (rename(2), EXDEV).
	Moves [][2]string
	// TmpPeakBytes is the most that was seen in one of the box's folders in memory whose
	// size is Limits.TmpSize.
	TmpPeakBytes int64
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
	used := &Used{Paths: make([]PathUse, 0, len(t.order)), Moves: slices.Clone(t.moves), TmpPeakBytes: r.inMemory(t),
		Families: slices.Clone(t.families), Calls: slices.Clone(t.calls), Incomplete: t.unread+t.beyond > 0}
	for _, ref := range t.refusals {
		if ref.want == paths.Ask {
			used.Unwritable = append(used.Unwritable, ref.asked)
			continue
		}
		used.Refused = append(used.Refused, ref.asked)
	}
	for _, u := range t.order {
		kind := u.mode & unix.S_IFMT
		p := PathUse{Path: u.asked, Real: u.real, Count: u.count,
			Dir: kind == unix.S_IFDIR, Link: kind == unix.S_IFLNK, Special: kind == unix.S_IFSOCK || kind == unix.S_IFCHR || kind == unix.S_IFBLK,
			Read: u.did&paths.Read != 0, Written: u.did&(paths.Write|paths.Change|paths.Remove) != 0, Made: u.did&paths.Make != 0, Removed: u.did&paths.Remove != 0, Anew: u.did&paths.Replace != 0, Entered: u.did&paths.Enter != 0, MayWrite: u.did&paths.Ask != 0,
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
