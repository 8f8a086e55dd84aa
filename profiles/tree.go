package profiles

import (
	"os"
	"path/filepath"
	"strings"
)

// tree is what an interpreter outside the system's folders is made of: its
// installation prefix when it has one of its own, else as little as it needs.
//
// The program is bin/NAME below its prefix, and its libraries are in lib: that
// holds for pyenv, nvm, conda, the standalone Python builds and what make
// install makes. A prefix that others share, such as ~/.local, is not granted.
func (h Host) tree(real string) []string {
	if prefix, ok := h.prefix(real); ok {
		return []string{prefix}
	}
	roots := []string{real}
	if filepath.Base(filepath.Dir(real)) != "bin" {
		return roots
	}
	prefix, base := filepath.Dir(filepath.Dir(real)), filepath.Base(real)
	for _, lib := range [...]string{"lib", "lib64"} {
		// python3.11 has its standard library in lib/python3.11, and on
		// some systems its core in lib/libpython3.11.so.1.0.
		if path := filepath.Join(prefix, lib, base); strings.HasPrefix(base, "python") && isDir(path) {
			roots = append(roots, path)
		}
		roots = append(roots, libpython(filepath.Join(prefix, lib), base)...)
	}
	return roots
}

// prefix is the installation prefix of a program bin/NAME, if it has one that
// holds nothing else: not the caller's home or what holds that, nor ~/.local.
func (h Host) prefix(real string) (string, bool) {
	dir := filepath.Dir(real)
	if filepath.Base(dir) != "bin" {
		return "", false
	}
	prefix := filepath.Dir(dir)
	if prefix == "/" || !isDir(filepath.Join(prefix, "lib")) && !isDir(filepath.Join(prefix, "lib64")) {
		return "", false
	}
	if h.Home != "" {
		home := h.Home
		if t, err := walk(home); err == nil {
			home = t.real
		}
		if within(prefix, home) || prefix == filepath.Join(home, ".local") {
			return "", false
		}
	}
	return prefix, true
}

// libpython lists the shared libraries of one Python in a folder.
func libpython(dir, base string) []string {
	if !strings.HasPrefix(base, "python3.") {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var list []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "lib"+base+".so") || strings.HasPrefix(e.Name(), "lib"+base+"m.so") {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	return list
}
