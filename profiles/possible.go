package profiles

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/jail"
)

// possible reports what a stored entry says that no box can have, such as a cap
// on memory below the least that a program starts in. What a box can have is
// package jail's to say: the entry by itself, with the defaults around it, goes
// through the check that every Spec passes.
func (d *document) possible(e entry) {
	key := dotted(e.path[:min(2, len(e.path))])
	var alone settings
	alone.store(e)
	for _, f := range alone.refusedView() {
		d.fault(e.line, e.path, f.Value, f.Want)
	}
	var faults jail.Faults
	if !errors.As(alone.alone().Validate(), &faults) {
		return
	}
	for _, f := range faults {
		switch {
		case f.Field == key && strings.HasPrefix(key, "limits."):
			d.fault(e.line, e.path, e.v.text, f.Want)
		case f.Field == key, strings.HasPrefix(f.Field, "view[") && strings.HasPrefix(key, "view."):
			d.fault(e.line, e.path, f.Value, f.Want)
		}
	}
}

// alone is a Spec of what s says by itself, of the caller and the host nothing.
func (s *settings) alone() jail.Spec {
	spec := jail.Spec{Args: []string{"/"}, Limits: s.limits, Seccomp: s.seccomp, Require: s.require}
	for _, path := range s.view.system {
		spec.View = append(spec.View, jail.Mount{Kind: jail.MountSystem, Source: path, Target: path})
	}
	for _, path := range slices.Sorted(maps.Keys(s.view.files)) {
		spec.View = append(spec.View, jail.Mount{Kind: jail.MountFile, Target: path, Content: s.view.files[path]})
	}
	for _, text := range s.view.tmpfs {
		if t, err := ParseTmpfs(text); err == nil && refusedTmpfs(filepath.Clean(t.Box)) == "" {
			spec.View = append(spec.View, jail.Mount{Kind: jail.MountTmpfs, Target: filepath.Clean(t.Box), Size: t.Size})
		}
	}
	return spec
}

// refusedView is what of a view is refused on every host, whatever lies there.
func (s *settings) refusedView() (faults jail.Faults) {
	refuse := func(text, why string) {
		if why != "" {
			faults = append(faults, jail.Fault{Value: text, Want: why})
		}
	}
	grants := func(kind jail.MountKind, list []string) {
		for _, text := range list {
			g, err := ParseGrant(text)
			if err != nil {
				continue // not stored: see isProfileGrant
			}
			source, why := filepath.Clean(g.Host), ""
			if filepath.IsAbs(source) {
				why = or(kernelsOwn(source), refusedWritable(kind, source))
			}
			if target := or(g.Box, source); why == "" && filepath.IsAbs(target) {
				why = refusedTarget(filepath.Clean(target))
			}
			refuse(text, why)
		}
	}
	grants(jail.MountRO, s.view.ro)
	grants(jail.MountRW, s.view.rw)
	for _, text := range s.view.tmpfs {
		if t, err := ParseTmpfs(text); err == nil {
			refuse(text, refusedTmpfs(filepath.Clean(t.Box)))
		}
	}
	return faults
}
