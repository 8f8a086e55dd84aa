package jail

import (
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/internal/withheld"
	"github.com/seed-75010da9/jail/jail/internal/paths"
	"golang.org/x/sys/unix"
)

// The caller's own words are those of the command, of a source on stdin, and of the script
// that the command names, as it was before the run: a path in them is looked for where they
// say. But a script is often a stranger's, who gets to read the record: of a path in one the
// hint is the same whether the host has it or not, and names its folder.

// scriptPaths are the first paths in the script of the command.
func (r *run) scriptPaths() (list []string) {
	const longest, mostPaths = 64 << 10, 256
	for _, arg := range r.spec.Args {
		from := []string{arg}
		if !path.IsAbs(arg) {
			from = []string{path.Join(r.startsIn(), arg), path.Join(r.spec.Profile.Dir, arg)}
		}
		for _, p := range from {
			m := r.plan.view.mountAt(path.Clean(p))
			if m == nil || m.Kind != MountRO && m.Kind != MountRW {
				continue
			}
			f, ok := r.looks().At(m.source(path.Clean(p)))
			text := ""
			if !ok || f.Mode&unix.S_IFMT != unix.S_IFREG || f.Never != "" ||
				!r.looks().Bounded(func() { text = r.textBefore(f.Real, longest) }) || !utf8.ValidString(text) || strings.HasPrefix(text, "\x7fELF") {
				continue
			}
			for word := range strings.FieldsFuncSeq(text, pathname.Around) {
				if strings.Contains(word, "/") && !slices.Contains(list, word) && len(list) < mostPaths {
					list = append(list, word)
				}
			}
			return list
		}
	}
	return nil
}

// textBefore is what is in a file that nobody has changed since the run began, or "": what
// the box may write to would be the program's word.
func (r *run) textBefore(real string, longest int64) string {
	const tick = 10 * time.Millisecond // by which times of files are late at most
	unchanged := func() bool {
		var st unix.Stat_t
		return unix.Lstat(real, &st) == nil && time.Unix(st.Ctim.Unix()).Before(r.started.Add(-tick))
	}
	text, err := withheld.FileText(real, longest)
	if err != nil || r.looks().Writes(real) && !unchanged() {
		return ""
	}
	return text
}

// saysItWrites says whether a program's words show that it was to write: the line of a trace
// that opens a file in such a mode, or calls what is called so.
func saysItWrites(said string) bool {
	if tellsOf(said, "writeFile", "appendFile", "createWriteStream", ".write_text(", ".write_bytes(", "mkdir", "makedirs") {
		return true
	}
	for line := range strings.Lines(said) {
		if opensToWrite(line) {
			return true
		}
	}
	return false
}

// opensToWrite says whether a line calls what opens a file, as open or openSync, with a mode
// for writing among its arguments.
func opensToWrite(line string) bool {
	for _, rest, ok := strings.Cut(line, "open"); ok; _, rest, ok = strings.Cut(rest, "open") {
		name, args, isCall := strings.Cut(rest, "(")
		if !isCall || strings.Trim(name, shellword.NameLetters) != "" {
			continue
		}
		quoted := strings.Split(strings.ReplaceAll(args, `"`, "'"), "'")
		for _, word := range quoted[1:max(len(quoted)-1, 1)] {
			if at := strings.IndexAny(word, "wax+"); at >= 0 && strings.Trim(word[:at], "rbt") == "" && strings.Trim(word[at+1:], "bt+") == "" {
				return true
			}
		}
	}
	return false
}

