package jail

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/internal/shellword"
)

// What a program itself says of its failure is its own word, and may be of anything:
// it decides nothing, and chooses among what is known otherwise, but for the reason of a
// program that aborted in a heap of a given size (heapFull).

// Heed is for who knows better than from stderr what a program said of its failure,
// such as what a runner says was thrown: where that names a file that was refused,
// message and hint tell of it, and where it tells of another one, the hint says how
// to find out. Where the words are of a file, and none of the program's is of a connection,
// a socket that was refused is blamed no longer. It changes nothing where something
// likelier is known, or nothing failed.
func (res *Result) Heed(said string) {
	said = endsOf(said)
	trace := ""
	if res.Error != nil {
		trace = endsOf(res.Error.Trace)
	}
	if w := wordsOf(said); w.ofFiles() {
		res.acquit(wordsOf(res.saidOnStderr() + "\n" + trace + "\n" + said))
	}
	if res.Reason != ReasonExecutionFailed || slices.ContainsFunc(res.Denials, func(d Denial) bool { return d.Likely }) {
		return
	}
	w := wordsOf(said)
	for i := range res.Denials {
		d := &res.Denials[i]
		if d.Errno == "" || !w.name(*d) {
			continue
		}
		d.Likely = true
		res.Message, res.Hint = res.Message+", and it was refused "+d.inWords(), d.wayOut()
		return
	}
	if name := cmp.Or(notStarted(said), notStarted(trace)); name != "" {
		res.Hint = "the program found no " + shellword.Shown(name) + " in the PATH of the box: " + startedByPath
		return
	}
	hint := cmp.Or(res.elsewhere, res.limitHint(said, nil), res.hostHint(said), res.fileHint("error", said))
	if d, s := suspects(res.Denials, w); hint == "" && s == lookup {
		hint = d.lookupHint(said)
	}
	res.Hint = cmp.Or(hint, res.Hint)
}

// mostSaid is how many bytes of a program's words are looked into: each of them is, for
// each denial, and how many there are is the program's choice (Limits.Output).
const mostSaid = 64 << 10

// endsOf is a text, or of a long one how it begins and how it ends.
func endsOf(said string) string {
	if len(said) <= mostSaid {
		return said
	}
	return said[:mostSaid/2] + "\n" + said[len(said)-mostSaid/2+1:]
}

// saidOnStderr is the text of what was kept of stderr, as far as it is looked into.
func (res *Result) saidOnStderr() string {
	if res.Stderr.Encoding != "" {
		return ""
	}
	return endsOf(endsOf(res.Stderr.Text) + endsOf(res.Stderr.Tail))
}

// tellsOfHosts says whether a text is one of programs that found no host, or no way to
// it. getaddrinfo(3) has the words of most (gai_strerror(3)). Those that are to speak TLS
// may first look for whom to trust, as pip and curl do.
func tellsOfHosts(said string) bool {
	return tellsOf(said, "Name or service not known", "name resolution", "Failed to establish a new connection", "resolve host", "getaddrinfo", "no such host",
		"Network is unreachable", "ENETUNREACH", "CA certificate bundle", "error setting certificate", "failure resolving", "UnknownHost", "lookup address information")
}

func tellsOf(said string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(said, w) })
}

// pathOf is the path that a denial is about, or "".
func pathOf(d Denial) string {
	_, quoted, ok := strings.Cut(d.What, ` "`)
	if p, err := strconv.Unquote(`"` + quoted); ok && err == nil && strings.HasPrefix(p, "/") {
		return p
	}
	return ""
}

// words are what a program said, and the lines of it that tell of a file which is missed
// or refused.
type words struct{ all, missed string }

func wordsOf(said string) words {
	return words{said, linesThatTellOf(said, "No such file", "ENOENT", "annot ", "ermission denied", "EACCES", "Read-only file", "EROFS", "not found")}
}

// ofFiles says whether words tell of a file or a module that was missed or refused.
func (w words) ofFiles() bool {
	return tellsOf(w.all, "No such file", "ENOENT", "ermission denied", "EACCES", "Read-only file", "EROFS", "No module named", "Cannot find module")
}

// ofNetwork says whether words may be of a connection, whatever else they are of.
func (w words) ofNetwork() bool {
	return tellsOfHosts(w.all) || w.ofFamilies() || tellsOf(w.all, "onnect", "etwork", "ocket", "fetch failed", "Address family")
}

// ofFamilies says whether words name the error of a socket that there is none of. libuv has
// no name for it.
func (w words) ofFamilies() bool {
	return tellsOf(w.all, "EAFNOSUPPORT", "Address family not supported", "system error 97")
}

