package withheld

import (
	"path/filepath"
	"strings"
	"testing"
)

// Where XDG_CONFIG_HOME names a folder that is for much besides settings, those of known
// programs are kept back, and keys, and not all that lies there; where it is for settings
// all of it is.
func TestSettingsInABroadFolder(t *testing.T) {
	for name, c := range map[string]struct {
		value, stands string
		read, write   map[string]bool // whether it is kept back
	}{
		"a home": {"me", "me/job",
			map[string]bool{"me/job": false, "me/job/x": false, "me/work/data.csv": false, "me/gh/hosts.yml": true, "me/git/credentials": true, "me/.hidden/x": true, "me": true},
			map[string]bool{"me/job/x": false, "me/work": false, "me/git/config": true, "me/fish": true, "me/systemd/user/x": true}},
		"a project": {"me/job", "me/job/sub",
			map[string]bool{"me/job/x": false, "me/job/sub": false, "me/job": false, "me/work/data.csv": false},
			map[string]bool{"me/job/x": false, "me/job/sub": false, "me/job": true, "me/work": false}},
		"settings": {"set", "me/job",
			map[string]bool{"set/any/x": true, "set": true, "me/job/x": false},
			map[string]bool{"set/any/x": true, "set/any": true, "set": true, "me/job/x": false}},
		"settings that the caller is in": {"set", "set/any",
			map[string]bool{"set/any/x": true, "set/git/config": true},
			map[string]bool{"set/any/x": true, "set/git/config": true}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := closedTree(t, "me/job/x", "me/job/sub/y", "me/work/data.csv", "me/gh/hosts.yml", "me/git/credentials", "me/git/config", "me/fish/config.fish", "me/systemd/user/x", "me/.hidden/x", "set/any/x", "set/git/config")
			t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, c.value))
			t.Chdir(filepath.Join(dir, c.stands))
			h := New()
			for written, kept := range map[bool]map[string]bool{false: c.read, true: c.write} {
				for p, want := range kept {
					if got := h.Withheld(filepath.Join(dir, p), written); (got != "") != want {
						t.Errorf("Withheld(%s, written: %v) = %q, want it kept back: %v", p, written, strings.ReplaceAll(got, dir, ""), want)
					}
				}
			}
		})
	}
}