// unmade is the hint for a path that the command names and neither the box nor the host has,
// and for one of the caller's other words, in a folder that the host has.
func (s *search) unmade(word string) string {
	p := path.Clean(word)
	if m := s.r.plan.view.mountAt(p); !path.IsAbs(p) || m != nil && m.Kind != MountTmpfs {
		return ""
	}
	if slices.Contains(s.typed, word) {
		if _, there := s.r.looks().At(p); there || s.r.looks().Over() {
			return ""
		}
		if flags, opens := s.grant(path.Dir(p), p, paths.Make, unix.ENOENT); flags != "" {
			way := flags + " lets the program make it there"
			if !s.writes {
				way = "if the program was to make it, " + flags + " lets it"
			}
			return shellword.Shown(p) + " is neither in the box nor on the host: " + way + opens
		}
		return ""
	}
	// A name in a folder that they have: whether the host has the file is nobody's to ask.
	dir := path.Dir(p)
	if !slices.ContainsFunc(s.asked, func(word string) bool { return path.Clean(word) == dir || path.Dir(path.Clean(word)) == dir }) {
		return ""
	}
	if f, ok := s.r.looks().At(dir); !ok || !f.Dir() {
		return ""
	}
	want, does := paths.Read, " shows what is there"
	if s.writes {
		want, does = paths.Make, " has the program write there"
	}
	if flags, opens := s.grant(dir, p, want, unix.ENOENT); flags != "" {
		return shellword.Shown(p) + " lies in a folder that the box does not show: " + flags + does + opens
	}
	return ""
}

// grant are the flags that grant a folder for what lies at p, or "", with what they open.
func (s *search) grant(dir, p string, want paths.Want, errno unix.Errno) (flags, opens string) {
	ref := &pathRefusal{asked: p, want: want, errno: errno}
	if want == paths.Read {
		ref.asked = dir
	}
	if g, ok := s.r.grantOfPath(ref); ok && g.flag != "--tmpfs" && !strings.HasPrefix(g.flags, "without ") {
		return g.flags, Denial{Opens: g.opens}.opening(", and opens ")
	}
	return "", ""
}

// readOnly is the hint for a path that a program found read-only: in what was granted so,
// or, of the caller's own words, where the box has nothing of the host's.
func (s *search) readOnly(word string) string {
	r, p := s.r, path.Clean(word)
	if !path.IsAbs(p) {
		p = path.Join(r.startsIn(), word)
	}
	if m := r.plan.view.mountAt(p); m != nil && m.Kind == MountRO && strings.ContainsAny(word, "./") {
		g, ok := r.grantOfPath(&pathRefusal{asked: p, real: p, want: paths.Make, errno: unix.EROFS})
		if ok && g.flags != "" {
			return shellword.Shown(p) + " lies in what is granted read-only: " + g.wayOut()
		}
		return ""
	}
	if path.IsAbs(word) {
		return s.named(s.meant(word), paths.Make)
	}
	if !strings.HasPrefix(path.Clean(word), "../") || !slices.Contains(s.asked, word) {
		return ""
	}
	if r.spec.Dir != "" {
		return s.way(p, paths.Make)
	}
	// From the folder that the caller is in, which the program did not start in.
	p = path.Join(s.at, word)
	if f, ok := r.looks().At(path.Dir(p)); ok && f.Dir() && f.Real == path.Dir(p) && pathname.Below(s.at, f.Real) {
		if g := r.typed(r.grantOn(f, f.Real, paths.Make)); g.flags != "" {
			return shellword.Shown(word) + " is meant from where the program starts, which is " + shellword.Quote(r.startsIn()) + ", the box's own, and not the folder that you are in: " +
				g.flags + " --cwd " + shellword.Quote(s.at) + " has it start there, and write to " + shellword.Quote(f.Real) + Denial{Opens: g.opens}.opening(", and opens ")
		}
	}
	return ""
}

// meant is a path of the caller's own words for one that lies above it, which whoever makes
// a folder with those around it begins with.
func (s *search) meant(word string) string {
	above := func(asked string) bool {
		p := path.Clean(asked)
		return path.IsAbs(asked) && p != path.Clean(word) && pathname.Below(p, path.Clean(word)) && s.r.plan.view.mountAt(p) == nil
	}
	if i := slices.IndexFunc(s.asked, above); i >= 0 && !slices.Contains(s.asked, word) {
		return s.asked[i]
	}
	return word
}
