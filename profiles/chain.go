package profiles

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail"
)

const (
	// maxDepth bounds how many profiles may extend one another.
	maxDepth = 8
	// maxText bounds one profile file, in bytes.
	maxText = 64 << 10
)

// A link of a chain of profiles.
type chainLink struct {
	doc  *document
	file string // absolute path, empty for built-in ones
	dir  string // the folder from which it names others
}

// readChain reads a profile and those it extends, the profile first. On a fault
// it returns what it has read so far, whose own faults are to be seen as well.
func readChain(name string, h Host) ([]chainLink, jail.Faults) {
	var chain []chainLink
	var seen []string
	field, dir := "profile", h.Dir
	for {
		link, id, err := readText(name, dir, h)
		if err != nil {
			return chain, jail.Faults{{Field: field, Value: name, Want: err.Error()}}
		}
		if slices.Contains(seen, id) {
			return chain, jail.Faults{{Field: field, Value: name, Want: "profiles that don't extend one another in a circle: " +
				strings.Join(append(seen, id), " extends ")}}
		}
		chain, seen = append(chain, link), append(seen, id)
		var head settings
		line := 0
		for _, e := range link.doc.entries {
			if len(e.path) == 1 && e.path[0] == "extends" && e.v.string(&head.extends) {
				line = e.line
			}
		}
		if head.extends == "" {
			return chain, nil
		}
		field = fmt.Sprintf("%s:%d: extends", link.doc.name, line)
		if len(chain) == maxDepth {
			return chain, jail.Faults{{Field: field, Value: head.extends, Want: fmt.Sprintf("at most %d profiles that extend one another", maxDepth)}}
		}
		name = head.extends
		if link.file != "" {
			dir = link.dir
		}
	}
}

// readText reads one profile. The id is the same for the same profile.
func readText(name, dir string, h Host) (link chainLink, id string, err error) {
	if isPath(name) {
		path := name
		switch {
		case filepath.IsAbs(name):
		case dir == "":
			return link, "", errors.New("an absolute path, because the working directory is gone")
		default:
			path = dir + "/" + name
		}
		return readFile(path, name)
	}
	if !isProfileName(name) {
		return link, "", errors.New(wantName + "; " + known(name, h))
	}
	own := h.ownProfile(name)
	if text, ok := Source(name); ok {
		if err := shadowed(name, h); err != nil {
			return link, "", err
		}
		return chainLink{doc: parseDocument(name, []byte(text))}, name, nil
	}
	if own == "" {
		return link, "", errors.New(wantName + "; " + known(name, h))
	}
	link, id, err = readFile(own, own)
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New(wantName + "; " + known(name, h))
	}
	return link, id, err
}

// ownProfile is where the user's profile of a name would be, or "".
func (h Host) ownProfile(name string) string {
	if dir := h.profileDir(); dir != "" {
		return filepath.Join(dir, name+".toml")
	}
	return ""
}

// shadowed reports a user's profile with the name of a built-in one.
func shadowed(name string, h Host) error {
	own := h.ownProfile(name)
	if own == "" {
		return nil
	}
	if _, err := os.Lstat(own); err != nil {
		return nil
	}
	return fmt.Errorf("a name that stands for one profile; %s has the name of a built-in one, rename it", shellword.Quote(own))
}

// readFile reads a profile file. Only regular files are: a FIFO or a device in
// its place would make jail wait.
func readFile(path, shown string) (link chainLink, id string, err error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return link, "", fmt.Errorf("a readable profile file: %w", err)
	}
	f, err := os.OpenFile(real, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return link, "", fmt.Errorf("a readable profile file: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return link, "", errors.New("a profile file; this is not a regular file")
	}
	text, err := io.ReadAll(io.LimitReader(f, maxText+1))
	if err != nil {
		return link, "", fmt.Errorf("a readable profile file: %w", err)
	}
	if len(text) > maxText {
		return link, "", errors.New("a profile file of at most 64 KiB")
	}
	return chainLink{doc: parseDocument(shown, text), file: path, dir: filepath.Dir(real)}, real, nil
}

// known names what could have been meant: first what a name begins or ends as, as nodejs,
// python3 and bash do.
func known(name string, h Host) string {
	names := Names()
	if own, err := UserNames(h); err == nil {
		names = append(names, own...)
	}
	there := "there is " + strings.Join(names, ", ")
	for _, n := range names {
		if name != "" && (strings.HasPrefix(name, n) || strings.HasSuffix(name, n) || len(name) > 1 && strings.HasPrefix(n, name)) {
			return "did you mean " + shellword.Quote(n) + "? " + there
		}
	}
	return there
}
