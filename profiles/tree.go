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
func (b *builder) tree(real string) []string {
	if prefix, ok := b.prefix(real); ok {
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
// holds nothing else: not a home or what holds one, nor a ~/.local.
func (b *builder) prefix(real string) (string, bool) {
	dir := filepath.Dir(real)
	prefix := filepath.Dir(dir)
	if filepath.Base(dir) != "bin" || filepath.Base(prefix) == ".local" {
		return "", false
	}
	if !isDir(filepath.Join(prefix, "lib")) && !isDir(filepath.Join(prefix, "lib64")) {
		return "", false
	}
	return prefix, b.mayBeRoot(prefix)
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
