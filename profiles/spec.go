package profiles

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/jail"
)

// A builder turns one profile, command line and host into a Spec.
type builder struct {
	p         *Profile
	o         Overrides
	h         Host
	view      view
	origins   map[string]origin // of what was granted, by its path in the box
	rw        map[string]bool   // real host paths of the writable grants
	places    *jail.Places
	cwd       string // where the program starts, as far as asked for
	workspace string // its path, which is the same on both sides
	limits    jail.Limits
	binDir    string   // folder of an interpreter outside the system's PATH
	homes     []string // see peoplesHomes
	ldCache   string   // see systemHas
	faults    jail.Faults
}

// Spec says what running args under the profile means: which files are seen,
// under which limits, with which environment. It looks at the host's files and
// changes nothing. All that is wrong with the flags and arguments comes back
// at once as [jail.Faults], with the Spec as far as it was made, so that
// [jail.Spec]'s own validation can add to them.
//
// A script or program that is granted by itself is granted read-only, at its
// own absolute path, with nothing beside it, and only when no other grant
// shows it anyway. See the package's documentation for the rules.
func (p *Profile) Spec(args []string, o Overrides, h Host) (jail.Spec, error) {
	b := &builder{p: p, o: o, h: h, rw: map[string]bool{}, places: cmp.Or(h.Places, jail.NewPlaces()), origins: map[string]origin{}}
	s := &p.settings
	b.limits = overlay(s.limits, o.Limits)
	b.profileView()
	b.flagGrants()
	b.workingDir()
	b.protectPolicy()
	spec := jail.Spec{
		Name:         o.Name,
		Args:         b.command(args),
		Dir:          b.cwd,
		Net:          or(o.Net, s.net),
		Unix:         s.unix,
		Limits:       b.limits,
		Tier:         o.Tier,
		OutputMode:   or(o.OutputMode, s.outputMode),
		CgroupParent: o.CgroupParent,
		Require:      concat(s.require, o.Require),
		Profile:      &jail.ProfileRef{Name: p.Name, Digest: p.Digest, Files: b.policy(), Grants: b.given(), Denies: s.seccomp.Deny},
		Seccomp: jail.Seccomp{
			Policy: s.seccomp.Policy,
			Allow:  concat(s.seccomp.Allow, o.Allow),
			Deny:   concat(s.seccomp.Deny, o.Deny),
		},
	}
	for _, l := range s.optional {
		spec.Optional = append(spec.Optional, jail.LayerName(l))
	}
	spec.Optional = concat(spec.Optional, o.Optional)
	spec.Env = b.environment()
	spec.View = b.checkNesting()
	if len(b.faults) > 0 {
		return spec, b.faults
	}
	return spec, nil
}

func (b *builder) fault(field, value, want string) {
	b.faults = append(b.faults, jail.Fault{Field: field, Value: value, Want: want})
}

// profileView adds what the profile itself shows. Its grants pass the same
// checks as those of the command line.
func (b *builder) profileView() {
	v := &b.p.settings.view
	for _, path := range v.system {
		b.view.put(jail.Mount{Kind: jail.MountSystem, Source: path, Target: path})
	}
	var made map[string]string
	if b.o.Tier == jail.Tier2 {
		made = madeUp()
		for _, path := range configuration {
			b.view.put(jail.Mount{Kind: jail.MountSystem, Source: path, Target: path})
		}
	}
	for _, path := range slices.Sorted(maps.Keys(v.files)) {
		if v.files[path] == made[path] {
			continue // it has no root of its own to make them in
		}
		b.view.put(jail.Mount{Kind: jail.MountFile, Target: path, Content: v.files[path]})
	}
	b.profileGrants(jail.MountRO, "view.ro", v.ro)
	b.profileGrants(jail.MountRW, "view.rw", v.rw)
	for _, text := range v.tmpfs {
		if t, err := ParseTmpfs(text); err == nil {
			b.tmpfs("view.tmpfs", t)
		}
	}
}

// configuration is what programs do without when it is not there, as in a root of
// the box's own, and not when it is refused: OpenSSL's, and with it Node's.
var configuration = [...]string{"/etc/ssl/openssl.cnf", "/etc/pki/tls/openssl.cnf", "/etc/pki/tls/openssl.d", "/etc/crypto-policies"}

// madeUp are the small files that every built-in profile makes up.
func madeUp() map[string]string {
	base, _ := decodedBuiltin("base")
	return base.settings.view.files
}

func (b *builder) profileGrants(kind jail.MountKind, field string, list []string) {
	for _, text := range list {
		g, err := ParseGrant(text)
		if err != nil {
			b.fault(field, text, wantGrants)
			continue
		}
		if rest, ok := strings.CutPrefix(g.Host, "~/"); ok {
			if b.h.Home == "" {
				b.fault(field, text, "an absolute path, because the caller has no HOME")
				continue
			}
			g.Host = filepath.Join(b.h.Home, rest)
		}
		b.grant(kind, field, g)
	}
}

func (b *builder) flagGrants() {
	for _, g := range b.o.RO {
		b.grant(jail.MountRO, "--ro", g)
	}
	for _, g := range b.o.RW {
		b.grant(jail.MountRW, "--rw", g)
	}
	for _, t := range b.o.Tmpfs {
		b.tmpfs("--tmpfs", t)
	}
	if b.o.Workspace != "" {
		b.workspace = b.grant(jail.MountRW, "--workspace", Grant{Host: b.o.Workspace})
		b.cwd = b.workspace
	}
}

// workingDir decides where the program starts. Empty leaves it to package
// jail, which takes /tmp.
func (b *builder) workingDir() {
	switch dir := b.o.Cwd; {
	case dir == "":
	case filepath.IsAbs(dir):
		b.cwd = filepath.Clean(dir)
	case b.cwd != "":
		b.cwd = filepath.Join(b.cwd, dir)
	default:
		path, ok := b.h.abs(dir)
		if !ok {
			b.fault("--cwd", dir, "an absolute path, because the working directory is gone")
			return
		}
		b.cwd = filepath.Clean(path)
	}
}

// overlay is limits with every field that is set in over taken from there.
func overlay(limits, over jail.Limits) jail.Limits {
	return jail.Limits{
		Timeout:     or(over.Timeout, limits.Timeout),
		CPUTime:     or(over.CPUTime, limits.CPUTime),
		IdleTimeout: or(over.IdleTimeout, limits.IdleTimeout),
		Memory:      or(over.Memory, limits.Memory),
		CPUs:        or(over.CPUs, limits.CPUs),
		Pids:        or(over.Pids, limits.Pids),
		Output:      or(over.Output, limits.Output),
		TmpSize:     or(over.TmpSize, limits.TmpSize),
		NoFile:      or(over.NoFile, limits.NoFile),
		FileSize:    or(over.FileSize, limits.FileSize),
	}
}

// or is a, or b when a is its zero value.
func or[T comparable](a, b T) T {
	var zero T
	if a == zero {
		return b
	}
	return a
}

// concat is a new list of a and b: profiles are shared, their lists must not
// be appended to.
func concat[T any](a, b []T) []T {
	return append(slices.Clone(a), b...)
}
