package jail

import (
	"path"

	"github.com/seed-75010da9/jail/internal/hostmounts"
	"github.com/seed-75010da9/jail/internal/kernelfs"
	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/internal/withheld"
)

// refusedSource says why a host path is never granted, or "".
func refusedSource(m *mount) string {
	source := path.Clean(m.Source)
	if m.Kind == MountSystem && source != "/" {
		return withheld.KernelsOwn(source) // a profile's, not a caller's
	}
	return withheld.Never(source)
}

// kernelMount says why a folder is not granted because of what is mounted there, or
// somewhere below it, or "": a grant brings its mounts along.
func (r *resolver) kernelMount(source string) string {
	mounts, err := r.places.list()
	if err != nil {
		return "what is mounted below it can't be seen: " + err.Error()
	}
	for _, m := range mounts {
		switch {
		case !kernelfs.Mounted(m.Kind):
		case pathname.Below(source, m.Point):
			if id, err := hostmounts.At(source); err == nil && id == m.ID {
				return withheld.InKernels
			}
		case pathname.Below(m.Point, source):
			return "a file system that is an interface of the kernel is mounted below it, at " + shellword.Quote(m.Point) + ": grant the folders beside it"
		}
	}
	return ""
}
