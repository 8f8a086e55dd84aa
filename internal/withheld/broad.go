package withheld

import (
	"path"
	"slices"
	"strings"

	"github.com/seed-75010da9/jail/internal/pathname"
)

// XDG_CONFIG_HOME and its like may name a folder that is for much besides settings: a home,
// or the one that the caller works in. What is meant there is that of programs that are
// known to keep settings, keys or code in such a folder (basedir-spec).

// broad says whether a folder is one of those: one that the caller works in, or granted
// something of, is if there are no such settings in it.
func (h *Looks) broad(p string) bool {
	if slices.Contains(wholes, p) || slices.ContainsFunc(h.homes, func(home string) bool { return pathname.Below(home, p) }) {
		return true
	}
	return slices.ContainsFunc(h.around, func(at string) bool { return pathname.Below(at, p) }) &&
		!slices.ContainsFunc(settingsOf(), func(name string) bool { _, ok := h.look(path.Join(p, name)); return ok })
}

// settingsOf are the names of what such programs have there.
func settingsOf() []string {
	names := []string{"VSCodium", "alacritty", "autostart", "awesome", "containers", "direnv", "emacs", "environment.d", "fish", "git", "gtk-3.0", "gtk-4.0", "helix", "hypr", "i3", "jj", "jupyter", "kitty", "mise",
		"nvim", "pip", "pypoetry", "sway", "systemd", "tmux", "uv", "vim", "wezterm", "zed", "zsh"}
	for _, v := range homeVariables {
		for _, secret := range secrets {
			if rest, ok := strings.CutPrefix(secret, v.place+"/"); ok && strings.HasPrefix(v.variable, "XDG_") {
				name, _, _ := strings.Cut(rest, "/")
				names = append(names, name)
			}
		}
	}
	return names
}

// isSetting says whether a path from such a folder on is that of one of these, or in it, or
// hidden.
func isSetting(rest string) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(path.Clean(rest), "/"), "/")
	return strings.HasPrefix(name, ".") && name != "." || slices.Contains(settingsOf(), name)
}
