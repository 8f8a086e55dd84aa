package jail

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail/internal/paths"
	"golang.org/x/sys/unix"
)

// What no denial tells of, since nothing was refused: a module that is not looked for in
// a folder that does not list it, a file that stays where it is because it is a mount,
// and a limit that the kernel counts for each process. What the program says of it is
// looked up among what was given.

// placeHint is what a failed program's own words show with the host's files and the
// view, or "".
func (r *run) placeHint(said string) string {
	r.result.command = strings.Join(r.spec.Args, " ")
	if hint := cmp.Or(r.backstopHint(said), r.heapHint(said), r.aroundHint(said), r.commandHint(said)); hint != "" {
		return hint
	}
	if reason := r.result.Reason; reason != ReasonExecutionFailed && reason != ReasonSignaled {
		return ""
	}
	if hint := cmp.Or(r.moduleHint(said), r.spawnHint(said)); hint != "" {
		return hint
	}
	if hint := r.busyHint(said); hint != "" {
		return hint
	}
	return cmp.Or(r.startHint(said), r.result.limitHint(said, r.spec.View), r.folderHint(said))
}

// hearElsewhere finds what Heed is to tell of a failed program for what it said elsewhere
// than on stderr, with the host's files and the view.
func (r *run) hearElsewhere() {
	if r.tells == nil || r.result.Reason != ReasonExecutionFailed {
		return
	}
	w := r.tells()
	r.asked = w.Asked
	if said := endsOf(w.Said); said != "" {
		r.result.elsewhere = r.placeHint(said)
	}
}

// missedModules are the words around the name of a module that was not found, and where
// such a one may lie.
var missedModules = [...]struct {
	before, after string
	places        func(dir, name string) []string
}{{"No module named '", "'", pythonPlaces}, {"No module named ", "\n", pythonPlaces}, {"Cannot find module '", "'", nodePlaces}, {"Cannot find package '", "'", nodePlaces}}

// moduleHint is for a module that lies on the host where the program looks for it, in a
// folder that the box does not have, or has without it.
func (r *run) moduleHint(said string) string {
	given := []string(nil) // which are looked up where there is a module to look for
	for _, m := range missedModules {
		_, rest, _ := strings.Cut(said, m.before)
		name, _, ok := strings.Cut(rest, m.after)
		if !ok || name == "" || len(name) > unix.PathMax {
			continue
		}
		if given == nil {
			given = r.given()
		}
		for _, dir := range r.moduleFolders() {
			for _, p := range m.places(dir, name) {
				if grant := r.grantAround(p, given); grant != "" {
					return "the module " + shellword.Shown(name) + " lies in a folder that the box does not show: " + grant + " allows it"
				}
			}
		}
	}
	return ""
}

// moduleFolders are where a program's modules may lie: beside it, where it starts, where
// its variables say, and where it looked in vain.
func (r *run) moduleFolders() []string {
	var dirs []string
	for _, arg := range r.spec.Args[1:] {
		if !path.IsAbs(arg) {
			arg = path.Join(r.spec.Dir, arg)
		}
		dirs = append(dirs, path.Dir(path.Clean(arg)))
	}
	dirs = append(dirs, r.variableFolders()...)
	for _, d := range r.result.Denials {
		if d.Source == sourceTrace {
			dirs = append(dirs, pathOf(d))
		}
	}
	dirs = append(dirs, r.spec.Dir)
	return slices.DeleteFunc(dirs, func(d string) bool { return !path.IsAbs(d) })
}

// pythonPlaces are those of a module in a folder of sys.path.
func pythonPlaces(dir, name string) []string {
	p := path.Join(dir, strings.ReplaceAll(name, ".", "/"))
	return []string{p + ".py", p}
}

// nodePlaces are those of what require and import name, from a folder on: a file, or a
// package in a node_modules of the folder or one above it.
func nodePlaces(dir, name string) (places []string) {
	if path.IsAbs(name) || strings.HasPrefix(name, ".") {
		p := name
		if !path.IsAbs(name) {
			p = path.Join(dir, name)
		}
		for _, end := range []string{"", ".js", ".json", ".cjs", ".mjs", ".node"} {
			places = append(places, p+end)
		}
		return places
	}
	for at := dir; at != "/"; at = path.Dir(at) {
		places = append(places, path.Join(at, "node_modules", name))
	}
	return append(places, path.Join(dir, name))
}

// grantAround is what shows the folder of a path that the host has, where that is looked
// for, and the box has not, or "".
func (r *run) grantAround(p string, given []string) string {
	if m := r.plan.view.mountAt(p); m != nil && m.Kind != MountTmpfs {
		return ""
	}
	if _, there, why := r.looks().ByWord(p, given); !there || why != "" {
		return ""
	}
	dir := path.Dir(p)
	if i := strings.Index(p, "/node_modules/"); i >= 0 {
		dir = p[:i] + "/node_modules"
	}
	f, ok := r.looks().At(dir)
	if !ok || !f.Dir() {
		return ""
	}
	return r.typed(r.grantOn(f, dir, paths.Read)).flags
}
