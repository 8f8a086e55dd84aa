package profiles

import (
	"path/filepath"

	"github.com/seed-75010da9/jail/internal/withheld"
	"github.com/seed-75010da9/jail/jail"
)

// elsewhere is the fault of a program that wants a file which lies elsewhere. It is named
// to be granted as any hint is: where that is for nobody to be given, it is told why.
func (s *search) elsewhere(field, wants, path string) {
	given := []string{s.b.h.Dir, filepath.Dir(s.real)}
	for _, m := range s.b.view.mounts {
		if m.Kind == jail.MountRO || m.Kind == jail.MountRW {
			given = append(given, m.Source)
		}
	}
	way := "give --ro " + shown(path) + " if that is right"
	if why := withheld.New().WithheldWord(path, given); why != "" {
		way = why
	}
	s.b.fault(field, s.arg, "a program that brings its libraries in its own folder; this one "+wants+": "+way)
}

// ifRight is what to do about a file that is there and that others than the caller name.
func ifRight(path string) string {
	if why := withheld.New().Withheld(path, false); why != "" {
		return why
	}
	return "grant that with --ro if it is right"
}
