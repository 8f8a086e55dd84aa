package learn

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail"
)

// Whether a program needs names shows by running it with and without them. What differs
// from run to run by itself, as times and random names do, tells nothing of that: there a
// run without is held against two with them, one before it and one after, so that a clock
// that ticked is not taken for a difference.

// A Verdict is what runs without names tell, beside runs with them.
type Verdict uint8

// The surer a verdict, the larger.
const (
	// Alike is that nothing differs but what differs by itself.
	Alike Verdict = iota
	// Unclear is that what differs by itself hides whether more does.
	Unclear
	// Needed is that something is the same with the names, each time, and another without.
	Needed
)

// Left is what a run left behind, by what or where it is: what it said, the files it could
// write to, and which of them it wrote.
type Left map[string]Thing

// A Thing is one of these.
type Thing struct {
	Kind string // what it is, such as a file's mode or a link's text
	Sum  [sha256.Size]byte
	Size int64
	// Text is what is in it, and false for what is too long. Nil has none.
	Text func() ([]byte, bool)
}

// wroteTo begins the names of what was written to.
const wroteTo = "wrote "

// Said is a thing of a text.
func Said(text []byte) Thing {
	return Thing{Sum: sha256.Sum256(text), Size: int64(len(text)), Text: func() ([]byte, bool) { return text, true }}
}

func (a Thing) same(b Thing) bool { return a.Kind == b.Kind && a.Sum == b.Sum && a.Size == b.Size }

// Same says whether nothing differs.
func (l Left) Same(other Left) bool { return maps.EqualFunc(l, other, Thing.same) }

// Wrote adds what of the host a run wrote to: what is in a file may be the same if it is
// not written again.
func (l Left) Wrote(used *jail.Used) {
	if used == nil {
		return
	}
	for _, u := range used.Paths {
		if u.Kind == jail.MountRW && (u.Written || u.Made || u.Removed) {
			l[wroteTo+u.Real] = Thing{Kind: "wrote"}
		}
	}
}

// Telling is what a run without names tells, held against one before it and one after it
// that had them.
func Telling(before, without, after Left) Verdict {
	all := Left{}
	maps.Copy(all, before)
	maps.Copy(all, without)
	maps.Copy(all, after)
	verdict, odd := Alike, map[string]*[3][]string{}
	stays := func(name string) bool {
		_, b := before[name]
		_, a := after[name]
		return a && b
	}
	changes := func(name string) bool {
		_, known := all[name]
		return known && !stays(name)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if stays(name) {
			thing, ok := without[name]
			if !ok {
				return Needed
			}
			verdict = max(verdict, telling(before[name], thing, after[name]))
			continue
		}
		in := oddPlace(path.Dir(name), changes)
		if odd[in] == nil {
			odd[in] = &[3][]string{}
		}
		for i, left := range []Left{before, without, after} {
			if _, ok := left[name]; ok {
				odd[in][i] = append(odd[in][i], name)
			}
		}
	}
	for _, names := range odd {
		b, w, a := names[0], names[1], names[2]
		switch {
		case len(b)+len(a) == 0: // with names nothing of the kind is made
			return Needed
		case len(b) != len(a) || len(b) != len(w):
			verdict = max(verdict, Unclear)
			continue
		}
		for i := range w {
			verdict = max(verdict, min(Unclear, telling(before[b[i]], without[w[i]], after[a[i]])))
		}
	}
	return verdict
}

// Otherwise says what a run said or wrote otherwise than one before it and one after it in
// the watching box, which did that the same.
func Otherwise(before, enforced, after Left) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(before)) {
		b, e := before[name], enforced[name]
		if _, ok := enforced[name]; !after[name].same(b) || ok && e.same(b) {
			continue
		}
		if p, ok := strings.CutPrefix(name, wroteTo); ok {
			list = append(list, shellword.Text(p)+" was written in the watching box, each time, and was not here")
			continue
		}
		list = append(list, fmt.Sprintf("what it wrote to %s is another text, of %d bytes; in the watching box, each time the same: of %d", name, e.Size, b.Size))
	}
	if len(list) > mostOtherwise {
		list = append(list[:mostOtherwise], fmt.Sprintf("%d more were not written", len(list)-mostOtherwise))
	}
	return list
}

// oddPlace is a folder with one name for all those in it whose own are another in each run.
func oddPlace(dir string, changes func(name string) bool) string {
	if dir == "/" || !strings.Contains(dir, "/") {
		return dir
	}
	in := oddPlace(path.Dir(dir), changes)
	if changes(dir) {
		return path.Join(in, "\x00")
	}
	return path.Join(in, path.Base(dir))
}

// telling is Telling of one thing.
func telling(before, without, after Thing) Verdict {
	switch {
	case without.same(before), without.same(after):
		return Alike
	case before.same(after), before.Kind == after.Kind && without.Kind != before.Kind:
		return Needed
	case without.Kind != after.Kind || without.Text == nil || before.Text == nil || after.Text == nil:
		return Unclear
	}
	b, ok := before.Text()
	w, okWithout := without.Text()
	a, okAfter := after.Text()
	if !ok || !okWithout || !okAfter || bytes.IndexByte(b, 0) >= 0 {
		if before.Size == without.Size && without.Size == after.Size {
			return Alike
		}
		return Unclear
	}
	return tellingText(string(b), string(w), string(a))
}

// tellingText is Telling of texts that differ by themselves. What stays the same in the two
// runs with names is to be in the one without; numbers are of whatever length.
func tellingText(before, without, after string) Verdict {
	b, w, a := strings.Split(before, "\n"), strings.Split(without, "\n"), strings.Split(after, "\n")
	if len(b) != len(a) || len(b) != len(w) {
		return Unclear
	}
	for i := range b {
		fb, fw, fa := fields(b[i]), fields(w[i]), fields(a[i])
		if len(fb) != len(fa) || len(fb) != len(fw) {
			return Unclear
		}
		for j := range fb {
			differs := fb[j] != fa[j]
			if !differs && fw[j] != fb[j] || differs && !number(fb[j], fw[j], fa[j]) && (len(fb[j]) != len(fw[j]) || len(fw[j]) != len(fa[j])) {
				return Unclear
			}
		}
	}
	return Alike
}

func fields(line string) []string {
	return strings.FieldsFunc(line, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
}

func number(words ...string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return strings.Trim(w, "0123456789") != "" })
}

// ModeOf is the Kind of a file or folder.
func ModeOf(mode fs.FileMode) string { return (mode.Type() | mode.Perm()).String() }
