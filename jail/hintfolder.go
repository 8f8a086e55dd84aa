package jail

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/internal/withheld"
	"github.com/seed-75010da9/jail/jail/internal/paths"
	"golang.org/x/sys/unix"
)

// Whoever types a command in a folder means what lies there, and what the command itself
// names. A box starts in a folder of its own, which is empty, unless it is told otherwise:
// what the program misses there is looked for in the caller's (ProfileRef.Dir), and what
// the caller's own words name is looked for where they say.

// A search is one for what a program says that it misses.
type search struct {
	r     *run
	at    string   // the caller's folder
	typed []string // the words of the command's arguments
	asked []string // those, and the paths in its script or source
	names []string // what may be missed where the program starts
	// writes says that the program's words are of writing.
	writes bool
}

// folderHint is for what a program misses that the caller named, or that lies in his folder.
func (r *run) folderHint(said string) string {
	if r.spec.Profile == nil || !path.IsAbs(r.spec.Profile.Dir) {
		return ""
	}
	s := search{r: r, at: r.spec.Profile.Dir, writes: saysItWrites(said)}
	for _, arg := range r.spec.Args[1:] {
		s.typed = append(s.typed, wordsIn(arg)...)
	}
	s.asked = slices.Concat(s.typed, wordsIn(r.asked), r.scriptPaths())
	if r.asked != "" { // a source, which may be an argument as well
		s.typed = nil
	}
	missed := linesThatTellOf(said, "No such file", "ENOENT", "annot open", "annot find", "ot found", "ould not find", "ouldn't find", "annot access", "nable to open", "oes not exist", "oesn't exist")
	for _, word := range wordsIn(missed) {
		if hint := s.take(word); hint != "" {
			return hint
		}
	}
	for _, word := range wordsIn(linesThatTellOf(said, "Read-only file system", "EROFS", "annot create", "annot touch", "annot make", "Directory nonexistent")) {
		if hint := s.readOnly(word); hint != "" {
			return hint
		}
	}
	if r.spec.Dir != "" { // somebody chose it
		return ""
	}
	if tellsOf(said, "no makefile found", "No rule to make target") {
		s.names = append(s.names, "Makefile", "makefile")
	}
	if tellsOf(said, "not a git repository") {
		s.names = append(s.names, ".git")
	}
	return s.inFolder(said)
}

// wordsIn are the words of a text that may be names, the first of them.
func wordsIn(text string) (list []string) {
	const mostWords, mostText = 256, 32 << 10
	for word := range strings.FieldsFuncSeq(text[:min(len(text), mostText)], pathname.Around) {
		if list = append(list, word); len(list) == mostWords {
			break
		}
	}
	return list
}

// take is the hint for a word of what is missed, or notes it.
func (s *search) take(word string) string {
	name := path.Clean(word)
	switch asked := slices.Contains(s.asked, word); {
	case path.IsAbs(name):
		if path.Dir(name) == s.r.startsIn() && !asked {
			s.names = append(s.names, path.Base(name))
		}
		want := paths.Read
		if s.writes {
			want = paths.Write
		}
		return cmp.Or(s.named(word, want), s.unmade(word))
	case strings.HasPrefix(name, "..") || name == ".":
	case asked || strings.ContainsAny(strings.Trim(word, "."), "./"):
		s.names = append(s.names, name)
	}
	return ""
}

// named is the hint for a path of the caller's own words that the host has and the box has
// not. Of a path in a script whether the host has it is not told.
func (s *search) named(word string, want paths.Want) string {
	if !path.IsAbs(word) || !slices.Contains(s.asked, word) || want != paths.Make && !slices.Contains(s.typed, word) {
		return ""
	}
	return s.way(path.Clean(word), want)
}

// way is named of such a path.
func (s *search) way(p string, want paths.Want) string {
	if m := s.r.plan.view.mountAt(p); m != nil && m.Kind != MountTmpfs {
		return "" // others tell of what is there
	}
	ref := &pathRefusal{asked: p, want: want, errno: unix.ENOENT}
	if want == paths.Make {
		ref.errno, ref.real = unix.EROFS, p
	}
	if g, ok := s.r.grantOfPath(ref); ok && g.flags != "" && g.flag != "--tmpfs" {
		return shellword.Shown(p) + " is not in the box: " + g.wayOut()
	}
	return ""
}

// inFolder is the hint for what lies in the caller's folder, and is missed where the
// program starts. Of a folder that no hint names it is the same whether it lies there.
func (s *search) inFolder(said string) string {
	r, own := s.r, shellword.Quote(s.r.startsIn())
	f, ok := r.looks().At(s.at)
	if !ok || !f.Dir() || f.Real != s.at {
		return ""
	}
	if name := s.granted(); name != "" {
		return shellword.Shown(name) + " is granted where it lies, and the program started in " + own + ", which is the box's own, and not in the folder that you are in: --cwd . has it start there"
	}
	if r.looks().Why(f, withheld.Read) != "" {
		if len(s.names) == 0 || r.looks().Over() {
			return ""
		}
		return "the program started in " + own + ", which is the box's own and was empty, and not in the folder that you are in: --ro FILE --cwd . shows it a file and has it start there (--ro FILE alone does for one that is named by its absolute path), and --workspace FOLDER shows it a folder, in which it starts"
	}
	places := make([]string, 0, len(s.names))
	for _, name := range s.names {
		places = append(places, path.Join(s.at, name))
	}
	for _, p := range append(places, s.modules(said)...) {
		if _, there, why := r.looks().ByWord(p, []string{s.at}); there && why == "" {
			return shellword.Shown(strings.TrimPrefix(p, s.at+"/")) + " lies in the folder that you are in, and the program started in " + own + ", which is the box's own: " + s.ways(f)
		}
	}
	return ""
}

// granted is what is missed that the box has in the place where the caller's folder has it,
// or "".
func (s *search) granted() string {
	for _, name := range s.names {
		p := path.Join(s.at, name)
		m := s.r.plan.view.mountAt(p)
		if m == nil || m.Kind != MountRO && m.Kind != MountRW {
			continue
		}
		if _, there := s.r.looks().At(m.source(p)); there {
			return name
		}
	}
	return ""
}

// modules are where those that the program misses may lie.
func (s *search) modules(said string) (list []string) {
	for _, m := range missedModules {
		_, rest, _ := strings.Cut(said, m.before)
		if name, _, ok := strings.Cut(rest, m.after); ok && name != "" && len(name) <= unix.NAME_MAX && !path.IsAbs(name) && !strings.HasPrefix(name, "'") {
			list = append(list, m.places(s.at, name)...)
		}
	}
	return list
}

// ways are the flags that have a program start in a folder, to read there and to write.
func (s *search) ways(f withheld.File) string {
	read, write := s.r.typed(s.r.grantOn(f, f.Real, paths.Read)), s.r.typed(s.r.grantOn(f, f.Real, paths.Make))
	if read.flags == "" {
		return "--workspace FOLDER shows it a folder, in which it starts"
	}
	at := shellword.Quote(f.Real)
	words := read.flags + " --cwd " + at + " has it start there, to read"
	if write.flags != "" {
		words += ", and --workspace " + at + " in place of both to write there as well"
		if write.opens != "" {
			words += ", which opens " + write.opens
		}
	}
	return words
}
