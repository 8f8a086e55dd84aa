package jail

import (
	"path"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/pathname"
)

// What nothing but a program's own words names, on stderr or in a file that it wrote, is
// looked for in few places: else any path could be asked for, and the answer would say
// what the host has.

// systemPrograms are where the host keeps its programs and libraries for all to read.
var systemPrograms = []string{"/bin", "/gnu/store", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/opt", "/sbin", "/snap", "/usr"}

const notLookedFor = "it lies outside of what was given, and what a program's own words name is looked for nowhere else"

// byWord is what the host has at a path that words name; why says why no hint names it, or
// is "". given are folders in which it is looked for besides the system's.
func (h *hostLooks) byWord(p string, given []string) (f hostFile, there bool, why string) {
	p = path.Clean(p)
	switch {
	case !slices.ContainsFunc(slices.Concat(given, systemPrograms), func(dir string) bool { return pathname.Below(p, dir) }):
		return f, false, notLookedFor
	case h.privateName(p) != "":
		return f, false, notHinted + h.privateName(p)
	case keyName(p):
		return f, false, notHinted + keyNamed
	}
	if f, there = h.at(p); there {
		why = h.unhintable(f, hintRead)
	} else if h.over {
		why = tookTooLong
	}
	return f, there, why
}

// given are the folders of the host in which what a program's words name is looked for:
// what the caller gave, and, where a hint may name them as a whole, which no home is, those
// in which a file lies that he gave and named, in which the program starts, which its
// variables name, and which a trace has shown to be there.
func (r *run) given() []string {
	var given []string
	around := append([]string{r.spec.Dir}, r.variableFolders()...)
	for _, m := range r.plan.view.mounts {
		switch {
		case m.Kind != MountRO && m.Kind != MountRW:
		case m.dir:
			given = append(given, m.Source)
		case slices.Contains(r.spec.Args, m.Target):
			around = append(around, path.Dir(m.Source))
		}
	}
	for _, d := range r.result.Denials {
		if d.Source == sourceTrace && strings.HasPrefix(d.Grant, "--ro ") {
			around = append(around, pathOf(d))
		}
	}
	slices.Sort(around)
	for _, dir := range slices.Compact(around) {
		if f, ok := r.looks().at(dir); ok && path.IsAbs(dir) && f.dir() && r.looks().unhintable(f, hintRead) == "" {
			given = append(given, dir)
		}
	}
	return given
}

// variableFolders are those that say where modules lie.
func (r *run) variableFolders() (dirs []string) {
	for _, kv := range r.spec.Env {
		if key, value, _ := strings.Cut(kv, "="); key == "PYTHONPATH" || key == "NODE_PATH" {
			dirs = append(dirs, strings.Split(value, ":")...)
		}
	}
	return dirs
}
