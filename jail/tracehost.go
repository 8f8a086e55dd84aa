package jail

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/jail/internal/paths"
	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/internal/shellword"
)

// sourceTrace is what a tracer sees.
const sourceTrace = "paths looked up beside the calls (--trace)"

// mostPathDenials is how many a record has.
const mostPathDenials = 64

// mountAt is the mount that a path of the box lies in, or nil.
func (v view) mountAt(real string) (deepest *mount) {
	length := 0
	for at, m := range v.grants { // which are few, and how deep a path is is the program's choice
		if len(at) > length && pathname.Below(real, at) {
			deepest, length = m, len(at)
		}
	}
	return deepest
}

// holds says whether there is something of the box's below a folder, or in its place.
func (v view) holds(dir string) bool {
	return slices.ContainsFunc(v.entries, func(e entry) bool { return e.path == dir || strings.HasPrefix(e.path, dir+"/") })
}

// source is where a path of the box lies on the host; "" for what is the box's own.
func (m *mount) source(real string) string {
	if m == nil || m.Kind == MountTmpfs {
		return ""
	}
	return path.Join(m.Source, strings.TrimPrefix(real, m.path))
}

// pathDenials are the refusals that mean something: what the host does not have
// either is only what programs look for.
func (r *run) pathDenials() []Denial {
	t := r.observer.paths()
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	found, left := r.refusedPaths(t.refusals)
	all, grants, refs := make([]Denial, len(found)), make([]pathGrant, len(found)), make([]*pathRefusal, len(found))
	for i, f := range found {
		all[i], grants[i], refs[i] = f.denial, f.grant, f.ref // in the order of what is looked at first
	}
	widen(r.looks(), grants)
	unite(refs, grants)
	for i, d := range all {
		g := r.typed(grants[i])
		d.Grant, d.Setting, d.Opens, d.Never = g.flags, g.setting, g.opens, g.never
		found[i].denial = d
	}
	slices.SortFunc(found, func(a, b foundPath) int { return a.at - b.at })
	for i, f := range found {
		all[i] = f.denial
	}
	if left > 0 {
		all = append(all, Denial{Layer: LayerRoot, What: "other paths, which the host may not have either", Count: left, Source: sourceTrace, Never: "no more than the first, and no longer than a second, are looked up"})
	}
	return all
}

// A foundPath is a refusal with what the host has there, and its place among them all.
type foundPath struct {
	at     int
	ref    *pathRefusal
	grant  pathGrant
	denial Denial
}

// refusedPaths are the first of those that mean something, and how often the rest was
// refused: looked up are what the program itself names first, since a program may look
// for much before it fails, and then what programs rarely do without.
func (r *run) refusedPaths(refusals []*pathRefusal) (found []foundPath, left int64) {
	said := wordsOf(cmp.Or(r.result.saidOnStderr(), r.streams.lastWords()))
	ranks := make([][]int, 3)
	for i, ref := range refusals {
		rank := 0
		switch {
		case said.name(Denial{What: gerund(ref.want) + " " + shellword.Shown(ref.asked)}):
		case !soughtOften(ref):
			rank = 1
		default:
			rank = 2
		}
		ranks[rank] = append(ranks[rank], i)
	}
	for _, i := range slices.Concat(ranks...) {
		ref := refusals[i]
		if len(found) == mostPathDenials || r.looks().Over() {
			left += ref.count
			continue
		}
		errno := ref.errno
		ref = r.asWritten(ref)
		g, ok := r.wayTo(ref)
		if !ok {
			if r.looks().Over() { // it was this one that took too long
				left += ref.count
			}
			continue
		}
		if ref.want == paths.Ask && g.never != "" { // many ask it of the system's
			continue
		}
		d := Denial{Layer: LayerRoot, What: gerund(ref.want) + " " + shellword.Shown(ref.asked), Count: ref.count, Errno: unix.ErrnoName(errno),
			Never: g.never, Source: sourceTrace, common: soughtOften(ref)}
		if ref.landlock {
			d.Layer = LayerLandlock
		}
		found = append(found, foundPath{i, ref, g, d})
	}
	return found, left
}

// asWritten is ref as one of writing to a file that the host has and the box has not,
// where it was one of making it: the program did not ask for a new one.
func (r *run) asWritten(ref *pathRefusal) *pathRefusal {
	if m := r.plan.view.mountAt(cmp.Or(ref.real, ref.asked)); !ref.opens || m != nil && m.Kind != MountTmpfs {
		return ref
	}
	if f, ok := r.looks().At(ref.asked); !ok || f.Dir() || f.Never != "" {
		return ref
	}
	written := *ref
	written.want, written.errno, written.real = paths.Write, unix.ENOENT, ""
	return &written
}

// soughtOften says whether a path is one that programs and their libraries look for
// and do without: configuration, what the kernel tells, and whatever is only looked
// at.
func soughtOften(ref *pathRefusal) bool {
	const opened = paths.Read | paths.Write | paths.Make | paths.Remove | paths.Execute
	if ref.want&opened == 0 || strings.Contains(ref.asked, "/.") {
		return true
	}
	for _, top := range []string{"/etc/", "/proc/", "/sys/", "/dev/", "/usr/", "/lib/", "/var/", "/run/"} {
		if strings.HasPrefix(ref.asked, top) {
			return ref.want&(paths.Make|paths.Write|paths.Execute) == 0
		}
	}
	return false
}

func gerund(want paths.Want) string {
	for _, w := range []struct {
		want paths.Want
		word string
	}{{paths.Execute, "executing"}, {paths.Make, "making"}, {paths.Write, "writing"}, {paths.Remove, "removing"}, {paths.Change, "changing"},
		{paths.Connect, "connecting to"}, {paths.Read, "reading"}, {paths.Enter, "entering"}, {paths.Ask, "asking to write to"}} {
		if want&w.want != 0 {
			return w.word
		}
	}
	return "looking at"
}
