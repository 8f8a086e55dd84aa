package jail

import (
	"path"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/internal/withheld"
)

// hole says which part of another grant, that the caller made read-only or empty, a new
// mount would open, by itself, in the place of others or by another path, or is "": what
// somebody cut out is meant to stay out.
func (r *run) hole(m Mount, instead []Mount) string {
	for _, in := range r.spec.View {
		if in.Kind != MountRO && in.Kind != MountTmpfs || in.Kind == m.Kind {
			continue
		}
		for _, out := range r.spec.View {
			if !cutOf(in, out) {
				continue
			}
			within := path.Join(out.Source, strings.TrimPrefix(in.Target, out.Target))
			switch {
			case pathname.Below(m.Target, in.Target), slices.Contains(instead, in):
			case m.Source != "" && pathname.Below(m.Source, within):
			case m.Source != "" && pathname.Below(within, m.Source) && path.Join(m.Target, strings.TrimPrefix(within, m.Source)) != in.Target:
			default:
				continue
			}
			flag := func(m Mount) string { return "--" + string(m.Kind) + " " + shellword.Quote(m.Target) }
			return withheld.NotHinted + flag(in) + " is your own, and keeps that out of " + flag(out)
		}
	}
	return ""
}

// cutOf says whether a mount takes something away of what another one shows.
func cutOf(in, out Mount) bool {
	if in.Target == out.Target || !pathname.Below(in.Target, out.Target) {
		return false
	}
	return out.Kind == MountRW || in.Kind == MountTmpfs && (out.Kind == MountRO || out.Kind == MountSystem)
}
