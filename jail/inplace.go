package jail

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/shellword"
)

// resolveInPlace is resolve for tier 2: everything stands where it does on the
// host, and the view is what Landlock is to open.
func (s *Places) resolveInPlace(spec Spec) (view, Faults) {
	r := &resolver{spec: spec, places: s, view: view{grants: map[string]*mount{}}}
	for i, m := range spec.View {
		r.index = i
		r.open(m)
	}
	r.checkNested()
	return r.view, r.faults
}

func (r *resolver) open(m Mount) {
	if m.Kind != MountSystem && m.Kind != MountRO && m.Kind != MountRW {
		return // Validate says so
	}
	var st unix.Stat_t
	if !r.find(&m, &st) {
		return
	}
	var there unix.Stat_t
	if unix.Stat(m.Target, &there) != nil || there.Dev != st.Dev || there.Ino != st.Ino {
		r.fault("target", m.Target, "must be "+shellword.Quote(m.Source)+" itself: a box of tier 2 sees the host's own tree, and what it is granted at its own path")
		return
	}
	at := m.Source
	g := &mount{Mount: m, dir: true, path: at, uid: int(st.Uid), gid: int(st.Gid), mode: st.Mode, dev: st.Dev, ino: st.Ino}
	if r.view.grants[at] != nil || !r.grantable(g) {
		return
	}
	r.view.grants[at] = g
	r.view.mounts = append(r.view.mounts, g)
	r.view.entries = append(r.view.entries, entry{kind: entryMount, path: at, mount: g})
}

// with is v with one more folder of the host's.
func (v view) with(kind MountKind, folder string) view {
	m := &mount{Mount: Mount{Kind: kind, Source: folder, Target: folder}, dir: true, path: folder}
	v.entries = append(slices.Clone(v.entries), entry{kind: entryMount, path: folder, mount: m})
	v.grants = maps.Clone(v.grants)
	v.grants[folder] = m
	return v
}

// find looks m's source up. A part of the system may be missing, and may be a
// link, which is followed here: the rule is for what it leads to.
func (r *resolver) find(m *Mount, st *unix.Stat_t) bool {
	if m.Kind != MountSystem {
		return r.grantedAt(m.Source, st)
	}
	if unix.Stat(m.Source, st) != nil {
		return false
	}
	real, err := filepath.EvalSymlinks(m.Source)
	if err != nil {
		r.fault("source", m.Source, err.Error())
		return false
	}
	if real != m.Source && refusedSource(&mount{Mount: Mount{Kind: MountRO, Source: real}}) != "" {
		return false
	}
	m.Source = real
	return true
}

// checkNested faults grants that are to be read-only within writable ones: in
// Landlock the rights of all folders above a file add up. They are those of the folders
// themselves: one that a bind mount of the host's shows at two paths has them at both, and
// one that is shown in a writable grant has them there.
func (r *resolver) checkNested() {
	writes := slices.ContainsFunc(r.view.mounts, func(m *mount) bool { return m.Kind == MountRW })
	for i, m := range r.spec.View {
		g := r.view.grants[m.Source]
		if g == nil || g.Kind == MountRW {
			continue
		}
		outer, at := r.writableAround(g), ""
		if outer == nil && writes && g.Kind == MountRO {
			outer, at = r.writableByMount(g)
		}
		if outer == nil {
			continue
		}
		if at != "" {
			at = ", where it is mounted at " + shellword.Quote(at)
		}
		r.index = i
		r.fault("target", m.Target, "must not lie in the writable grant "+shellword.Quote(outer.Source)+at+": a box of tier 2 can't take away what that gives")
	}
}

// writableByMount is a writable grant in which the host shows g by a mount, and where, or
// nil.
func (r *resolver) writableByMount(g *mount) (outer *mount, at string) {
	place := r.places.of(g.path)
	for _, outer := range r.view.mounts {
		if outer.Kind != MountRW {
			continue
		}
		for _, s := range r.places.of(outer.path) {
			for _, p := range place {
				if at, rest, ok := s.Shows(p); ok && p.At == g.path && rest == "" && !s.ReadOnly {
					return outer, at
				}
			}
		}
	}
	return nil, ""
}

