package jail

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
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
	s.View = slices.DeleteFunc(slices.Clone(s.View), func(old Mount) bool {
		away := old.Target == m.Target || slices.Contains(gone, old) || r.covered(old, m)
		if away && (old.Kind == MountRO || old.Kind == MountRW) {
			g.instead = append(g.instead, old)
		}
		return away
	})
	s.View = append(s.View, m)
	var why string
	if !r.looks().bounded(func() { why = r.viewFault(s, m) }) {
		return pathGrant{never: "looking at it took too long"}
	}
	if why != "" {
		return pathGrant{never: g.flag + " " + shellword.Quote(g.value()) + " would be refused: " + why}
	}
	return g
}

// covered says whether a file that is granted by itself, to be written, is shown with
// the folder that it lies in as well, and by itself can't be replaced there.
func (r *run) covered(old, folder Mount) bool {
	m := r.plan.view.grants[old.Target]
	return m != nil && !m.dir && old.Kind == MountRW && folder.Kind == MountRW && path.Dir(old.Target) == folder.Target && path.Dir(old.Source) == folder.Source
}

// viewFault is what is wrong with a Spec with a new mount on this host, or "".
func (r *run) viewFault(s Spec, m Mount) string {
	look := resolve
	if s.inPlace() {
		look = resolveInPlace
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
