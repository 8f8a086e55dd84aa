package jail

import (
	"slices"
	"strconv"
	"strings"
)

// What a program itself says of its failure is its own word, and may be of anything:
// it decides nothing, and chooses among what is known otherwise.

// Heed is for who knows better than from stderr what a program said of its failure,
// such as what a runner says was thrown: where that names a file that was refused,
// message and hint tell of it, and where it tells of another one, the hint says how
// to find out. It changes nothing where something likelier is known, or nothing failed.
func (res *Result) Heed(said string) {
	if res.Reason != ReasonExecutionFailed || slices.ContainsFunc(res.Denials, func(d Denial) bool { return d.Likely }) {
		return
	}
	for i := range res.Denials {
		d := &res.Denials[i]
		if d.Errno == "" || !named(*d, said) {
			continue
		}
		d.Likely = true
		res.Message, res.Hint = res.Message+", and it was refused "+d.inWords(), d.wayOut()
		return
	}
	if files := res.fileHint("error", said); files != "" {
		res.Hint = files
	}
}

// saidOnStderr is the text of what was kept of stderr.
func (res *Result) saidOnStderr() string {
	if res.Stderr.Encoding != "" {
		return ""
	}
	return res.Stderr.Text + res.Stderr.Tail
}

// tellsOfHosts says whether a text is one of programs that found no host. getaddrinfo(3)
// has the words of most (gai_strerror(3)).
func tellsOfHosts(said string) bool {
	return slices.ContainsFunc([]string{"Name or service not known", "name resolution", "Failed to establish a new connection", "resolve host"},
		func(words string) bool { return strings.Contains(said, words) })
}

// named says whether a text names the file of a denial.
func named(d Denial, said string) bool {
	_, quoted, ok := strings.Cut(d.What, ` "`)
	if !ok {
		return false
	}
	path, err := strconv.Unquote(`"` + quoted)
	return err == nil && strings.HasPrefix(path, "/") && strings.Contains(said, path)
}

const (
	notShown   = "a box has of the host's files what its profile, --ro, --rw or --workspace shows"
	notGranted = "a box writes to its /tmp and to what --rw or --workspace shows"
	noPackage  = "a box has the packages that its profile, --ro, --rw or --workspace shows"
)

// fileHint is for a program whose last words are of a file, where nobody looks at
// files; where says in what it said so.
func (res *Result) fileHint(where, said string) string {
	if res.Reason == ReasonTimeout || res.Observed == nil || slices.Contains(res.Observed.Sources, sourceTrace) {
		return ""
	}
	for _, word := range []struct{ says, of, means string }{
		{"ModuleNotFoundError", "a module", noPackage}, {"MODULE_NOT_FOUND", "a module", noPackage}, {"Cannot find module", "a module", noPackage},
		{"Read-only file system", "a file", notGranted}, {"EROFS", "a file", notGranted},
		{"Permission denied", "a file", ""}, {"EACCES", "a file", ""},
		{"No such file or directory", "a file", notShown}, {"ENOENT", "a file", notShown},
		{"Directory nonexistent", "a file", notShown}, {"No such file", "a file", notShown}, // dash's words
	} {
		if strings.Contains(said, word.says) {
			return "its " + where + " tells of " + word.of + " (" + word.says + "): " +
				joined(word.means, "with --trace the record names what of files it was refused, and what allows that")
		}
	}
	return ""
}
