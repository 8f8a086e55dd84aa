package jail

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// What a program merely says it misses is answered with the same words whether the host
// has it or not, but beside the script that was given, in what was given, and among the
// system's packages.
func TestWordsAreNoOracle(t *testing.T) {
	dir := closedTree(t, "me/.bashrc", "me/job/x.js", "me/job/sub/y.js", "me/data/x.js", "me/.config/age/keys.txt", "me/node_modules/known/x", "me/job/node_modules/known2/x", "opt/x.js",
		"given/lib/x.js")
	hintOf := func(name string) string {
		s := shell("")
		script := dir + "/me/job/main.sh"
		if err := os.WriteFile(script, []byte("echo \"Error: Cannot find module '"+name+"'\" >&2; exit 1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		s.Args = []string{"/bin/sh", script}
		s.View = append(s.View, ro(script, script), Mount{Kind: MountTmpfs, Target: "/given", Size: 1 << 20}, ro(dir+"/given", "/given/x"))
		s.Dir = "/tmp"
		return strings.Replace(runBox(t, s, IO{}).Hint, fmt.Sprintf(": %q", name), "", 1) // which it may repeat
	}
	same := hintOf("/srv/nothing/of/that/name")
	for _, name := range []string{"DIR/me/data/x.js", "DIR/me/data/x2.js", "DIR/me/.config/age/keys.txt", "DIR/me/.config/age/none", "/root/.npmrc", "/etc/hostname", "/etc/shadow", "DIR/opt/x.js", "known", "../data/x.js",
		"../../me/.bashrc", "known/../../.bashrc", "/root", "/home", "DIR/me", "/proc/1/environ"} {
		if got := hintOf(strings.ReplaceAll(name, "DIR", dir)); got != same {
			t.Errorf("%s: hint %q, want what is said of what the host does not have, %q", name, got, same)
		}
	}
	for name, want := range map[string]string{"./x.js": "--ro DIR/me/job allows it", "./sub/y.js": "--ro DIR/me/job/sub allows it", "known2": "--ro DIR/me/job/node_modules allows it", "DIR/given/lib/x.js": "--ro DIR/given/lib allows it"} {
		at := strings.NewReplacer("DIR", dir)
		if got := hintOf(at.Replace(name)); !strings.HasSuffix(got, at.Replace(want)) {
			t.Errorf("%s: hint %q, want %q", name, got, at.Replace(want))
		}
	}
}
