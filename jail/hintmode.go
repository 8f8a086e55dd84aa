package jail

import (
	"cmp"
	"errors"
	"path"
	"strings"

	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/internal/withheld"
	"github.com/seed-75010da9/jail/jail/internal/paths"
	"golang.org/x/sys/unix"
)

// What the host's own modes and owners refuse, no flag gives.

const byMode = "its mode, or that of a folder above it, refuses the box's user"

// wayTo is grantOfPath without regard to what else was given.
func (r *run) wayTo(ref *pathRefusal) (pathGrant, bool) {
	g, ok := r.wayPast(ref)
	if g.flag != "" && r.closed(ref, g) {
		g = pathGrant{never: byMode + ", granted or not"}
	}
	return g, ok
}

// closed says whether the host's modes refuse what is to be granted: an ordinary user, of
// whom his box is one, or, where root's box is to be the owner of what it is granted,
// the owner and all others.
func (r *run) closed(ref *pathRefusal, g pathGrant) bool {
	at, on := cmp.Or(g.target, g.source), g.source
	if asked := ref.granted(cmp.Or(ref.real, ref.asked)); pathname.Below(asked, at) {
		on = path.Join(g.source, strings.TrimPrefix(asked, at))
	}
	f, ok := r.looks().At(on)
	if !ok || f.Never != "" {
		return false
	}
	mode := accessOf(ref.want, f.Dir())
	if r.host.ownUID {
		return mode&^(f.Mode>>6&7) != 0 && mode&^(f.Mode&7) != 0
	}
	var err error
	asked := r.looks().Bounded(func() { err = unix.Faccessat(unix.AT_FDCWD, f.Real, mode, unix.AT_EACCESS) })
	return asked && errors.Is(err, unix.EACCES)
}

// accessOf is the mode of access(2) for what is wanted of a file, or of the folder in
// which one is made or removed.
func accessOf(want paths.Want, dir bool) (mode uint32) {
	for _, w := range []struct {
		want paths.Want
		mode uint32
	}{{paths.Read, unix.R_OK}, {paths.Write | paths.Ask, unix.W_OK}, {paths.Make | paths.Remove, unix.W_OK | unix.X_OK}, {paths.Enter, unix.X_OK}} {
		if want&w.want != 0 {
			mode |= w.mode
		}
	}
	if want&paths.Execute != 0 && !dir {
		mode |= unix.X_OK
	}
	return mode
}

// grantOfMode is for what a mode or an owner refuses in the box.
func (r *run) grantOfMode(ref *pathRefusal) pathGrant {
	if ref.errno == unix.EPERM {
		return pathGrant{never: "it belongs to somebody else than the box's user"}
	}
	real := cmp.Or(ref.real, ref.asked)
	m := r.plan.view.mountAt(real)
	if m == nil && !r.spec.inPlace() {
		return pathGrant{never: cmp.Or(withheld.KernelsOwn(real), "it is the box's own, and stays as it was made")}
	}
	at, source := ref.granted(real), ref.granted(real)
	if !r.spec.inPlace() {
		source = m.source(at)
	}
	f, ok := r.looks().At(source)
	if !ok {
		return pathGrant{never: r.looks().Unfound(byMode)}
	}
	if r.foreign(m, f) && ref.want&(changes|paths.Connect) != 0 {
		return r.grantOn(f, at, ref.want)
	}
	use := withheld.Read
	if ref.want&changes != 0 {
		use = withheld.Write
	}
	if why := r.looks().Why(f, use); why != "" { // nor is its mode for anybody to change for a box
		return pathGrant{never: byMode}
	}
	never := byMode + ": change it on the host"
	if r.spec.inPlace() && !r.ruled(real, ref.want&changes != 0) {
		never += ", and grant it"
	}
	return pathGrant{never: never}
}

// foreign says whether a file belongs to another user than the writable grant that it
// lies in: what is that one's belongs to the box, and nothing else in it does
// (needsIDMap), unless it is granted by itself.
func (r *run) foreign(m *mount, f withheld.File) bool {
	for m != nil && m.part != nil {
		m = m.part
	}
	if m == nil || m.Kind != MountRW || !r.host.ownUID || r.spec.inPlace() || f.Real == m.Source {
		return false
	}
	var st unix.Stat_t
	var err error
	looked := r.looks().Bounded(func() { err = unix.Stat(f.Real, &st) })
	return looked && err == nil && int(st.Uid) != m.uid && st.Mode&unix.S_IWUSR != 0
}
