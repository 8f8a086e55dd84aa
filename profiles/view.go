package profiles

import (
	"path/filepath"

	"github.com/seed-75010da9/jail/jail"
)

// A view is the list of mounts that a Spec is being given, with an index by
// target: every question below costs as much as a path has parts, however many
// grants there are.
type view struct {
	mounts []jail.Mount
	at     map[string]int // target -> index in mounts
}

// put adds a mount, or replaces the one at the same target.
func (v *view) put(m jail.Mount) {
	if v.at == nil {
		v.at = map[string]int{}
	}
	if i, ok := v.at[m.Target]; ok {
		v.mounts[i] = m
		return
	}
	v.at[m.Target] = len(v.mounts)
	v.mounts = append(v.mounts, m)
}

// get is the mount at exactly that target.
func (v *view) get(target string) (jail.Mount, bool) {
	i, ok := v.at[target]
	if !ok {
		return jail.Mount{}, false
	}
	return v.mounts[i], true
}

// covering is the deepest mount at or above a clean absolute path of the box.
func (v *view) covering(box string) (jail.Mount, bool) {
	for p := range upward(box) {
		if m, ok := v.get(p); ok {
			return m, true
		}
	}
	return jail.Mount{}, false
}

// hostPath is what of the host the box sees at a path, as far as the text
// tells: symbolic links are not followed.
func (v *view) hostPath(box string) (host string, m jail.Mount, ok bool) {
	m, ok = v.covering(box)
	if !ok || !fromHost(m) {
		return "", m, false
	}
	return filepath.Join(m.Source, box[len(m.Target):]), m, true
}

// shows says whether the box sees the host's file real under the same path.
func (v *view) shows(real string) bool {
	host, _, ok := v.hostPath(real)
	return ok && host == real
}

func fromHost(m jail.Mount) bool {
	return m.Kind == jail.MountSystem || m.Kind == jail.MountRO || m.Kind == jail.MountRW
}
