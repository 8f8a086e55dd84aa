package learn

import (
	"fmt"
	"time"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/internal/withheld"
)

// A judge looks at what the host has. What it takes is bounded, for all profiles that are
// made of the same runs.
type judge struct {
	hints   *withheld.Looks
	private map[string]string // what they say of folders and files of the host's
	holding map[string]held   // and of what lies right in folders
	there   *withheld.Looks   // with time of their own
}

func newJudge() *judge {
	return &judge{withheld.NewFor(lookingInto), map[string]string{}, map[string]held{}, withheld.NewFor(lookingAt)}
}

// How long the host is looked at: into folders, for what is private, and at what is there.
const (
	lookingInto = 3 * time.Second
	lookingAt   = time.Second
)

// unlooked is why a folder stays ungranted that may hold anything: how many there are to
// look into is the program's choice, and how long that takes.
const unlooked = "what it holds could not be looked at, or took too long"

// withheld says why something used is granted only if somebody names it, or is "". A
// folder that nobody could look into is; a file is judged by its name.
func (t *tree) withheld(p string) string {
	why, root := t.keeps(p), t.root(p)
	if p == root || why == "" || why != unlooked && why == t.keeps(root) {
		return ""
	}
	if why == unlooked && !t.dirs[p] {
		return ""
	}
	return why
}

// withhold is withheld, and notes it.
func (t *tree) withhold(p string) bool {
	why := t.withheld(p)
	if why != "" {
		t.open = append(t.open, fmt.Sprintf("%s was used, and is not granted unless you name it: %s", shellword.Text(p), why))
	}
	return why != ""
}

// keeps says why a path is nothing to be granted that nobody named: the watching box may
// have shown a home, and a program have looked into the keys in it.
func (t *tree) keeps(p string) string {
	m, ok := t.covering(p)
	if !ok {
		return ""
	}
	at := host(m, p)
	why, known := t.private[at]
	if !known {
		if why = t.hints.Private(at); why == "" && t.hints.Unknown(at) {
			why = unlooked
		}
		t.private[at] = why
	}
	return why
}

// missing says that the host has nothing to grant at a path of the box, though it has the
// grant that it lies in.
func (t *tree) missing(p string) bool {
	m, _ := t.covering(p)
	at := host(m, p)
	return at != m.Source && t.there.Gone(at) && !t.there.Gone(m.Source)
}

// gone is missing of something that was used, and notes it.
func (t *tree) gone(p string) bool {
	missing := t.missing(p)
	if missing {
		t.open = append(t.open, fmt.Sprintf("%s was used, and is not granted, since the host has nothing there any more", shellword.Text(p)))
	}
	return missing
}
