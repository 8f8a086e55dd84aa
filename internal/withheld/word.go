package withheld

import (
	"path"
	"slices"

	"github.com/seed-75010da9/jail/internal/pathname"
)

// What nothing but a program's own words names, on stderr or in a file that it wrote, is
// looked for in few places: else any path could be asked for, and the answer would say
// what the host has.

// systemPrograms are where the host keeps its programs and libraries for all to read.
var systemPrograms = []string{"/bin", "/gnu/store", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/opt", "/sbin", "/snap", "/usr"}

const NotLookedFor = "it lies outside of what was given, and what a program's own words name is looked for nowhere else"

// ByWord is what the host has at a path that words name; why says why no hint names it, or
// is "". given are folders in which it is looked for besides the system's.
func (h *Looks) ByWord(p string, given []string) (f File, there bool, why string) {
	p = path.Clean(p)
	switch {
	case !slices.ContainsFunc(slices.Concat(given, systemPrograms), func(dir string) bool { return pathname.Below(p, dir) }):
		return f, false, NotLookedFor
	case h.privateName(p) != "":
		return f, false, NotHinted + h.privateName(p)
	case keyName(p):
		return f, false, NotHinted + keyNamed
	}
	if f, there = h.At(p); there {
		why = h.Why(f, Read)
	} else if h.over {
		why = TookTooLong
	}
	return f, there, why
}
