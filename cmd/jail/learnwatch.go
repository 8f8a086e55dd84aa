package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

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
	dir := filepath.Clean(l.host.Dir)
	if home := filepath.Clean(l.host.Home); l.host.Dir == "" || dir == "/" || l.host.Home != "" && (dir == home || strings.HasPrefix(home, dir+"/")) {
		l.line.fault("the working directory", l.host.Dir, "must be the folder of a project: home as a whole is not shown. Go to one, or name folders with --workspace, --ro or --rw")
		return
	}
	over.RW = append(over.RW, profiles.Grant{Host: dir})
	over.RO = append(over.RO, runByGit(dir)...)
	if over.Cwd == "" {
		over.Cwd = dir
	}
}

// runByGit is what of a folder's repository names programs that git runs (githooks(5),
// git-config(1)), outside of any box: a program that nobody knows yet is not to write them,
// unless a flag grants the folder.
func runByGit(dir string) (list []profiles.Grant) {
	for _, name := range []string{".git/hooks", ".git/config"} {
		at := filepath.Join(dir, name)
		if real, err := filepath.EvalSymlinks(at); err == nil && real == at {
			list = append(list, profiles.Grant{Host: at})
		}
	}
	return list
}

// mostWider is how many flags are told of.
const mostWider = 5

// wider says what a program that failed was refused, and the flags by which it is watched
// with that allowed.
func wider(w io.Writer, res jail.Result) {
	told := map[string]bool{}
	for _, d := range res.Denials {
		if d.Grant == "" || d.Sought() || told[d.Grant] || len(told) == mostWider {
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
