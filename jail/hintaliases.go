package jail

import (
	"path"
	"strings"

	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/internal/shellword"
)

// What lies at one path may be what lies at another: the host may have mounted it there, as
// containers have folders of homes. A name that is kept back is so by every other.

// An alias is another name of what lies at a path. Not there is for one in the file system
// that it lies on, of which a container shows but a part.
type alias struct {
	name  string
	there bool
}

// aliases are the other names of what lies at a path, by the host's mounts.
func (h *hostLooks) aliases(real string) (list []alias) {
	id, err := mountAt(real)
	if err != nil {
		return nil
	}
	for _, m := range h.mounts {
		if m.id != id || !pathname.Below(real, m.point) {
			continue
		}
		inner := path.Join(m.root, strings.TrimPrefix(real, m.point))
		for _, o := range h.mounts {
			if o.dev != m.dev || o.id == id || !pathname.Below(inner, o.root) {
				continue
			}
			name := path.Join(o.point, strings.TrimPrefix(inner, strings.TrimSuffix(o.root, "/")))
			if other, err := mountAt(name); err == nil && other == o.id {
				list = append(list, alias{name, true})
			}
		}
		if m.root != "/" && inner != real { // of a whole file system that says nothing
			list = append(list, alias{inner, false})
		}
	}
	return list
}

// keptBack says why what lies at a path is not named, by its other names, or is "".
func (h *hostLooks) keptBack(real string, use hintUse) string {
	for _, a := range h.aliases(real) {
		why := h.privateName(a.name)
		if why == "" {
			why = h.ofHome(a.name)
		}
		if why == "" && keyName(a.name) {
			why = keyNamed
		}
		if why != "" {
			return notHinted + "it is " + shellword.Shown(a.name) + " as well, and " + why
		}
		if use != hintWrite || !a.there {
			continue
		}
		if why := h.tells(a.name); why != "" {
			return notHinted + "it is " + shellword.Shown(a.name) + " as well, and " + strings.TrimPrefix(why, notHinted)
		}
	}
	return ""
}

// mountedIn is keptBack, for reading, of what is mounted in a folder.
func (h *hostLooks) mountedIn(dir string) string {
	for _, m := range h.mounts {
		if m.point == dir || !pathname.Below(m.point, dir) {
			continue
		}
		if id, err := mountAt(m.point); err != nil || id != m.id {
			continue
		}
		if why := h.keptBack(m.point, hintRead); why != "" {
			return "of " + shellword.Shown(m.point) + ", which is mounted in it: " + strings.TrimPrefix(why, notHinted)
		}
	}
	return ""
}
