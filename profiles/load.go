package profiles

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-75010da9/jail/jail"
)

// A Profile is a decoded profile together with those that it extends. It is
// not changed after Load; many goroutines may use one.
type Profile struct {
	// Name is the name, or the path, by which the profile was asked for.
	Name string
	// Description is one line about it, or empty.
	Description string
	// Digest is "sha256:" and the hex digest over the texts of the profile and
	// those it extends, outermost parent first, each after its length.
	Digest string

	settings settings
	files    []string // absolute paths of the user's own files among those texts
}

// Limits is what the profile says about limits; a zero field says nothing.
func (p *Profile) Limits() jail.Limits { return p.settings.limits }

// Load finds a profile and decodes it. What contains a slash or ends in .toml
// is a path, anything else is the name of a built-in profile or of a file
// NAME.toml in the folder jail/profiles of the user's configuration. A user's
// file with the name of a built-in profile is an error, whichever of the two
// was meant. All that is wrong with the texts comes back at once as
// [jail.Faults].
func Load(nameOrPath string, h Host) (*Profile, error) {
	if p, ok := decodedBuiltin(nameOrPath); ok {
		if err := shadowed(nameOrPath, h); err != nil {
			return nil, jail.Faults{{Field: "profile", Value: nameOrPath, Want: err.Error()}}
		}
		return &p, nil
	}
	return decode(nameOrPath, h)
}

// decode is Load from the texts alone.
func decode(nameOrPath string, h Host) (*Profile, error) {
	chain, faults := readChain(nameOrPath, h)
	p := &Profile{Name: nameOrPath}
	sum := sha256.New()
	for _, t := range slices.Backward(chain) {
		p.settings.description = ""
		p.settings.apply(t.doc)
		faults = append(faults, t.doc.faults...)
		if t.file != "" {
			p.files = append(p.files, t.file)
		}
		io.WriteString(sum, strconv.Itoa(len(t.doc.text))+"\n")
		sum.Write(t.doc.text)
	}
	if len(faults) > 0 {
		return nil, faults
	}
	p.Description = p.settings.description
	p.Digest = "sha256:" + hex.EncodeToString(sum.Sum(nil))
	return p, nil
}

// Check reports all that is wrong with a profile file and those it extends.
func Check(path string, h Host) error {
	if !isPath(path) && !h.alone(path) {
		path = "./" + path
	}
	_, err := Load(path, h)
	return err
}

// alone says whether a word is the name of a profile, and no file here has it.
func (h Host) alone(name string) bool {
	if path, ok := h.abs(name); ok && exists(path) {
		return false
	}
	_, builtin := Source(name)
	own := h.ownProfile(name)
	return builtin || isProfileName(name) && own != "" && exists(own)
}

// Files are the absolute paths of the user's own files that the profile was read from:
// none for a built-in one.
func (p *Profile) Files() []string { return slices.Clone(p.files) }

// UserNames lists the profiles in the user's own folder, sorted; none when
// there is no such folder.
func UserNames(h Host) ([]string, error) {
	dir := h.profileDir()
	if dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("profiles: %w", err)
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".toml"); ok && !e.IsDir() {
			names = append(names, name)
		}
	}
	return names, nil
}
