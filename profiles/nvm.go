package profiles

import (
	"path/filepath"
	"strings"
)

// nvmDefault is the node of nvm's default alias, or "". nvm is a shell
// function: in a process that no such shell started, PATH lacks its choice.
func (b *builder) nvmDefault() string {
	root, ok := b.h.lookup("NVM_DIR")
	if !ok || !filepath.IsAbs(root) {
		if b.h.Home == "" {
			return ""
		}
		root = filepath.Join(b.h.Home, ".nvm")
	}
	alias := "default"
	for range maxShims {
		text := strings.TrimSpace(string(b.choice(filepath.Join(root, "alias", alias), 256)))
		if text == "" || strings.Contains(text, "..") {
			break
		}
		alias = text
	}
	version := "v" + strings.TrimPrefix(alias, "v")
	if alias == "node" || alias == "stable" {
		version = "v" // the newest of all
	}
	versions := filepath.Join(root, "versions", "node")
	dir := installedVersion(versions, version)
	if path := filepath.Join(versions, dir, "bin", "node"); dir != "" && isExecutable(path) {
		return path
	}
	return ""
}
