package jail

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail/internal/paths"
)

// startHint is for a file that a program looks for from where it starts, and that lies
// beside a script, or another file, that it was called with: no denial tells of that,
// for where it looks nobody has one.
func (r *run) startHint(said string) string {
	missed := linesThatTellOf(said, "No such file", "ENOENT", "annot open")
	var beside []string
	for _, m := range r.plan.view.mounts {
		if dir := path.Dir(m.path); !m.dir && m.Kind == MountRO && m.path == m.Source && dir != r.startsIn() && slices.Contains(r.spec.Args, m.Target) {
			beside = append(beside, dir)
		}
	}
	if missed == "" || beside == nil {
		return ""
	}
	given := r.given()
	for _, word := range relativeNames(missed) {
		for _, dir := range beside {
			p := path.Join(dir, word)
			f, there, why := r.looks().ByWord(p, given)
			if !there || why != "" || f.Dir() || f.Real != p {
				continue
			}
			flags := "--cwd " + shellword.Quote(dir)
			if m := r.plan.view.mountAt(p); m == nil || m.Kind == MountTmpfs {
				g := r.typed(r.grantOn(f, p, paths.Read))
				if g.flags == "" {
					continue
				}
				flags = g.flags + " " + flags
			}
			return shellword.Shown(word) + " lies in " + shellword.Quote(dir) + ", and the program starts in " + shellword.Quote(r.startsIn()) + ": " + flags + " has it start there"
		}
	}
	return ""
}

// startsIn is the folder of the box's in which the program starts.
func (r *run) startsIn() string { return cmp.Or(r.spec.Dir, "/tmp") }

// relativeNames are the words of a text that look like names of files without a folder,
// or below one that is not named from the root; the first few of them.
func relativeNames(text string) (names []string) {
	const mostNames = 16
	for word := range strings.FieldsFuncSeq(text, pathname.Around) {
		name := path.Clean(word)
		if path.IsAbs(name) || strings.HasPrefix(name, "..") || strings.Trim(name, ".") == "" || !strings.ContainsAny(strings.Trim(word, "."), "./") || slices.Contains(names, name) {
			continue
		}
		if names = append(names, name); len(names) == mostNames {
			break
		}
	}
	return names
}
