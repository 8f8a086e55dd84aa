package learn

import (
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/jail"
	"golang.org/x/sys/unix"
)

// A Watched is one run in a watching box.
type Watched struct {
	Spec   jail.Spec   // with Trace
	Result jail.Result // with Used
	// Given are the mounts that the profile below the learned one, and the command
	// itself, bring along.
	Given []jail.Mount
}

// A Learned is what some runs of a program needed.
type Learned struct {
	// Extends is the profile that it adds to.
	Extends string
	Args    []string
	// Dir is where the program started, if it is to start there again: "" where none
	// of what it used lies around that.
	Dir  string
	Runs []Watched

	ReadOnly, Writable []Grant
	Tmpfs              []string
	// Loopback says that it made sockets of the internet's families, Interfaces that
	// it asked for the network's interfaces, which takes the same mode.
	Loopback, Interfaces bool
	// Unix says that the runs were allowed named Unix sockets, and made some.
	Unix   bool
	Calls  []string
	Limits Limits
	// Open are lines for a person to decide about: what was refused or missing, and
	// what the profile can't say. Sought is what many programs look for and do without.
	Open, Sought []string
}

// A Grant is a file or folder, and why it is there.
type Grant struct {
	Host, Box string // Box is empty if it is the same
	Why       string
}

// From makes a profile of runs of one command, of which there is at least one.
func From(extends string, args []string, runs []Watched) *Learned {
	l := &Learned{Extends: extends, Args: args, Runs: runs}
	t := newTree(runs)
	l.Writable = t.writable()
	l.ReadOnly = t.readOnly(l.Writable)
	l.Open = append(l.Open, t.open...)
	for _, w := range runs {
		l.reach(w)
		l.limits(w)
		l.refused(w)
	}
	if dir := runs[0].Spec.Dir; l.shows(dir) {
		l.Dir = dir
	}
	l.Limits.round()
	slices.Sort(l.Calls)
	l.Calls, l.Open, l.Sought, l.Tmpfs = slices.Compact(l.Calls), unique(l.Open), unique(l.Sought), unique(l.Tmpfs)
	return l
}

// reach is what a run used of the network and of calls beyond the policy.
func (l *Learned) reach(w Watched) {
	u := w.Result.Used
	if u == nil {
		return
	}
	if w.Spec.Net == jail.NetLoopback {
		l.Loopback = l.Loopback || slices.Contains(u.Families, unix.AF_INET) || slices.Contains(u.Families, unix.AF_INET6)
		l.Interfaces = l.Interfaces || slices.Contains(u.Families, unix.AF_NETLINK)
	}
	l.Unix = l.Unix || w.Spec.Unix && slices.Contains(u.Families, unix.AF_UNIX)
	l.Calls = append(l.Calls, u.Calls...)
	if u.Incomplete {
		l.Open = append(l.Open, "some paths could not be read, or were too many to tell apart: what is granted above may not be all")
	}
	for _, m := range w.Spec.View {
		if m.Kind == jail.MountTmpfs && slices.ContainsFunc(u.Paths, func(p jail.PathUse) bool { return p.Kind == jail.MountTmpfs && within(p.Real, m.Target) }) {
			l.Tmpfs = append(l.Tmpfs, m.Target)
		}
	}
}

// refused notes what a run was refused: it is not granted, but told.
func (l *Learned) refused(w Watched) {
	for _, d := range w.Result.Denials {
		if d.Sought() {
			l.Sought = append(l.Sought, d.What)
			continue
		}
		line := d.What + " was refused"
		if d.Errno != "" {
			line += " (" + d.Errno + ")"
		}
		switch {
		case d.Setting != "":
			line += "; to allow it: " + d.Setting
		case d.Never != "":
			line += "; nothing allows it: " + d.Never
		}
		l.Open = append(l.Open, line)
	}
}

// shows says whether a box of the profile has a folder.
func (l *Learned) shows(dir string) bool {
	return dir != "" && slices.ContainsFunc(slices.Concat(l.ReadOnly, l.Writable), func(g Grant) bool {
		at := g.Host
		if g.Box != "" {
			at = g.Box
		}
		return within(at, dir) || within(dir, at)
	})
}

// unique is list sorted, each once.
func unique(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// within says whether a path is a folder or lies below it.
func within(p, dir string) bool {
	return p == dir || strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/")
}
