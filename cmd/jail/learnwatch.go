package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/internal/withheld"
	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/learn"
	"github.com/seed-75010da9/jail/profiles"
)

// watchHere grants the folder that the caller is in, where no flag says what to
// show. The home itself is never meant.
func (l *learner) watchHere() {
	over := &l.o.over
	if over.Net == "" && over.Tier != jail.Tier2 {
		over.Net = jail.NetLoopback
	}
	over.Limits = learn.Watching(over.Limits, l.profileLimits())
	over.Allow = append(over.Allow, learn.WatchedCalls(over.Deny)...)
	if over.Workspace != "" || len(over.RO) > 0 || len(over.RW) > 0 {
		return
	}
	if l.host.Dir == "" {
		l.line.fault("the working directory", "", "is gone. Go to the folder of a project, or name folders by absolute paths with --workspace, --ro or --rw")
		return
	}
	dir := filepath.Clean(l.host.Dir)
	if home := filepath.Clean(l.host.Home); dir == "/" || l.host.Home != "" && (dir == home || strings.HasPrefix(home, dir+"/")) {
		l.line.fault("the working directory", l.host.Dir, "must be the folder of a project: home as a whole is not shown. Go to one, or name folders with --workspace, --ro or --rw")
		return
	}
	over.RW = append(over.RW, profiles.Grant{Host: dir})
	l.holdBack(dir)
	if over.Cwd == "" {
		over.Cwd = dir
	}
}

// lookingForHeld is how long what is kept read-only is looked for, at most.
const lookingForHeld = 4 * time.Second

// holdBack has what steers programs in a folder, such as git's hooks and node_modules,
// shown read-only: a program that nobody knows yet is not to write what is run outside of
// any box, unless a flag grants the folder.
func (l *learner) holdBack(dir string) {
	l.heldIn = dir
	held, unseen, whole := withheld.NewFor(lookingForHeld).Steering(dir)
	switch why := unkept(l.o.over.Tier, held, unseen, whole); {
	case why != "":
		l.line.fault("the working directory", dir, why)
		return
	case unseen != "":
		fmt.Fprintln(os.Stderr, visible("jail: not all is kept read-only by which programs of yours are told what to do in "+shellword.Quote(dir)+": "+unseen))
	}
	for _, at := range held {
		l.o.over.RO = append(l.o.over.RO, profiles.Grant{Host: at})
	}
	l.held, l.unheld = held, unseen
}

// unkept says why a folder is not to be shown writable, for what can't be kept read-only in
// it or may not have been found, or is "".
func unkept(tier jail.Tier, held []string, unseen string, whole bool) string {
	switch {
	case tier == jail.Tier2 && (len(held) > 0 || unseen != ""):
		what := unseen
		if len(held) > 0 {
			what = shellword.Quote(held[0]) + " is there"
		}
		return "must hold nothing by which programs of yours are told what to do outside of any box, since a box of tier 2 can't keep it read-only in a folder that is writable: " + what + ". To have it writable, grant the folder with --workspace"
	case !whole:
		return "must be such that all can be found by which programs of yours are told what to do outside of any box, to be kept read-only: " + unseen + ". Name what the program is to read and write with --ro and --rw, or grant the folder, with all of that writable, with --workspace"
	}
	return ""
}

// tellMade tells of what steers programs and was not there before the runs: nothing can be
// kept read-only that is not there.
func (l *learner) tellMade() {
	if l.heldIn == "" {
		return
	}
	now, unseen, _ := withheld.NewFor(lookingForHeld).Steering(l.heldIn)
	const mostTold = 8
	told := 0
	for _, at := range now {
		if slices.Contains(l.held, at) {
			continue
		}
		if told++; told <= mostTold {
			fmt.Fprintln(os.Stderr, visible("jail: "+shellword.Quote(at)+" is new: programs of yours are told by it what to do, outside of any box; look at it before you run any there"))
		}
	}
	if told > mostTold {
		fmt.Fprintf(os.Stderr, "jail: and %d more\n", told-mostTold)
	}
	if unseen != "" && unseen != l.unheld {
		fmt.Fprintln(os.Stderr, visible("jail: what else is new could not be seen: "+unseen))
	}
}

// heldBack says what of that a program that failed was refused, or is "".
func (l *learner) heldBack(res jail.Result) string {
	said := []string{res.Hint}
	for _, d := range res.Denials {
		said = append(said, d.What)
	}
	for _, at := range l.held {
		if slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, shellword.Text(at)) || strings.Contains(s, at+"/") }) {
			return "learn keeps " + shellword.Quote(at) + " read-only, since programs of yours are told by it what to do, outside of any box: to have it written, grant the folder as a whole, with --workspace " + shellword.Quote(l.host.Dir)
		}
	}
	return ""
}

// mostWider is how many flags are told of.
const mostWider = 5

// wider says what a program that failed was refused, and the flags by which it is watched
// with that allowed.
func wider(w io.Writer, res jail.Result) {
	told := map[string]bool{}
	for _, d := range res.Denials {
		if d.Grant == "" || d.Sought() || d.LooksUp() || told[d.Grant] || len(told) == mostWider {
			continue
		}
		told[d.Grant] = true
		flags := "with " + d.Grant
		if strings.HasPrefix(d.Grant, "without ") {
			flags = d.Grant
		}
		fmt.Fprintln(w, visible("jail: it was refused "+d.What+" ("+d.Errno+"); to have that allowed, watch it "+flags))
	}
}

// profileLimits are those of the profile that the learned one adds to. What is wrong
// with that is told when the box is composed.
func (l *learner) profileLimits() jail.Limits {
	p, err := profiles.Load(l.extends(), l.host)
	if err != nil {
		return jail.Limits{}
	}
	return p.Limits()
}

// given is what the profile and the command bring along without any flag. That the
// command may lack what a flag shows it is no fault: all that can be is found of the
// watching box.
func (l *learner) given(args []string) (jail.Spec, bool) {
	p, err := profiles.Load(l.extends(), l.host)
	if err != nil {
		l.line.errors(err, "--profile", l.extends(), l.o)
		return jail.Spec{}, false
	}
	spec, err := p.Spec(args, profiles.Overrides{Tier: l.o.over.Tier, OwnInterpreter: true}, l.host)
	var lacking jail.Faults
	if err != nil && !errors.As(err, &lacking) {
		l.line.errors(err, "--profile", l.extends(), l.o)
		return spec, false
	}
	return spec, true
}

// extends is the profile that the learned one adds to.
func (l *learner) extends() string {
	name := l.o.profile
	if name == "" {
		return defaultProfile
	}
	if strings.Contains(name, "/") || strings.HasSuffix(name, ".toml") {
		if abs, err := filepath.Abs(name); err == nil {
			return abs
		}
	}
	return name
}
