package jail

import (
	"context"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/hostmounts"
	"github.com/seed-75010da9/jail/internal/pathname"
)

// Places tells whether two paths of the host's lead to the same place: the host shows
// one file system by as many paths as there are mounts of it (mount(8), bind mounts).
// It is not safe for concurrent use.
type Places struct {
	mounts hostmounts.List
	err    error
	read   bool
	parts  map[string][]hostmounts.Part
}

// NewPlaces reads which mounts there are when they are first asked for.
func NewPlaces() *Places { return &Places{parts: map[string][]hostmounts.Part{}} }

// WithPlaces returns a context in which one run goes by what places has found out of the
// host's mounts, in place of finding it out again.
func WithPlaces(ctx context.Context, places *Places) context.Context {
	return context.WithValue(ctx, placesKey{}, places)
}

type placesKey struct{}

func placesOf(ctx context.Context) *Places {
	if places, ok := ctx.Value(placesKey{}).(*Places); ok {
		return places
	}
	return NewPlaces()
}

// Within says whether what is at a path of the host's, or would be if it were made
// there, is a folder or lies in it, and by which path of that folder's own. Both paths
// are clean and free of links. Of hard links see MayName: no look finds them all.
func (s *Places) Within(dir, p string) (at string, ok bool) {
	if pathname.Below(p, dir) {
		return p, true
	}
	shown, rest := s.place(p)
	for _, in := range s.of(dir) {
		if !pathname.Below(in.At, dir) || !pathname.Below(shown.Inner, in.Inner) {
			continue
		}
		if at, _, ok := in.Shows(shown); ok {
			return path.Join(at, rest), true
		}
	}
	return "", false
}

// MayName says whether a folder may hold another name of a file of the host's: the file
// has several, and they lie on one file system.
func (s *Places) MayName(dir, file string) bool {
	var its, st unix.Stat_t
	return unix.Lstat(file, &its) == nil && its.Mode&unix.S_IFMT == unix.S_IFREG && its.Nlink > 1 &&
		unix.Lstat(dir, &st) == nil && st.Dev == its.Dev
}

// place is the part that a path leads to, or the next folder above it that is there; rest
// leads on from there.
func (s *Places) place(p string) (_ hostmounts.Part, rest string) {
	for at := p; ; at = path.Dir(at) {
		for _, in := range s.of(at) {
			if in.At == at && pathname.Below(at, in.Point) {
				return in, strings.TrimPrefix(p, at)
			}
		}
		if at == "/" || at == "." {
			return hostmounts.Part{}, ""
		}
	}
}

// of are what the host shows at a path and below it.
func (s *Places) of(p string) []hostmounts.Part {
	parts, ok := s.parts[p]
	if ok {
		return parts
	}
	mounts, _ := s.list() // without, no folder is granted (kernelMount)
	parts = mounts.Parts(p)
	s.parts[p] = parts
	return parts
}

// list are the host's mounts as they were when they were first asked for.
func (s *Places) list() (hostmounts.List, error) {
	if !s.read {
		s.mounts, s.err = hostmounts.Read()
		s.read = true
	}
	return s.mounts, s.err
}
