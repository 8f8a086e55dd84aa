package profiles

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/seed-75010da9/jail/internal/shellword"
)

// asdfPlugin is the plugin that a shim of asdf names in a comment.
func asdfPlugin(shim string) (plugin string, ok bool) {
	for _, line := range strings.Split(shim, "\n") {
		if rest, ok := strings.CutPrefix(line, "# asdf-plugin: "); ok {
			plugin, _, _ = strings.Cut(rest, " ")
			return plugin, plugin != "" && !strings.ContainsAny(plugin, "/.")
		}
	}
	return "", false
}

// asdfVersion is the program that a shim of asdf starts: bin/NAME of a folder
// in ROOT/installs/PLUGIN, chosen by a variable, by the nearest .tool-versions
// at or above the working directory, or by the one in the caller's home.
func (b *builder) asdfVersion(plugin, root, name string) (string, error) {
	variable := "ASDF_" + strings.ToUpper(strings.ReplaceAll(plugin, "-", "_")) + "_VERSION"
	chosen, by := []string(nil), variable
	if v, ok := b.h.lookup(variable); ok {
		chosen = strings.Fields(v)
	}
	for _, file := range append(b.h.upward(".tool-versions"), filepath.Join(b.h.Home, ".tool-versions")) {
		if len(chosen) > 0 || !filepath.IsAbs(file) {
			break
		}
		for _, line := range strings.Split(string(b.choice(file, 16<<10)), "\n") {
			line, _, _ = strings.Cut(line, "#")
			if words := strings.Fields(line); len(words) > 1 && words[0] == plugin {
				chosen, by = words[1:], file
			}
		}
	}
	for _, v := range chosen {
		if v == "system" {
			return "", errNext
		}
		if v[0] == '.' || strings.Contains(v, "/") {
			continue
		}
		if path := filepath.Join(root, "installs", plugin, v, "bin", name); isExecutable(path) {
			return path, nil
		}
	}
	return "", fmt.Errorf("an installed version; asdf chooses %s for %s (%s), which has no %s", shellword.Quote(strings.Join(chosen, " ")), shellword.Quote(plugin), shellword.Quote(by), shellword.Quote(name))
}
