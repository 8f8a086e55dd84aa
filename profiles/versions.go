package profiles

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// installedVersion is the folder in dir for a version: the same name, else the
// newest that begins with it and a dot; "v" stands for the newest of all. A
// name is never a path: these files come with projects, and ../.. in one must
// not lead anywhere (CVE-2022-35861).
func installedVersion(dir, version string) string {
	version = strings.TrimPrefix(version, "python-")
	if version == "" || version[0] == '.' || strings.Contains(version, "/") {
		return ""
	}
	if isDir(filepath.Join(dir, version)) {
		return version
	}
	if version != "v" {
		version += "."
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	best := ""
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, version) && onlyVersion(name) && compareVersions(name, best) > 0 {
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

// isVersion says whether a path is one version's place in a version manager.
func (h Host) isVersion(path string) bool {
	return slices.Contains(h.versionDirs(), filepath.Dir(path))
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
