package profiles

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
	"github.com/seed-75010da9/jail/jail"
)

// An envFamily is a version manager of rbenv's kind: shell scripts in
// ROOT/shims that start bin/NAME of one of ROOT/versions.
type envFamily struct {
	name    string
	root    string // variable that the shims set
	version string // variable that chooses a version
	file    string // file that chooses one, in the working directory or above
}

var envFamilies = [...]envFamily{
	{"pyenv", "PYENV_ROOT", "PYENV_VERSION", ".python-version"},
	{"nodenv", "NODENV_ROOT", "NODENV_VERSION", ".node-version"},
	{"rbenv", "RBENV_ROOT", "RBENV_VERSION", ".ruby-version"},
}

// behindShim is what stands behind a version manager's shim, or "" when path
// is none. It decides as the version manager would, without running it.
func (b *builder) behindShim(path, real string) (string, error) {
	if base := filepath.Base(real); base == "mise" || base == "volta-shim" || base == "rtx" {
		return "", fmt.Errorf("the interpreter itself; %s is a shim of %s: put the folder of the real one first in PATH", shellword.Quote(path), base)
	}
	if filepath.Base(filepath.Dir(real)) != "shims" || !isScript(real) {
		return "", nil
	}
	text := string(readHead(real, 16<<10))
	if plugin, ok := asdfPlugin(text); ok {
		return b.asdfVersion(plugin, filepath.Dir(filepath.Dir(real)), filepath.Base(path))
	}
	for _, f := range envFamilies {
		if strings.Contains(text, f.root) {
			return b.envVersion(f, filepath.Dir(filepath.Dir(real)), filepath.Base(path))
		}
	}
	return "", nil
}

// shimAlone says why a version manager's shim can't be granted as a program by
// itself, or "". It starts what lies elsewhere below its manager's folder: where
// a grant shows some of that, the caller has thought of it.
func (b *builder) shimAlone(path, real string) string {
	root := filepath.Dir(filepath.Dir(real))
	next, err := b.behindShim(path, real)
	if next == "" && err == nil || slices.ContainsFunc(b.view.mounts, func(m jail.Mount) bool { return within(root, m.Source) }) {
		return ""
	}
	why := "the program itself; " + path + " is a version manager's shim, and what it starts is not in the box: "
	for _, name := range []string{"python", "node"} {
		if strings.TrimRight(filepath.Base(path), "0123456789.") == name {
			return why + "use --profile " + name + ", which finds the real one"
		}
	}
	return why + "grant the manager's folder with --ro"
}

// envVersion is the program that a shim of one family starts.
func (b *builder) envVersion(f envFamily, root, name string) (string, error) {
	chosen, by := b.chosenVersions(f, root)
	for _, v := range chosen {
		if v == "system" {
			return "", errNext
		}
		dir := installedVersion(filepath.Join(root, "versions"), v)
		if path := filepath.Join(root, "versions", dir, "bin", name); dir != "" && isExecutable(path) {
			return path, nil
		}
	}
	return "", fmt.Errorf("an installed version; %s chooses %s (%s), which has no %s", f.name, shellword.Quote(strings.Join(chosen, ":")), shellword.Quote(by), shellword.Quote(name))
}

// chosenVersions is what the user chose, and where: the variable, the nearest
// file at or above the working directory, the global file, else the system's.
func (b *builder) chosenVersions(f envFamily, root string) (versions []string, by string) {
	if v, ok := b.h.lookup(f.version); ok && v != "" {
		return splitVersions(v), f.version
	}
	for _, file := range append(b.h.upward(f.file), filepath.Join(root, "version")) {
		if v := splitVersions(string(b.choice(file, 4<<10))); len(v) > 0 {
			return v, file
		}
	}
	return []string{"system"}, "default"
}

// upward lists a file's paths in the working directory and every folder above.
func (h Host) upward(file string) []string {
	var list []string
	for dir := range upward(filepath.Clean(h.Dir)) {
		list = append(list, filepath.Join(dir, file))
	}
	return list
}

// splitVersions reads names divided by blanks or colons, with # comments.
func splitVersions(text string) []string {
	var list []string
	for _, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		list = append(list, strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\r:", r) })...)
	}
	return list
}