// name says whether words name the file of a denial: by its path, or, where they tell of
// a file that is missed, by the end of that, as from a folder that the program was in.
func (w words) name(d Denial) bool {
	p := pathOf(d)
	if p == "" {
		return false
	}
	for rest, at := w.all, strings.Index(w.all, p); at >= 0; at = strings.Index(rest, p) {
		if rest = rest[at+len(p):]; rest == "" || !inPath(rest) {
			return true
		}
	}
	const mostTries = 512 // of words that have the file's name in them
	rest, name := w.missed, path.Base(p)
	for range mostTries {
		at := strings.Index(rest, name)
		if at < 0 {
			return false
		}
		from, to := max(0, at-unix.PathMax), min(len(rest), at+unix.PathMax)
		if n := strings.LastIndexFunc(rest[from:at], pathname.Around); n >= 0 {
			_, size := utf8.DecodeRuneInString(rest[from+n:])
			from += n + size
		}
		if n := strings.IndexFunc(rest[at:to], pathname.Around); n >= 0 {
			to = at + n
		}
		if endsIn(p, rest[from:to]) {
			return true
		}
		rest = rest[max(to, at+len(name)):]
	}
	return false
}

// inPath says whether a path that a text names goes on with rest.
func inPath(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return !pathname.Around(r) && (r != '.' || len(rest) > 1 && !pathname.Around(rune(rest[1])))
}

// endsIn says whether a path ends in a word that is a relative one.
func endsIn(p, word string) bool {
	word = path.Clean(word)
	for strings.HasPrefix(word, "../") {
		word = word[len("../"):]
	}
	return word != "." && word != ".." && strings.HasSuffix(p, "/"+word)
}

const (
	notShown   = "a box has of the host's files what its profile, --ro, --rw or --workspace shows"
	notGranted = "a box writes to its /tmp and to what --rw or --workspace shows"
	noPackage  = "a box has the packages that its profile, --ro, --rw or --workspace shows"
)

// hostHint is for a program whose last words are of a host.
func (res *Result) hostHint(said string) string {
	if res.Reason == ReasonTimeout || !tellsOfHosts(said) && !tellsOf(said, "No matching distribution found") {
		return ""
	}
	return noNetwork
}

// fileHint is for a program whose last words are of a file or a module that no denial
// tells of: where nobody looks at files, or what it wanted the host has not either;
// where says in what it said so.
func (res *Result) fileHint(where, said string) string {
	if res.Reason == ReasonTimeout || res.Observed == nil {
		return ""
	}
	traced := slices.Contains(res.Observed.Sources, sourceTrace)
	for _, word := range []struct{ says, of, means string }{
		{"ModuleNotFoundError", "a module", noPackage}, {"MODULE_NOT_FOUND", "a module", noPackage}, {"Cannot find module", "a module", noPackage},
		{"Read-only file system", "a file", notGranted}, {"EROFS", "a file", notGranted},
		{"Permission denied", "a file", ""}, {"EACCES", "a file", ""},
		{"No such file or directory", "a file", notShown}, {"ENOENT", "a file", notShown},
		{"Directory nonexistent", "a file", notShown}, {"No such file", "a file", notShown}, // dash's words
	} {
		if !strings.Contains(said, word.says) || traced && word.means == "" {
			continue
		}
		name := about(said, word.says)
		if word.means == noPackage {
			name = cmp.Or(aboutModule(said), name)
		}
		tells := "its " + where + " tells of " + word.of + " (" + word.says + name + "): "
		if traced {
			return tells + word.means
		}
		return tells + joined(word.means, "with --trace the record names what of files it was refused, and what allows that")
	}
	return ""
}

// aboutModule is about of a module or a package.
func aboutModule(said string) string {
	for _, words := range missedModules {
		_, rest, _ := strings.Cut(said, words.before)
		if name, _, ok := strings.Cut(rest, words.after); ok && name != "" && len(name) <= unix.PathMax && !strings.HasPrefix(name, "'") {
			return ": " + shellword.Shown(name)
		}
	}
	return ""
}

// about is the file that the last line with some words and a name tells of, as a part of a
// sentence, or "". It is the program's word alone: nobody looks whether the host has it.
func about(said, words string) string {
	name := ""
	for line := range strings.Lines(linesThatTellOf(said, words)) {
		for word := range strings.FieldsFuncSeq(line, pathname.Around) {
			if bare := strings.Trim(word, "./"); bare != "" && (strings.HasPrefix(word, "/") || strings.ContainsAny(bare, "./")) {
				name = word
			}
		}
	}
	if name == "" {
		return ""
	}
	return ": " + shellword.Shown(name)
}
