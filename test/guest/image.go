package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// An image is a kernel as it lies in the cache: its program, and the modules
// that a guest needs of it.
type image struct {
	kernel
	dir string
}

func (i image) program() string    { return filepath.Join(i.dir, "kernel") }
func (i image) modulesDir() string { return filepath.Join(i.dir, "modules") }

// wanted are the modules that a guest may need; a kernel has some of them built
// in, and some do not exist in every kernel.
var wanted = []string{
	"virtio", "virtio_ring", "virtio_pci_legacy_dev", "virtio_pci_modern_dev", "virtio_pci", "virtio_console",
	"fuse", "virtiofs", "overlay", "loop", "crc16", "crc32c_generic", "libcrc32c", "mbcache", "jbd2", "ext4",
}

// fetchImage answers the image of a kernel from the cache, or fills the cache.
func fetchImage(cache string, k kernel) (image, error) {
	i := image{k, filepath.Join(cache, "kernels", k.name)}
	if _, err := os.Stat(i.program()); err == nil {
		return i, nil
	}
	a, err := openArchive(filepath.Join(cache, "apt", k.name), k.sources)
	if err != nil {
		return i, err
	}
	packages, err := k.packages(a)
	if err != nil {
		return i, err
	}
	tree, err := os.MkdirTemp(cache, "tree-")
	if err != nil {
		return i, err
	}
	defer os.RemoveAll(tree)
	if err := a.unpack(tree, packages...); err != nil {
		return i, err
	}
	return i, i.fill(tree)
}

// packages are those that k comes in. Debian has divided them since 6.19.
func (k kernel) packages(a archive) ([]string, error) {
	if k.kind == uml {
		return []string{k.metapackage}, nil
	}
	whole, err := a.depends(k.metapackage, "linux-image-")
	if err != nil {
		return nil, err
	}
	if whole == "" {
		return nil, fmt.Errorf("%s depends on no linux-image-…", k.metapackage)
	}
	list := []string{whole}
	for _, part := range []string{"linux-binary-", "linux-modules-"} {
		name, err := a.depends(whole, part)
		if err != nil {
			return nil, err
		}
		if name != "" {
			list = append(list, name)
		}
	}
	return list, nil
}

// fill takes what is needed from unpacked packages. The program comes last: it
// says that all is there.
func (i image) fill(tree string) error {
	if err := os.MkdirAll(i.modulesDir(), 0o755); err != nil {
		return err
	}
	program := ""
	err := filepath.WalkDir(tree, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		base := d.Name()
		if base == "linux.uml" || strings.HasPrefix(base, "vmlinuz") {
			program = path
		}
		name, packed, ok := strings.Cut(base, ".ko")
		if !ok || !slices.Contains(wanted, strings.ReplaceAll(name, "-", "_")) {
			return nil
		}
		return unpackModule(filepath.Join(i.modulesDir(), name+".ko"), path, packed)
	})
	if err != nil {
		return err
	}
	if program == "" {
		return fmt.Errorf("%s: there is no kernel in its packages", i.name)
	}
	part := i.program() + ".part"
	if err := copyFile(part, program, 0o755); err != nil {
		return err
	}
	return os.Rename(part, i.program())
}

// unpackModule copies a module that is packed as the rest of its name says.
func unpackModule(to, from, packed string) error {
	switch packed {
	case "":
		return copyFile(to, from, 0o644)
	case ".xz":
		text, err := exec.Command("xz", "-dc", from).Output()
		if err != nil {
			return fmt.Errorf("xz -dc %s: %w", from, err)
		}
		return os.WriteFile(to, text, 0o644)
	}
	return fmt.Errorf("%s: cannot unpack %s", from, packed)
}

func copyFile(to, from string, mode os.FileMode) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, mode)
}

// initrd is the initial file system of one boot: PID 1, the modules, and the
// order.
func (i image) initrd(pid1 string, order []byte) ([]byte, error) {
	var b bytes.Buffer
	w := cpio{to: &b}
	for _, dir := range []string{"dev", "proc", "sys", "modules"} {
		w.add(entry{name: dir, mode: modeDir | 0o755})
	}
	w.add(entry{name: "dev/console", mode: modeChar | 0o600, major: 5, minor: 1})
	program, err := os.ReadFile(pid1)
	if err != nil {
		return nil, err
	}
	w.add(entry{name: "init", mode: modeFile | 0o755, content: program})
	w.add(entry{name: "order.json", mode: modeFile | 0o644, content: order})
	modules, err := filepath.Glob(filepath.Join(i.modulesDir(), "*.ko"))
	if err != nil {
		return nil, err
	}
	for _, path := range modules {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		w.add(entry{name: "modules/" + filepath.Base(path), mode: modeFile | 0o644, content: text})
	}
	w.close()
	return b.Bytes(), nil
}
