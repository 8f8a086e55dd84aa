package jail

import (
	"context"
	"fmt"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/internal/shellword"
)

// What others would notice if it were opened by way of trying.

// specialAt says whether there is in a box, at a path, what is not to be opened by way of
// trying.
func specialAt(ctx context.Context, spec Spec, p string) (bool, error) {
	r, err := try1(ctx, spec, &question{path: p})
	if err != nil {
		return false, err
	}
	st, there := r.statOf()
	return there && st.Mode&unix.S_IFMT != unix.S_IFREG && st.Mode&unix.S_IFMT != unix.S_IFDIR, nil
}

// specialQuestion asks what may be done with a named pipe, a socket or a device, whose
// opening would be felt by others.
func specialQuestion(p string) *question {
	access := func(access string, mode int, text string) *try {
		return &try{access: access, name: "faccessat", call: fmt.Sprintf("faccessat(%s, %s)", shellword.Shown(p), text),
			args: func(b *builder) []arg { return []arg{num(unix.AT_FDCWD, cwd), b.str(p), num(mode, text)} }}
	}
	return &question{path: p, special: true, tries: []*try{access(accessLook, 0, "F_OK"), access(accessRead, unix.R_OK, "R_OK"), access(accessWrite, unix.W_OK, "W_OK")}}
}

// abiUnix is from when on Landlock keeps Unix sockets within a box (RESOLVE_UNIX).
const abiUnix = 9

// leads is where in the box a path leads, by the host's links; not ok is for out of the
// grant that it lies in.
func (r *run) leads(p string) (real string, ok bool) {
	m := r.plan.view.mountAt(p)
	source := p
	if !r.spec.inPlace() {
		if source = m.source(p); source == "" { // of the box's own
			return p, true
		}
	}
	f, ok := r.looks().At(source)
	switch {
	case !ok:
		return p, false
	case r.spec.inPlace():
		return f.Real, true
	}
	return path.Join(m.path, strings.TrimPrefix(f.Real, m.Source)), pathname.Below(f.Real, m.Source)
}

// explainSpecial adds to what mode and mount say of a named pipe, a socket or a device
// what the ruleset does, which nothing but opening it would ask.
func (r *run) explainSpecial(p string, t *try, out *Tried) {
	if t.result < 0 {
		return
	}
	p, ok := r.leads(p)
	if !ok {
		out.Why = "by its mode and mount; what the ruleset says could not be told, since a link leads to it, and it was not opened, which would be felt at its other end"
		return
	}
	if r.ruled(p, t.access == accessWrite) && (t.access != accessWrite || r.pipeRuled(p)) {
		out.Why = "by its mode and mount; it was not opened, which would be felt at its other end"
		return
	}
	out.Allowed, out.Layer, out.Errno, out.Why = false, LayerLandlock, unix.ErrnoName(unix.EACCES), "the ruleset has no rule for that"
	ref := &pathRefusal{asked: p, real: p, want: wantOf(t.access), errno: unix.EACCES, landlock: true}
	if g, ok := r.grantOfPath(ref); ok {
		out.Grant, out.Setting = g.flags, g.setting
		out.Opens, out.Never = g.opens, g.never
	}
}
