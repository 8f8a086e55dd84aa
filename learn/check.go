package learn

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail"
)

// Schema is the version of a [Comparison].
const Schema = "jail-learn-check/1"

// A Comparison is what differs between a run in a watching box and one that a
// profile is enforced on.
type Comparison struct {
	Schema   string  `json:"schema"`
	Same     bool    `json:"same"`
	Watched  Outcome `json:"watched"`
	Enforced Outcome `json:"enforced"`
	// Differences are in words; none if Same.
	Differences []string `json:"differences"`
	// Denials are what the profile refused and the watching box did not.
	Denials []jail.Denial `json:"denials"`

	asked []string // what may be why there are any (toldNot)
}

// Tell adds differences that were found otherwise than by [Compare].
func (c *Comparison) Tell(differences []string) {
	c.Differences = append(c.Differences, differences...)
	if c.Same = len(c.Differences) == 0; !c.Same {
		c.Differences, c.asked = append(c.Differences, c.asked...), nil
	}
}

// An Outcome is how a run ended.
type Outcome struct {
	Reason   jail.Reason `json:"reason"`
	ExitCode *int        `json:"exit_code"`
	Message  string      `json:"message"`
}

// Compare says what differs between a run in a watching box and one in another: of what the
// program wrote, whether it is on the host. What it wrote into its files is not compared.
func Compare(in jail.Spec, watched jail.Result, other jail.Spec, enforced jail.Result) Comparison {
	c := Comparison{Schema: Schema, Watched: outcome(watched), Enforced: outcome(enforced), Differences: []string{}, Denials: []jail.Denial{}}
	if a, b := Ending(watched), Ending(enforced); a != b {
		c.Differences = append(c.Differences, fmt.Sprintf("it ended: %s; in the watching box: %s", b, a))
	}
	for _, d := range enforced.Denials {
		if d.Sought() { // another run may not look for it
			continue
		}
		if !slices.ContainsFunc(watched.Denials, func(w jail.Denial) bool { return w.What == d.What && w.Errno == d.Errno }) {
			c.Denials = append(c.Denials, d)
			c.Differences = append(c.Differences, fmt.Sprintf("%s was refused (%s), which it was not in the watching box", d.What, d.Errno))
		}
	}
	used := moved(enforced.Used, other.Dir, in.Dir)
	c.Differences = append(c.Differences, otherwise(watched.Used, used, c.Denials)...)
	c.Differences = append(c.Differences, unwritten(watched.Used, other, used, c.Differences)...)
	c.asked = toldNot(watched.Used, used)
	c.Tell(nil)
	return c
}

// moved is what was used by a program that started in another folder, as if it had
// started in this one: what it names from there on.
func moved(used *jail.Used, from, to string) *jail.Used {
	from, to = cmp.Or(from, "/tmp"), cmp.Or(to, "/tmp")
	if used == nil || from == to {
		return used
	}
	at := func(p string) string {
		if !within(p, from) {
			return p
		}
		return path.Join(to, strings.TrimPrefix(p, from))
	}
	m := &jail.Used{}
	for _, u := range used.Paths {
		u.Path = at(u.Path)
		m.Paths = append(m.Paths, u)
	}
	for _, p := range used.Refused {
		m.Refused = append(m.Refused, at(p))
	}
	for _, p := range used.Unwritable {
		m.Unwritable = append(m.Unwritable, at(p))
	}
	return m
}

// otherwise says which granted paths the program used in the watching box and, enforced,
// found to be something else or nothing at all. Those that it changes may be another way
// at another time.
func otherwise(watched, enforced *jail.Used, told []jail.Denial) (list []string) {
	if watched == nil || enforced == nil {
		return nil
	}
	type key struct {
		path string
		link bool
	}
	used, kinds := map[string]bool{}, map[key]string{}
	for _, u := range watched.Paths {
		if ofHost(jail.Mount{Kind: u.Kind}) {
			kinds[key{u.Path, u.Link}] = kindOf(u)
			used[u.Path] = true
		}
	}
	for _, u := range watched.Paths {
		if u.Made || u.Written {
			delete(used, u.Path)
		}
	}
	for _, p := range watched.Refused {
		delete(used, p)
	}
	for _, u := range enforced.Paths {
		was, here := kinds[key{u.Path, u.Link}], kindOf(u)
		_, link := kinds[key{u.Path, true}]
		_, other := kinds[key{u.Path, false}]
		switch {
		case !used[u.Path]:
		case link && !other && !u.Link:
			list = append(list, fmt.Sprintf("%s is no link, which it was in the watching box", shellword.Text(u.Path)))
		case was != "" && was != here:
			list = append(list, fmt.Sprintf("%s is a %s; in the watching box: a %s", shellword.Text(u.Path), here, was))
		}
	}
	for _, p := range enforced.Refused {
		quoted := shellword.Text(p)
		if used[p] && !slices.ContainsFunc(told, func(d jail.Denial) bool { return strings.HasSuffix(d.What, quoted) }) {
			list = append(list, quoted+" was not there, or something of it refused, which it was not in the watching box")
		}
	}
	if list = unique(list); len(list) > mostOtherwise {
		list = append(list[:mostOtherwise], fmt.Sprintf("%d more paths were not there, refused or something else", len(list)-mostOtherwise))
	}
	return list
}

// mostOtherwise is how many paths are told of.
const mostOtherwise = 64

// kindOf is what was seen at a path, in a word.
func kindOf(u jail.PathUse) string {
	switch {
	case u.Dir:
		return "folder"
	case u.Link:
		return "link"
	case u.Special:
		return "socket or device"
	}
	return "file"
}

func outcome(r jail.Result) Outcome { return Outcome{r.Reason, r.ExitCode, r.Message} }
