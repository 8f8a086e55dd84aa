package learn

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail"
)

// A learned profile opens nothing that the watching box had closed: whoever put a hole
// into a grant, or forbade a call, meant the program, not the watching.

// Kept is what a watching box was narrower in than the profile that is extended.
type Kept struct {
	Deny    []string // system calls
	Require []string
	NoNet   bool
	// Limits has those that were lower, others are 0.
	Limits jail.Limits
	// Raised has those that were higher and that no run measures: open files, and how
	// large one may be.
	Raised jail.Limits
}

// keep takes in what a run's box was narrower in, mounts aside.
func (l *Learned) keep(w Watched) {
	k := &l.Kept
	k.Deny = append(k.Deny, beyond(w.Spec.Seccomp.Deny, w.Given.Seccomp.Deny)...)
	k.Require = append(k.Require, beyond(w.Spec.Require, w.Given.Require)...)
	k.Deny, k.Require = unique(k.Deny), unique(k.Require)
	k.NoNet = w.Given.Net == jail.NetLoopback && w.Spec.Net != jail.NetLoopback
	k.Limits = lower(w.Spec.Limits, w.Given.Limits)
	a, b := w.Spec.Limits.WithDefaults(), w.Given.Limits.WithDefaults()
	if a.NoFile > b.NoFile {
		k.Raised.NoFile = a.NoFile
	}
	if a.FileSize > b.FileSize {
		k.Raised.FileSize = a.FileSize
	}
}

// variables notes those that the box was given beside the profile's: their values are not
// for a file that others read.
func (l *Learned) variables(w Watched) {
	for _, kv := range beyond(w.Spec.Env, w.Given.Env) {
		name, _, _ := strings.Cut(kv, "=")
		l.Open = append(l.Open, fmt.Sprintf("the variable %s was given: run it with --pass-env %[1]s or --env %[1]s=…; to pass it always: env.pass = [%[2]s]", shellword.Quote(name), shellword.TOML(name)))
	}
}

// beyond is what a list has and another has not.
func beyond(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
}

// lower has the limits of a that are lower than b's. Of those that are 0 by default
// because they follow from others, or because there is none, any is.
func lower(a, b jail.Limits) (k jail.Limits) {
	if a.CPUTime > 0 && (b.CPUTime == 0 || a.CPUTime < b.CPUTime) {
		k.CPUTime = a.CPUTime
	}
	if a.IdleTimeout > 0 && (b.IdleTimeout == 0 || a.IdleTimeout < b.IdleTimeout) {
		k.IdleTimeout = a.IdleTimeout
	}
	a, b = a.WithDefaults(), b.WithDefaults()
	if a.CPUs < b.CPUs {
		k.CPUs = a.CPUs
	}
	for _, f := range []struct {
		to   *int64
		a, b int64
	}{{&k.Memory, a.Memory, b.Memory}, {&k.Pids, a.Pids, b.Pids}, {&k.TmpSize, a.TmpSize, b.TmpSize}, {&k.NoFile, a.NoFile, b.NoFile}, {&k.FileSize, a.FileSize, b.FileSize}} {
		if f.a < f.b {
			*f.to = f.a
		}
	}
	return k
}

// keepHoles adds the watching box's mounts at paths where the profile's own box would
// show more without them.
func (l *Learned) keepHoles(t *tree) {
	shown, own := l.mounts(t.given), l.mounts(nil)
	for _, target := range slices.Sorted(maps.Keys(t.mounts)) { // what lies in another comes after it
		m := t.mounts[target]
		// What the command brings along is not there with another command.
		if given := t.given[target] == m; given && !wider(own, m) || !given && !wider(shown, m) {
			continue
		}
		if m.Kind == jail.MountRW || m.Kind == jail.MountSystem { // what was written to is granted by itself
			m.Kind = jail.MountRO
		}
		if g := hole(m); !g.writes() {
			l.forgo(shown, m)
			continue
		}
		shown[target], own[target] = m, m
		switch m.Kind {
		case jail.MountTmpfs:
			l.Tmpfs = append(l.Tmpfs, tmpfsText(m))
		case jail.MountRO:
			l.drop(m)
			l.ReadOnly = append(l.ReadOnly, hole(m))
		}
	}
	sortGrants(l.ReadOnly)
}

// wider says whether some mounts show at m's place what m does not.
func wider(shown map[string]jail.Mount, m jail.Mount) bool {
	c := covers(shown).from(m.Target)
	around := c.mount
	if !c.ok || !ofHost(around) {
		return false
	}
	if !ofHost(m) || host(around, m.Target) != m.Source {
		return ofHost(m) || m.Kind == jail.MountTmpfs
	}
	return ofHost(m) && m.Kind != jail.MountRW && around.Kind == jail.MountRW
}

func ofHost(m jail.Mount) bool {
	return m.Kind == jail.MountRO || m.Kind == jail.MountRW || m.Kind == jail.MountSystem
}

// forgo takes back the grant around a hole that no profile can write.
func (l *Learned) forgo(shown map[string]jail.Mount, m jail.Mount) {
	around := covers(shown).from(m.Target).mount
	is := func(g Grant) bool { return g.at() == around.Target }
	l.ReadOnly, l.Writable = slices.DeleteFunc(l.ReadOnly, is), slices.DeleteFunc(l.Writable, is)
	delete(shown, around.Target)
	l.Open = append(l.Open, fmt.Sprintf("%s was used: not granted, since a profile has no way to write %s, which the watching box did not show of it", shellword.Text(around.Target), shellword.Text(m.Target)))
}

func hole(m jail.Mount) Grant {
	g := Grant{Host: m.Source, Why: "so in the watching box, within the grant around it"}
	if m.Target != m.Source {
		g.Box = m.Target
	}
	return g
}

// drop removes the read-only grants of what m shows anyway.
func (l *Learned) drop(m jail.Mount) {
	l.ReadOnly = slices.DeleteFunc(l.ReadOnly, func(g Grant) bool { return within(g.at(), m.Target) && host(m, g.at()) == g.Host })
}

// mounts are the profile's, by target, with those that it is given.
func (l *Learned) mounts(given map[string]jail.Mount) map[string]jail.Mount {
	all := map[string]jail.Mount{}
	maps.Copy(all, given)
	for _, list := range []struct {
		kind   jail.MountKind
		grants []Grant
	}{{jail.MountRO, l.ReadOnly}, {jail.MountRW, l.Writable}} {
		for _, g := range list.grants {
			all[g.at()] = jail.Mount{Kind: list.kind, Source: g.Host, Target: g.at()}
		}
	}
	for _, text := range l.Tmpfs {
		target, _, _ := strings.Cut(text, ":")
		all[target] = jail.Mount{Kind: jail.MountTmpfs, Target: target}
	}
	return all
}

func tmpfsText(m jail.Mount) string {
	if m.Size > 0 {
		return m.Target + ":" + size(m.Size)
	}
	return m.Target
}

// Spec is the watching box with no more to see than the profile shows.
func (l *Learned) Spec() jail.Spec {
	w := l.Runs[0]
	given := map[string]jail.Mount{}
	for _, m := range w.Given.View {
		given[m.Target] = m
	}
	s := w.Spec
	s.View, s.Dir = nil, l.Dir
	all := l.mounts(given)
	for _, target := range slices.Sorted(maps.Keys(all)) {
		s.View = append(s.View, all[target])
	}
	if s.Dir == "" {
		s.Dir = w.Given.Dir
	}
	return s
}
