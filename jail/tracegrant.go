package jail

import (
	"cmp"
	"errors"
	"path"
	"unicode/utf8"

	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/internal/withheld"
	"github.com/seed-75010da9/jail/jail/internal/paths"
	"golang.org/x/sys/unix"
)

// A pathGrant is what would allow a path.
type pathGrant struct {
	flag   string // "--ro", "--rw" or "--tmpfs"
	source string // on the host
	target string // in the box, if that is another
	file   bool   // it is no folder
	// instead are those that it can't stand beside.
	instead []Mount
	given   bool   // it is there, and does it without those
	opens   string // see Denial.Opens
	// flags and setting name it, in the place of those.
	flags, setting string
	never          string
}

// wayOut is g in the words of a hint.
func (g pathGrant) wayOut() string {
	return Denial{Grant: g.flags, Opens: g.opens, Never: g.never}.wayOut()
}

// line is a grant as one of a profile, or "": TOML has no strings but of UTF-8.
func (m Mount) line() string {
	key := map[MountKind]string{MountRO: "view.ro", MountRW: "view.rw", MountTmpfs: "view.tmpfs"}[m.Kind]
	if value := m.value(); utf8.ValidString(value) {
		return key + " = [" + shellword.TOML(value) + "]"
	}
	return ""
}

// value is what the flag of a grant is given.
func (m Mount) value() string {
	if m.Source != "" && m.Source != m.Target {
		return m.Source + ":" + m.Target
	}
	return m.Target
}

// inPlaceOf stands in a grant before what of those given has to go for it.
const inPlaceOf = " in place of "

// grantOfPath is what would have allowed a path, for whoever types it; not ok is for
// what is no wall's doing.
func (r *run) grantOfPath(ref *pathRefusal) (pathGrant, bool) {
	g, ok := r.wayTo(ref)
	return r.typed(g), ok
}

// wayPast is what is in the way of a path, whatever the host's modes say.
func (r *run) wayPast(ref *pathRefusal) (pathGrant, bool) {
	switch {
	case errors.Is(ref.errno, unix.ENOENT) || errors.Is(ref.errno, unix.ENOTDIR):
		return r.grantOfMissing(ref)
	case errors.Is(ref.errno, unix.EROFS) || ref.landlock && !r.spec.inPlace():
		return r.grantOfReadOnly(ref), true
	case ref.landlock:
		if f, ok := r.looks().At(ref.granted(ref.real)); ok {
			return r.grantOn(f, "", ref.want), true
		}
		return r.grantOfMissing(ref)
	case ref.want&changes != 0 && r.maskedMode(ref.real):
		return r.grantOfReadOnly(ref), true
	}
	return r.grantOfMode(ref), true
}

// maskedMode says whether a mode refuses the box's user because what it lies in is not
// granted writable: then alone what belongs to its owner belongs to the box (needsIDMap).
func (r *run) maskedMode(real string) bool {
	m := r.plan.view.mountAt(real)
	if m == nil || m.Kind != MountRO || !r.host.ownUID || r.spec.inPlace() {
		return false
	}
	f, ok := r.looks().At(m.source(real))
	return ok && f.Mode&unix.S_IWUSR != 0
}

// granted is what has to be granted of a path: making and removing a name is changing
// its folder.
func (ref *pathRefusal) granted(p string) string {
	if ref.want&(paths.Make|paths.Remove) != 0 {
		return path.Dir(p)
	}
	return p
}

// grantOfMissing is for what the box does not have and the host has.
func (r *run) grantOfMissing(ref *pathRefusal) (pathGrant, bool) {
	asked := ref.granted(ref.asked)
	if ref.want&paths.Remove != 0 {
		if _, ok := r.looks().At(ref.asked); !ok { // there is nothing to remove
			return pathGrant{}, false
		}
	}
	f, ok := r.looks().At(asked)
	if !ok {
		return pathGrant{}, false
	}
	target := asked
	if m := r.plan.view.mountAt(asked); m != nil && m.Kind != MountTmpfs {
		if pathname.Below(f.Real, m.Source) && f.Never == "" { // it has been made since
			return pathGrant{}, false
		}
		target = "" // a link of a granted tree that leads out of it
	}
	return r.grantOn(f, target, ref.want), true
}

// changes are the wants that take a writable grant.
const changes = paths.Write | paths.Make | paths.Remove | paths.Change | paths.Ask

func (r *run) grantOn(f withheld.File, target string, want paths.Want) pathGrant {
	g, use := pathGrant{flag: "--ro", source: f.Real, file: !f.Dir()}, withheld.Read
	if want&changes != 0 {
		g.flag, use = "--rw", withheld.Write
	}
	if why := r.looks().Why(f, use); why != "" {
		return pathGrant{never: why}
	}
	if target != f.Real {
		g.target = target
	}
	return g
}

// grantOfReadOnly is for writing where the box only reads.
func (r *run) grantOfReadOnly(ref *pathRefusal) pathGrant {
	if r.spec.inPlace() { // it has no mounts of its own
		return pathGrant{never: "its file system is mounted read-only on the host"}
	}
	asked := ref.real
	if asked == "" {
		asked = ref.asked
	}
	m := r.plan.view.mountAt(asked)
	if m == nil || m.Kind == MountFile || m.Kind == MountLink {
		return r.grantOfOwn(path.Dir(asked), asked)
	}
	if m.Kind == MountSystem {
		return pathGrant{never: "it is a part of the operating system, which all boxes share: have it written to /tmp or to a folder that --rw grants"}
	}
	never := ""
	// The folder, in which programs make other files besides the one that is written;
	// where that is no hint, the file.
	places := []string{path.Dir(asked), ref.granted(asked)}
	if ref.want&paths.Ask != 0 { // which is of this alone
		places = places[1:]
	}
	for _, at := range places {
		source, target := m.source(at), at
		if !pathname.Below(at, m.path) { // a file that was granted by itself
			source, target = ref.granted(m.Source), ref.granted(asked)
		}
		f, ok := r.looks().At(source)
		if !ok || f.Real != source {
			continue
		}
		if never = r.looks().Why(f, withheld.Write); never == "" {
			g := pathGrant{flag: "--rw", source: source, file: !f.Dir()}
			if asked == m.path { // as long as it is granted by itself it can't be replaced
				g.instead = []Mount{m.Mount}
			}
			if target != source {
				g.target = target
			}
			return g
		}
	}
	return pathGrant{never: cmp.Or(never, r.looks().Unfound("it is granted read-only, and not to be seen on the host any more"))}
}
