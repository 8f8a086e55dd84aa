package profiles

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
func (h Host) behindShim(path, real string) (string, error) {
	if base := filepath.Base(real); base == "mise" || base == "volta-shim" || base == "rtx" {
		return "", fmt.Errorf("the interpreter itself; %s is a shim of %s: put the folder of the real one first in PATH", path, base)
	}
	if filepath.Base(filepath.Dir(real)) != "shims" || !isScript(real) {
		return "", nil
	}
	text := string(readHead(real, 16<<10))
	for _, f := range envFamilies {
		if strings.Contains(text, f.root) {
			return h.envVersion(f, filepath.Dir(filepath.Dir(real)), filepath.Base(path))
		}
	}
	return "", nil
}

// envVersion is the program that a shim of one family starts.
func (h Host) envVersion(f envFamily, root, name string) (string, error) {
	chosen, by := h.chosenVersions(f, root)
	for _, v := range chosen {
		if v == "system" {
			return "", errNext
		}
		dir := installedVersion(filepath.Join(root, "versions"), v)
		if path := filepath.Join(root, "versions", dir, "bin", name); dir != "" && isExecutable(path) {
			return path, nil
		}
	}
	return "", fmt.Errorf("an installed version; %s chooses %s (%s), which has no %s", f.name, strings.Join(chosen, ":"), by, name)
}

// chosenVersions is what the user chose, and where: the variable, the nearest
// file at or above the working directory, the global file, else the system's.
func (h Host) chosenVersions(f envFamily, root string) (versions []string, by string) {
	if v, ok := h.lookup(f.version); ok && v != "" {
		return splitVersions(v), f.version
	}
	var files []string
	if filepath.IsAbs(h.Dir) {
		for dir := filepath.Clean(h.Dir); ; dir = filepath.Dir(dir) {
			files = append(files, filepath.Join(dir, f.file))
			if dir == "/" {
				break
			}
		}
	}
	for _, file := range append(files, filepath.Join(root, "version")) {
		if !isFile(file) {
			continue
		}
		if v := splitVersions(string(readHead(file, 4<<10))); len(v) > 0 {
			return v, file
		}
	}
	return []string{"system"}, "default"
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

// installedVersion is the folder in dir for a version: the same name, else the
// newest that begins with it and a dot. A name is never a path: these files
// come with projects, and ../.. in one must not lead anywhere
// (CVE-2022-35861).
func installedVersion(dir, version string) string {
	version = strings.TrimPrefix(version, "python-")
	if version == "" || version[0] == '.' || strings.Contains(version, "/") {
		return ""
	}
	if isDir(filepath.Join(dir, version)) {
		return version
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	best := ""
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, version+".") && onlyVersion(name) && compareVersions(name, best) > 0 {
			best = name
		}
	}
	return best
}

// onlyVersion accepts v1.2.3 and 1.2.3: releases, and no other flavours.
func onlyVersion(name string) bool {
	for _, part := range strings.Split(strings.TrimPrefix(name, "v"), ".") {
		if !onlyDigits(part) {
			return false
		}
	}
	return true
}

// compareVersions orders dotted numbers.
func compareVersions(a, b string) int {
	number := func(s string) int { n, _ := strconv.Atoi(strings.TrimPrefix(s, "v")); return n }
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(x, y string) int {
		return cmp.Compare(number(x), number(y))
	})
}

// versionDirs is the folders in which version managers keep one installed
// version per subfolder.
func (h Host) versionDirs() []string {
	var dirs []string
	add := func(variable, home string, rest ...string) {
		root, ok := h.lookup(variable)
		if !ok || !filepath.IsAbs(root) {
			if h.Home == "" {
				return
			}
			root = filepath.Join(h.Home, home)
		}
		if t, err := walk(filepath.Join(append([]string{root}, rest...)...)); err == nil {
			dirs = append(dirs, t.real)
		}
	}
	add("PYENV_ROOT", ".pyenv", "versions")
	add("NODENV_ROOT", ".nodenv", "versions")
	add("NVM_DIR", ".nvm", "versions", "node")
	add("UV_PYTHON_INSTALL_DIR", ".local/share/uv/python")
	return dirs
}

// nvmDefault is the node of nvm's default alias. nvm is a shell function: in a
// process that no such shell started, PATH does not hold its choice.
func (h Host) nvmDefault() []string {
	root, ok := h.lookup("NVM_DIR")
	if !ok || !filepath.IsAbs(root) {
		if h.Home == "" {
			return nil
		}
		root = filepath.Join(h.Home, ".nvm")
	}
	versions := filepath.Join(root, "versions", "node")
	alias := "default"
	for range maxShims {
		name := strings.TrimSpace(string(readHead(filepath.Join(root, "alias", alias), 256)))
		if name == "" || strings.Contains(name, "..") {
			break
		}
		alias = name
	}
	version := "v" + strings.TrimPrefix(alias, "v")
	dir := installedVersion(versions, version)
	if path := filepath.Join(versions, dir, "bin", "node"); dir != "" && isExecutable(path) {
		return []string{path}
	}
	return nil
}
