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
	// Given is the box of the profile below the learned one, with what the command
	// itself brings along: what a run has that names no more than these.
	Given jail.Spec
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
	// Tmpfs are BOX or BOX:SIZE.
	Tmpfs []string
	// Loopback says that it made sockets of the internet's families, Interfaces that
	// it asked for the network's interfaces, which takes the same mode.
	Loopback, Interfaces bool
	// Unix says that the runs were allowed named Unix sockets, and made some.
	Unix   bool
	Calls  []string
	Limits Limits
	// Kept is what the watching box was narrower in than the profile that is extended.
	Kept Kept
	// Open are lines for a person to decide about: what was refused or missing, and
	// what the profile can't say. Sought is what many programs look for and do without.
	Open, Sought []string

	judge *judge
}

// A Grant is a file or folder, and why it is there.
type Grant struct {
	Host, Box string // Box is empty if it is the same
	Why       string
	// Listed says that it was a folder whose names alone were asked for. A grant of
	// names without what they are of there is not.
	Listed bool

	names string // some of what was used of a folder
	opens string // what it opens besides
}

// value is HOST or HOST:BOX.
func (g Grant) value() string {
	if g.Box == "" {
		return g.Host
	}
	return g.Host + ":" + g.Box
}

// at is where the box has it.
func (g Grant) at() string {
	if g.Box != "" {
		return g.Box
	}
	return g.Host
}

// MostText is how long a profile may be (see package profiles), in bytes.
const MostText = 64 << 10

// From makes a profile of runs of one command, of which there is at least one.
func From(extends string, args []string, runs []Watched) *Learned {
	return from(extends, args, runs, listAll, newJudge())
}

// from takes folders as wholes the sooner, the more there is to say: a profile that is
// too long is no profile.
func from(extends string, args []string, runs []Watched, listings listing, j *judge) *Learned {
	t := newTree(runs, listings, j)
	for open := slices.Clone(t.open); ; t.enough, t.open = t.enough-1, slices.Clone(open) {
		l := fromTree(extends, args, runs, t)
		if t.enough == leastDetail || len(l.TOML()) <= MostText {
			return l
		}
	}
}

func fromTree(extends string, args []string, runs []Watched, t *tree) *Learned {
	l := &Learned{Extends: extends, Args: args, Runs: runs, judge: t.judge}
	l.Writable = t.writable()
	l.ReadOnly = t.readOnly(l.Writable)
	ro, rw := t.beside(l.ReadOnly, l.Writable)
	l.ReadOnly, l.Writable = append(l.ReadOnly, ro...), append(l.Writable, rw...)
	sortGrants(l.ReadOnly)
	sortGrants(l.Writable)
	l.Open = append(l.Open, t.open...)
	l.Open = append(l.Open, t.unasked(l.Writable)...)
	for _, w := range runs {
		l.reach(w)
		l.limits(w)
		l.refused(w)
		l.keep(w)
		l.variables(w)
	}
	l.keepHoles(t)
	if dir := runs[0].Spec.Dir; l.shows(dir) {
		l.Dir = dir
	}
	l.Limits.round(runs)
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
			l.Tmpfs = append(l.Tmpfs, tmpfsText(m))
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
		case strings.HasPrefix(d.Never, "not hinted"):
			line += "; " + d.Never
		case d.Never != "":
			line += "; nothing allows it: " + d.Never
		}
		l.Open = append(l.Open, line)
	}
}

// shows says whether a box of the profile has a folder.
func (l *Learned) shows(dir string) bool {
	return dir != "" && slices.ContainsFunc(slices.Concat(l.ReadOnly, l.Writable), func(g Grant) bool { return within(g.at(), dir) || within(dir, g.at()) })
}

// unique is list sorted, each once.
func unique(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}
