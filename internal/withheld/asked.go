package withheld

import (
	"slices"

	"github.com/seed-75010da9/jail/internal/pathname"
	"golang.org/x/sys/unix"
)

// Unknown says that what the host has at a path could not be looked at: that is not looked
// at (FUSE, autofs), or did not answer in time.
func (h *Looks) Unknown(p string) bool {
	_, ok := h.At(p)
	return !ok && (h.over || slices.ContainsFunc(h.closed, func(at string) bool { return pathname.Below(p, at) }))
}

// Gone says that the host has nothing at a path that can be granted. Of what is not
// looked at, or does not answer in time, it is not said.
func (h *Looks) Gone(p string) bool {
	f, ok := h.At(p)
	if !ok {
		return !h.Unknown(p)
	}
	kind := f.Mode & unix.S_IFMT
	return f.Real != p || kind != unix.S_IFDIR && kind != unix.S_IFREG && kind != unix.S_IFIFO
}

// Lead says whether the host's links lead from one of its paths to another. Of what does
// not answer in time they don't.
func (h *Looks) Lead(from, to string) bool {
	f, ok := h.At(from)
	return ok && f.Real == to
}

// Closed says whether a path lies below a mount that is not looked at.
func (h *Looks) Closed(p string) bool {
	return slices.ContainsFunc(h.closed, func(point string) bool { return point != "/" && pathname.Below(p, point) })
}
