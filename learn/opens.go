package learn

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/internal/withheld"
)

// A grant of a folder opens all that it holds, used or not. What lies right in it is looked
// at, and told where it is more than was used.

// held is what lies right in a folder; not known is for one that could not be looked at
// whole.
type held struct {
	list  []withheld.Holding
	known bool
}

func (t *tree) holds(p string) held {
	m, _ := t.covering(p)
	at := host(m, p)
	h, ok := t.holding[at]
	if !ok {
		h.list, h.known = t.hints.Holdings(at)
		t.holding[at] = h
	}
	return h
}

// opened is what lies right in a folder and is not among what was used, by path, or lies
// around it; what the box shows something else in the place of is not opened.
func (t *tree) opened(dir string, used func(p string) bool) (list []withheld.Holding) {
	for _, h := range t.holds(dir).list {
		if p := path.Join(dir, h.Name); !used(p) && !t.made[p] && t.root(p) != p {
			list = append(list, h)
		}
	}
	return list
}

// steers says whether a path is hidden, or lies in what is: by such, as by git's hooks and
// its config, programs are told what to do.
func steers(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if strings.HasPrefix(part, ".") && !strings.Contains(part, "cache") {
			return true
		}
	}
	return false
}

// private says whether some of what lies in a folder is called as keys are.
func private(list []withheld.Holding) bool {
	return slices.ContainsFunc(list, func(h withheld.Holding) bool { return h.Keys })
}

// alone says whether a folder has nothing but what is written to, so that it opens no more
// as a whole. Where there is no room to say that much it is enough that it opens no keys,
// nor what tells programs what to do.
func (t *tree) alone(dir string, written func(p string) bool) bool {
	if m, _ := t.covering(dir); t.there.Gone(m.Source) {
		return true // nothing is
	}
	if !t.holds(dir).known {
		return false
	}
	return !slices.ContainsFunc(t.opened(dir, written), func(h withheld.Holding) bool {
		return t.enough == fullDetail || h.Keys || h.Steers
	})
}

// openable says whether a folder may be granted to be written though a file in it would do:
// it opens no keys, and nothing that tells programs what to do.
func (t *tree) openable(dir string, written func(p string) bool) bool {
	if m, _ := t.covering(dir); t.there.Gone(m.Source) {
		return true // nothing is
	}
	return !t.missing(dir) && t.keeps(dir) == "" && !steers(t.host(dir)) && t.holds(dir).known && !slices.ContainsFunc(t.opened(dir, written), func(h withheld.Holding) bool { return h.Keys || h.Steers })
}

const opensBesides = "; opens besides: "

// mostKeys is how many names a comment has of keys and what is hidden.
const mostKeys = 12

// openingText is what a folder opens besides what was used of it, for a comment: keys, and
// what is hidden, first. Of what is only read these alone are told.
func (t *tree) openingText(dir string, used func(p string) bool, writable bool) string {
	list := slices.DeleteFunc(t.opened(dir, used), func(h withheld.Holding) bool { return !writable && !h.Keys })
	if len(list) == 0 {
		return ""
	}
	rank := func(h withheld.Holding) int {
		switch {
		case h.Keys:
			return 0
		case h.Steers:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(list, func(a, b withheld.Holding) int { return rank(a) - rank(b) })
	told := min(len(list), mostNamed)
	for told < min(len(list), mostKeys) && rank(list[told]) < 2 {
		told++
	}
	names := make([]string, told)
	for i, h := range list[:told] {
		if names[i] = shellword.Quote(h.Name); len(h.Name) > longestNamed {
			names[i] = shellword.Quote(strings.ToValidUTF8(h.Name[:longestNamed], "")) + "…"
		}
	}
	text := opensBesides + strings.Join(names, ", ")
	if more := len(list) - told; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
