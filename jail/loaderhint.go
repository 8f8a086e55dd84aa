package jail

import (
	"path"
	"strings"

	"github.com/seed-75010da9/jail/internal/pathname"
	"github.com/seed-75010da9/jail/internal/shellword"
)

// loaderHint is for a library that the dynamic loader did not find, by its words: glibc's,
// of a program and of dlopen(3), and musl's.
func (r *run) loaderHint(said string) string {
	if r.result.Reason != ReasonExecutionFailed && r.result.Reason != ReasonSignaled {
		return ""
	}
	for _, words := range []struct{ begin, end string }{{"", ": cannot open shared object file"}, {"Error loading shared library ", ": No such file or directory"}} {
		for line := range strings.Lines(linesThatTellOf(said, words.end)) {
			before, _, _ := strings.Cut(line, words.end)
			if !strings.Contains(before, words.begin) {
				continue
			}
			parts := strings.FieldsFunc(before, pathname.Around)
			if len(parts) == 0 {
				continue
			}
			if name := parts[len(parts)-1]; name == path.Base(name) { // else it was looked for in one place
				return "the dynamic loader found no " + shellword.Shown(name) + " in the box: --ro FOLDER --env LD_LIBRARY_PATH=FOLDER shows it, FOLDER being the whole path of the folder that holds it"
			}
		}
	}
	return ""
}
