package jail

import (
	"path"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/withheld"
)

// What the caller gave and named is where a hint looks.

// looks are a run's; all that is asked of them shares one bound.
func (r *run) looks() *withheld.Looks {
	if r.hostLooks != nil {
		return r.hostLooks
	}
	box := withheld.Box{Named: r.namedPaths()}
	for _, m := range r.plan.view.grants {
		switch m.Kind {
		case MountRW:
			box.Written = append(box.Written, m.Source)
		case MountRO:
			box.Read = append(box.Read, m.Source)
		}
	}
	if r.spec.Profile != nil {
		box.Policy = r.spec.Profile.Files
	}
	r.hostLooks = withheld.For(box)
	return r.hostLooks
}

// namedPaths are the first that the command names, and git's variables in the box.
func (r *run) namedPaths() (list []string) {
	const mostNamed = 64
	texts := []string{r.startsIn()}
	for _, kv := range r.spec.Env {
		if strings.HasPrefix(kv, "GIT_") {
			texts = append(texts, kv)
		}
	}
	for _, text := range append(texts, r.spec.Args...) {
		for _, p := range r.pathsIn(strings.ReplaceAll(text, "=", " ")) {
			if len(list) < mostNamed && !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
	}
	return list
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
		if f, ok := r.looks().At(dir); ok && path.IsAbs(dir) && f.Dir() && r.looks().Why(f, withheld.Read) == "" {
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
