package jail

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/internal/withheld"
)

// What a hint names has to work when it is typed beside what was given: it is put to
// the Spec, and to the host, before it is told.

// typed is a grant of files with what of the box's it stands in the place of: one path
// in the box shows one thing. One with which the box would be refused is none.
func (r *run) typed(g pathGrant) pathGrant {
	if g.flag == "" {
		return g
	}
	m := Mount{Kind: MountKind(g.flag[2:]), Source: g.source, Target: cmp.Or(g.target, g.source)}
	if m.Kind == MountTmpfs {
		m = Mount{Kind: MountTmpfs, Target: g.source}
	}
	if strings.Contains(m.Source+"/", ":/") || strings.Contains(m.Target+"/", ":/") {
		return pathGrant{never: "its name has a colon at the end, behind which a flag has the place in the box: give it another name"}
	}
	s := r.spec
	gone := g.instead
	g.instead = nil
	g.given = slices.Contains(s.View, m)
	s.View = slices.DeleteFunc(slices.Clone(s.View), func(old Mount) bool {
		away := old.Target == m.Target || slices.Contains(gone, old) || r.needless(old, m)
		if away && old != m && (old.Kind == MountRO || old.Kind == MountRW || old.Kind == MountTmpfs) {
			g.instead = append(g.instead, old)
		}
		return away
	})
	if why := r.hole(m, g.instead); why != "" {
		return pathGrant{never: why}
	}
	s.View = append(s.View, m)
	if g.given && len(g.instead) == 0 {
		return pathGrant{never: g.flag + " " + shellword.Quote(m.value()) + " is given, and something else refuses it"}
	}
	var why string
	if !r.looks().Bounded(func() { why = r.viewFault(s, m) }) {
		return pathGrant{never: withheld.TookTooLong}
	}
	if why != "" {
		return pathGrant{never: g.flag + " " + shellword.Quote(m.value()) + " would be refused: " + why}
	}
	opens := ""
	if !r.looks().Bounded(func() {
		if g.flag == "--rw" && !g.file {
			opens = r.looks().OpensOf(g.source)
		}
	}) {
		return pathGrant{never: withheld.TookTooLong}
	}
	g.opens = cmp.Or(opens, g.opens)
	return r.worded(g, m)
}

// needless says whether an old grant has nothing to say beside the grant of a writable
// folder that it lies in: it is of a file that this shows as well, and which by itself
// can't be replaced there; or it is read-only in a box of tier 2, which can't have that
// there.
func (r *run) needless(old, folder Mount) bool {
	m := r.plan.view.grants[old.Target]
	switch {
	case folder.Kind != MountRW || !pathname.Below(old.Target, folder.Target):
		return false
	case r.spec.inPlace():
		return old.Kind == MountRO
	case m == nil || m.dir:
		return false
	}
	between := func(m Mount) bool {
		return m != old && m != folder && pathname.Below(old.Target, m.Target) && pathname.Below(m.Target, folder.Target)
	}
	return shownBy(old, folder) && !slices.ContainsFunc(r.spec.View, between)
}

// shownBy says whether a writable grant is of what a writable folder around it shows
// there by itself.
func shownBy(old, folder Mount) bool {
	rest, in := strings.CutPrefix(old.Target, strings.TrimSuffix(folder.Target, "/")+"/")
	return in && old.Kind == MountRW && folder.Kind == MountRW && old.Source == path.Join(folder.Source, rest)
}

// viewFault is what is wrong with a Spec with a new mount on this host, or "".
func (r *run) viewFault(s Spec, m Mount) string {
	look := r.places.resolve
	if s.inPlace() {
		look = r.places.resolveInPlace
	}
	v, faults := look(s)
	return firstWant(slices.Concat(m.faults(), faults, (&run{spec: s}).tierFaults(r.host, v)))
}

// tierFaults are those that a box of the tier has, by itself and on a host.
func (r *run) tierFaults(h host, v view) Faults {
	if !r.spec.inPlace() {
		return nil
	}
	return append(r.spec.inPlaceFaults(), r.hostFaults(h, v)...)
}

func firstWant(faults Faults) string {
	if len(faults) == 0 {
		return ""
	}
	return faults[0].Want
}
