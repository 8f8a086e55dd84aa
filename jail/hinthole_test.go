package jail

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/internal/withheld"
)

// What was cut out of a grant stays out: no hint of a denial, or of what a program says,
// opens it, by its own path or by another.
func TestHolesAreNotHintedOpen(t *testing.T) {
	needListener(t)
	dir := closedTree(t, "ws/git/hooks/x", "ws/kept/inner", "ws/data.txt", "ws/sub/x", "other/x")
	at := strings.NewReplacer("DIR", dir)
	rw := func(p string) Mount { return Mount{Kind: MountRW, Source: at.Replace(p), Target: at.Replace(p)} }
	for name, c := range map[string]struct {
		script string
		view   []Mount
		hole   string // which the hint says is the caller's
		grant  string // or what else is hinted
	}{
		"making a file":              {script: "echo p >DIR/ws/git/hooks/y", view: []Mount{rw("DIR/ws"), ro(dir+"/ws/git/hooks", dir+"/ws/git/hooks")}, hole: "--ro DIR/ws/git/hooks"},
		"below the folder":           {script: "mkdir DIR/ws/git/hooks/y", view: []Mount{rw("DIR/ws"), ro(dir+"/ws/git", dir+"/ws/git")}, hole: "--ro DIR/ws/git"},
		"a file":                     {script: "echo x >>DIR/ws/data.txt", view: []Mount{rw("DIR/ws"), ro(dir+"/ws/data.txt", dir+"/ws/data.txt")}, hole: "--ro DIR/ws/data.txt"},
		"reading an emptied folder":  {script: "cat DIR/ws/kept/inner", view: []Mount{rw("DIR/ws"), {Kind: MountTmpfs, Target: dir + "/ws/kept", Size: 1 << 20}}, hole: "--tmpfs DIR/ws/kept"},
		"the same of a --ro":         {script: "cat DIR/ws/kept/inner", view: []Mount{ro(dir+"/ws", dir+"/ws"), {Kind: MountTmpfs, Target: dir + "/ws/kept", Size: 1 << 20}}, hole: "--tmpfs DIR/ws/kept"},
		"at another place":           {script: "cat DIR/ws/kept/inner", view: []Mount{ro(dir+"/ws", "/w"), {Kind: MountTmpfs, Target: "/w/kept", Size: 1 << 20}}, hole: "--tmpfs /w/kept"},
		"as a whole at another":      {script: "ls DIR/ws", view: []Mount{ro(dir+"/ws", "/w"), {Kind: MountTmpfs, Target: "/w/kept", Size: 1 << 20}}, hole: "--tmpfs /w/kept"},
		"what is said to be busy":    {script: "echo 'mv: data.txt: Device or resource busy' >&2; false", view: []Mount{rw("DIR/ws"), ro(dir+"/ws/data.txt", dir+"/ws/data.txt")}, hole: "--ro DIR/ws/data.txt"},
		"what is beside it":          {script: "cat DIR/other/x", view: []Mount{rw("DIR/ws"), ro(dir+"/ws/git/hooks", dir+"/ws/git/hooks")}, grant: "--ro DIR/other/x"},
		"what is only read":          {script: "echo x >DIR/ws/sub/y", view: []Mount{ro(dir+"/ws", dir+"/ws"), ro(dir+"/ws/git", dir+"/ws/git")}, grant: "--rw DIR/ws/sub"},
		"a grant in a folder of RAM": {script: "echo x >/r/sub/y", view: []Mount{{Kind: MountTmpfs, Target: "/r", Size: 1 << 20}, ro(dir+"/ws/sub", "/r/sub")}, grant: "--rw DIR/ws/sub:/r/sub in place of --ro DIR/ws/sub:/r/sub"},
	} {
		s := shell(at.Replace(c.script) + " || exit 1")
		s.View, s.Trace = append(s.View, c.view...), true
		res := runBox(t, s, IO{})
		if c.hole != "" && (!strings.Contains(res.Hint, withheld.NotHinted+at.Replace(c.hole)+" is your own") || strings.Contains(res.Hint, "allows it") || slices.ContainsFunc(res.Denials, func(d Denial) bool { return strings.Contains(d.Grant, dir) })) {
			t.Errorf("%s: %s: want the hole %s named as the caller's", name, text(res), c.hole)
		}
		if c.grant != "" && !strings.Contains(res.Hint, at.Replace(c.grant)+" allows it") {
			t.Errorf("%s: %s: want %s", name, text(res), c.grant)
		}
	}
}
