package withheld

import (
	"path"
	"strings"

	"github.com/seed-75010da9/jail/internal/hostmounts"
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
func (h *Looks) aliases(real string) (list []alias) {
	id, err := hostmounts.At(real)
	if err != nil {
		return nil
	}
	for _, m := range h.mounts {
		if m.ID != id || !pathname.Below(real, m.Point) {
			continue
		}
		inner := path.Join(m.Root, strings.TrimPrefix(real, m.Point))
		for _, o := range h.mounts {
			if o.Dev != m.Dev || o.ID == id || !pathname.Below(inner, o.Root) {
				continue
			}
			name := path.Join(o.Point, strings.TrimPrefix(inner, strings.TrimSuffix(o.Root, "/")))
			if other, err := hostmounts.At(name); err == nil && other == o.ID {
				list = append(list, alias{name, true})
			}
		}
		if m.Root != "/" && inner != real { // of a whole file system that says nothing
			list = append(list, alias{inner, false})
		}
	}
	return list
}

// keptBack says why what lies at a path is not named, by its other names, or is "".
func (h *Looks) keptBack(real string, use Use) string {
	for _, a := range h.aliases(real) {
		why := h.privateName(a.name)
		if why == "" {
			why = h.ofHome(a.name)
		}
		if why == "" && keyName(a.name) {
			why = keyNamed
		}
		if why != "" {
			return NotHinted + "it is " + shellword.Shown(a.name) + " as well, and " + why
		}
		if use != Write || !a.there {
			continue
		}
		if why := h.tells(a.name); why != "" {
			return NotHinted + "it is " + shellword.Shown(a.name) + " as well, and " + strings.TrimPrefix(why, NotHinted)
		}
	}
	return ""
}

// mountedIn is keptBack, for reading, of what is mounted in a folder.
func (h *Looks) mountedIn(dir string) string {
	for _, m := range h.mounts {
		if m.Point == dir || !pathname.Below(m.Point, dir) {
			continue
		}
		if id, err := hostmounts.At(m.Point); err != nil || id != m.ID {
			continue
		}
		if why := h.keptBack(m.Point, Read); why != "" {
			return "of " + shellword.Shown(m.Point) + ", which is mounted in it: " + strings.TrimPrefix(why, NotHinted)
		}
	}
	return ""
}
