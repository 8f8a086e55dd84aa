package profiles

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail"
)

// grant adds one file or folder of the host and returns its place in the box,
// or "" after a fault. Links of the system's own are granted as what they lead
// to, under the path as named, and others are a fault. What does not exist is
// left for package jail to report.
func (b *builder) grant(kind jail.MountKind, field string, g Grant) string {
	shown := g.Host
	if g.Box != "" {
		shown += ":" + g.Box
	}
	host, ok := b.h.abs(g.Host)
	switch {
	case strings.ContainsRune(shown, 0):
		b.fault(field, shown, "a path without NUL")
		return ""
	case g.Host == "":
		b.fault(field, shown, wantGrant)
		return ""
	case !ok:
		b.fault(field, shown, errNoDir.Error())
		return ""
	case g.Box != "" && !filepath.IsAbs(g.Box):
		b.fault(field, shown, wantGrant)
		return ""
	}
	t, err := walk(host)
	if at := strings.LastIndex(host, ":"); err != nil && at > 0 && g.Box == "" && exists(host[:at]) {
		b.fault(field, shown, wantGrant+", and "+shellword.Quote(host[at+1:])+" is none")
		return ""
	}
	if !b.noLinks(field, shown, t, kind == jail.MountRW) {
		return ""
	}
	source, target := t.real, filepath.Clean(or(g.Box, host))
	if why := or(or(refusedSource(source), refusedWritable(kind, source)), refusedTarget(target)); why != "" {
		b.fault(field, shown, why)
		return ""
	}
	if !b.place(jail.Mount{Kind: kind, Source: source, Target: target}, field, shown) {
		return ""
	}
	if kind == jail.MountRW {
		b.rw[source] = true
	}
	return target
}

// tmpfs adds an empty folder in memory.
func (b *builder) tmpfs(field string, t Tmpfs) {
	target := filepath.Clean(t.Box)
	switch why := refusedTmpfs(target); {
	case !filepath.IsAbs(t.Box) || strings.ContainsRune(t.Box, 0):
		b.fault(field, t.Box, wantTmpfs)
	case why != "":
		b.fault(field, t.Box, why)
	default:
		b.place(jail.Mount{Kind: jail.MountTmpfs, Target: target, Size: t.Size}, field, t.Box)
	}
}

// place puts a grant into the view. One path of the box shows one thing: two
// grants that disagree are a fault, because either of them could be the one
// that was meant. A made-up file and a part of the system give way to a
// read-only grant, which says more.
func (b *builder) place(m jail.Mount, field, shown string) bool {
	old, ok := b.view.get(m.Target)
	switch {
	case !ok || old == m:
	case old.Kind == jail.MountFile:
	case old.Kind == jail.MountSystem && old.Source == m.Source && m.Kind == jail.MountRO:
		return true
	case old.Kind == jail.MountSystem && m.Kind == jail.MountRO:
	case old.Kind == jail.MountSystem:
		b.fault(field, shown, "a path of your own; "+shellword.Quote(m.Target)+" is a part of the system, which is never writable")
		return false
	default:
		b.fault(field, shown, "one grant for one path in the box; "+shellword.Quote(m.Target)+" is already "+describe(old))
		return false
	}
	b.view.put(m)
	b.origins[m.Target] = origin{field, shown}
	return true
}

// An origin is the flag or key that asked for a grant, with the value that it had.
type origin struct{ field, shown string }

// given is what [jail.ProfileRef] says of grants.
func (b *builder) given() []jail.Given {
	list := make([]jail.Given, 0, len(b.origins))
	for _, m := range b.view.mounts {
		o, ok := b.origins[m.Target]
		switch {
		case !ok:
		case strings.HasPrefix(o.field, "-"):
			list = append(list, jail.Given{Target: m.Target, By: o.field + " " + shellword.Quote(o.shown)})
		default:
			list = append(list, jail.Given{Target: m.Target, By: o.field})
		}
	}
	return list
}

// origin of what is at a path of the box; what nobody asked for is the view's.
func (b *builder) origin(target string) origin {
	if o, ok := b.origins[target]; ok {
		return o
	}
	return origin{"view", target}
}

func describe(m jail.Mount) string {
	switch m.Kind {
	case jail.MountRO:
		return "granted read-only from " + shellword.Quote(m.Source)
	case jail.MountRW:
		return "granted writable from " + shellword.Quote(m.Source)
	default:
		return "a " + string(m.Kind)
	}
}

// protectPolicy refuses writable grants that hold the profile of this run, or
// the folder of the user's profiles: what runs in the box could write the
// policy of the next run (netblue30/firejail#7154).
func (b *builder) protectPolicy() {
	if len(b.rw) == 0 {
		return
	}
	for _, file := range b.p.files {
		b.protect(file, "the profile file "+shellword.Quote(filepath.Clean(file)))
	}
	if dir := b.h.profileDir(); dir != "" {
		b.protect(dir, "the folder of your profiles, "+shellword.Quote(dir)+" (XDG_CONFIG_HOME names another)")
	}
}

// policy is where the profile's text lies, and where others of the user's do.
func (b *builder) policy() []string {
	named := slices.Clone(b.p.files)
	if dir := b.h.profileDir(); dir != "" {
		named = append(named, dir)
	}
	var places []string
	for _, name := range named {
		t, _ := walk(name)
		places = append(places, t.real)
	}
	return places
}

// protect faults the writable grants in which path lies, would lie if it were
// made, or has a link on the way to it: each of them could be put in its place.
func (b *builder) protect(path, what string) {
	t, _ := walk(path)
	places := []string{t.real}
	for _, l := range t.links {
		places = append(places, l.path)
	}
	told := map[string]bool{}
	for _, grant := range slices.Sorted(maps.Keys(b.rw)) {
		if b.places.MayName(grant, t.real) {
			told[grant] = true
			b.fault("--rw", grant, "a grant that can't hold another name of "+what+", which has hard links: the program could rewrite its own policy by one; give it one name (cp -p FILE NEW && mv NEW FILE)")
		}
	}
	for _, place := range places {
		if grant, ok := b.writable(place); ok && !told[grant] {
			told[grant] = true
			b.fault("--rw", grant, "a grant without "+what+": the program could rewrite its own policy; grant a folder beside it")
		}
	}
}

// writable is the writable grant that holds a real host path, be it by another path that
// a mount of the host's gives it.
func (b *builder) writable(real string) (grant string, ok bool) {
	for p := range upward(real) {
		if b.rw[p] {
			return p, true
		}
	}
	if !filepath.IsAbs(real) {
		return "", false
	}
	for _, grant := range slices.Sorted(maps.Keys(b.rw)) {
		if _, ok := b.places.Within(grant, real); ok {
			return grant, true
		}
	}
	return "", false
}