// writableAround is a writable grant that g lies in, or nil.
func (r *resolver) writableAround(g *mount) *mount {
	for _, a := range ancestry(g.path) {
		for _, outer := range r.view.mounts {
			if outer.Kind == MountRW && a.is(outer) {
				return outer
			}
		}
	}
	return nil
}

// ownProc is what of /proc a box of tier 2 may read: about its first process, which
// the process that opens them for the rules becomes. The host's /proc shows
// everybody's, and the rest of /proc/self its mounts and its connections.
var ownProc = [...]string{"auxv", "cmdline", "comm", "environ", "fd", "fdinfo", "limits", "maps", "stat", "statm", "status"}

// inPlaceFaults are what a Spec can't have in tier 2.
func (s Spec) inPlaceFaults() (faults Faults) {
	fault := func(field, value, want string) { faults = append(faults, Fault{field, value, want + " with tier 2"}) }
	if s.Net == NetLoopback {
		fault("net", string(s.Net), "must be none, since there is no network of the box's own,")
	}
	if s.Hostname != "" {
		fault("hostname", s.Hostname, "must not be given, since there is no host name of the box's own,")
	}
	for i, m := range s.View {
		switch m.Kind {
		case MountTmpfs, MountLink, MountFile:
			fault("view["+strconv.Itoa(i)+"].target", m.Target, "must not be of kind "+string(m.Kind)+" but of system, ro or rw, since there is no root of the box's own to make it in,")
		}
	}
	for _, l := range s.Optional {
		if l == LayerLandlock || l == LayerSeccomp {
			fault("optional", string(l), "must not be optional, since nothing else is left,")
		}
	}
	return faults
}

// hostFaults are what the Spec can't have in tier 2 on this host.
func (r *run) hostFaults(h host, v view) (faults Faults) {
	if r.spec.Unix && h.landlockABI < abiResolveUnix {
		faults = append(faults, Fault{"unix", "true", "must not be given with tier 2 where Landlock is below ABI 9, which alone keeps the program from every socket file of the host"})
	}
	if h.oneGroup() {
		for _, c := range r.spec.Seccomp.Allow {
			if slices.Contains(append(groupCalls(), "kill", "fcntl"), c) {
				faults = append(faults, Fault{"seccomp.allow", c, "must not be allowed with tier 2 where Landlock is below ABI 6: the box's process group is all that holds it together"})
			}
		}
	}
	if !h.ownUID {
		return faults
	}
	for i, m := range r.spec.View {
		g := v.grants[m.Source]
		if g == nil || g.Kind == MountSystem {
			continue
		}
		needs, word := uint32(0o4), "read"
		if g.Kind == MountRW {
			needs, word = 0o6, "read and write"
		}
		if g.dir {
			needs |= 0o1
		}
		if g.mode&needs != needs || !passable(g.path) {
			faults = append(faults, Fault{"view[" + strconv.Itoa(i) + "].source", m.Source,
				"must be for everybody to " + word + ", and the folders above it to pass, since root's boxes of tier 2 run as a user whom nobody else is: change its mode, or start jail as its owner"})
		}
	}
	return faults
}

// passable says whether everybody may pass the folders above p.
func passable(p string) bool {
	for dir := path.Dir(p); ; dir = path.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm()&0o1 == 0 {
			return false
		}
		if dir == "/" {
			return true
		}
	}
}

// inPrivate is spec with its private folder in place of /tmp: where it starts,
// and its HOME and TMPDIR, unless the Spec says something else.
func (s Spec) inPrivate(folder string) Spec {
	if s.Dir == "" || s.Dir == "/tmp" {
		s.Dir = folder
	}
	env := make([]string, 0, len(s.Env)+2)
	tmpdir, home := false, false
	for _, kv := range s.Env {
		if kv == "HOME=/tmp" || kv == "TMPDIR=/tmp" {
			kv = strings.TrimSuffix(kv, "/tmp") + folder
		}
		home = home || strings.HasPrefix(kv, "HOME=")
		tmpdir = tmpdir || strings.HasPrefix(kv, "TMPDIR=")
		env = append(env, kv)
	}
	if !home {
		env = append(env, "HOME="+folder)
	}
	if !tmpdir {
		env = append(env, "TMPDIR="+folder)
	}
	s.Env = env
	return s
}
