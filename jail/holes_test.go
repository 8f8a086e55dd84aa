package jail

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// holeHost is a tree ws with .git/hooks, .env and secret in it, in a folder beside others.
func holeHost(t *testing.T) string {
	t.Helper()
	h, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"ws/.git/hooks/sub", "ws/secret/sub", "other/secret", "empty"} {
		if err := os.MkdirAll(filepath.Join(h, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"ws/.env", "none"} {
		if err := os.WriteFile(filepath.Join(h, file), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(filepath.Join(h, "ws/.env"), filepath.Join(h, "linked")); err != nil {
		t.Fatal(err)
	}
	return h
}

// What a hole takes away is nowhere else in the box, or there is no box.
func TestHolesAreHoles(t *testing.T) {
	h := holeHost(t)
	const hooks, secret = "HOST/ws/.git/hooks", "HOST/ws/secret"
	ws, hole := rw("HOST/ws", "HOST/ws"), ro(hooks, hooks)
	for _, c := range []struct {
		name string
		view []Mount
		hole int    // which of them is at fault, -1 for none
		want string // of what is said
	}{
		{"a folder around the grant", []Mount{rw("HOST", "/q"), ws, hole}, 2, "--rw HOST:/q shows it writable at /q/ws/.git/hooks; leave one of the two out, or add --ro HOST/ws/.git/hooks:/q/ws/.git/hooks"},
		{"in the other order", []Mount{hole, ws, rw("HOST", "/q")}, 0, "--rw HOST:/q shows it writable at /q/ws/.git/hooks"},
		{"the same folder", []Mount{rw("HOST/ws", "/q"), ws, hole}, 2, "--rw HOST/ws:/q shows it writable at /q/.git/hooks"},
		{"a folder in the grant that holds it", []Mount{rw("HOST/ws/.git", "/q"), ws, hole}, 2, "--rw HOST/ws/.git:/q shows it writable at /q/hooks"},
		{"itself", []Mount{rw(hooks, "/q"), ws, hole}, 2, "--rw HOST/ws/.git/hooks:/q shows it writable at /q"},
		{"in a grant of another name", []Mount{rw("HOST", "/q"), rw("HOST/ws", "/w"), ro(hooks, "/w/.git/hooks")}, 2, "/q/ws/.git/hooks"},
		{"read-only, of memory", []Mount{ro("HOST", "/q"), ws, tmpfs(secret)}, 2, "--ro HOST:/q shows it readable at /q/ws/secret; leave one of the two out, or add --tmpfs /q/ws/secret"},
		{"of memory in what is read-only", []Mount{ro("HOST/ws", "/q"), ro("HOST/ws", "HOST/ws"), tmpfs(secret)}, 2, "readable at /q/secret"},
		{"another file in its place", []Mount{ro("HOST/ws", "/q"), ws, ro("HOST/none", "HOST/ws/.env")}, 2, "readable at /q/.env"},
		{"another name of the file", []Mount{rw("HOST/linked", "/q"), ws, ro("HOST/ws/.env", "HOST/ws/.env")}, 2, "--rw HOST/linked:/q shows it writable at /q"},
		{"seen through a grant in which it has one", []Mount{rw("HOST", "/q"), ro(hooks, "/q/ws/.git/hooks"), ws, hole}, -1, ""},
		{"and one of memory", []Mount{rw("HOST", "/q"), tmpfs("/q/ws/secret"), ws, tmpfs(secret)}, -1, ""},
		{"one of two", []Mount{rw("HOST", "/q"), ro(hooks, "/q/ws/.git/hooks"), ws, hole, tmpfs(secret)}, 4, "writable at /q/ws/secret"},
		{"nested at the same place", []Mount{rw("HOST", "HOST"), ws, hole}, -1, ""},
		{"with what is writable in it", []Mount{ws, ro("HOST/ws/.git", "HOST/ws/.git"), rw(hooks, hooks)}, -1, ""},
		{"with a part of it named for elsewhere", []Mount{ws, ro("HOST/ws/.git", "HOST/ws/.git"), rw(hooks, "/hooks")}, -1, ""},
		{"two read-only grants of a tree", []Mount{ro("HOST", "/q"), ro("HOST/ws", "HOST/ws"), ro(hooks, hooks)}, -1, ""},
		{"shown read-only", []Mount{ro("HOST", "/q"), ws, hole}, -1, ""},
		{"by a path that is not clean", []Mount{ro("HOST/ws/", "/q"), ws, ro("HOST/ws/.git/../.git/hooks", hooks)}, -1, ""},
		{"no hole", []Mount{rw("HOST/ws", "/q"), ws}, -1, ""},
		{"beside a grant", []Mount{rw("HOST/ws", "/q"), ro(hooks, "/hooks")}, -1, ""},
		{"of another tree", []Mount{rw("HOST/other", "/q"), ws, tmpfs(secret)}, -1, ""},
		{"in memory", []Mount{tmpfs("/m"), ro(hooks, "/m/hooks"), ws}, -1, ""},
		{"a folder of another in a grant", []Mount{ws, ro("HOST/other", "HOST/ws/secret"), rw("HOST/other", "/o")}, -1, ""},
		{"in a part of the system", []Mount{sys("HOST/ws", "HOST/ws"), ro("HOST/none", "HOST/ws/.env"), ro("HOST/ws", "/q")}, -1, ""},
		{"what the system shows", []Mount{sys("HOST/ws", "HOST/ws"), rw("HOST/ws", "/q"), tmpfs("/q/secret")}, 2, "the system's HOST/ws shows it readable at HOST/ws/secret"},
	} {
		for i := range c.view {
			c.view[i].Target = strings.ReplaceAll(c.view[i].Target, "HOST", h)
		}
		_, faults := resolve(Spec{View: onHost(h, c.view)})
		want := strings.ReplaceAll(c.want, "HOST", h)
		switch {
		case c.hole < 0 && len(faults) > 0:
			t.Errorf("%s: %q, want none", c.name, faults)
		case c.hole >= 0 && (len(faults) != 1 || faults[0].Field != "view["+string(rune('0'+c.hole))+"].target" || !strings.Contains(faults[0].Want, want)):
			t.Errorf("%s: %q, want one of view[%d] with %q", c.name, faults, c.hole, want)
		}
	}
}

// All holes that are none are told of at once, with what else is wrong.
func TestHolesAtOnce(t *testing.T) {
	h := holeHost(t)
	view := onHost(h, []Mount{rw("HOST", "/q"), rw("HOST/ws", h+"/ws"), ro("HOST/ws/.git/hooks", h+"/ws/.git/hooks"), tmpfs(h + "/ws/secret"), ro("HOST/gone", "/gone")})
	_, faults := resolve(Spec{View: view})
	var fields []string
	for _, f := range faults {
		fields = append(fields, f.Field)
	}
	slices.Sort(fields)
	if want := []string{"view[2].target", "view[3].target", "view[4].source"}; !slices.Equal(fields, want) {
		t.Errorf("faults of %v, want of %v", fields, want)
	}
}

// A bind mount of the host's is another path to the same folder: as a way into a hole, and
// in tier 2, where a rule is for the folder and not for the path, as a grant around one.
func TestHolesAndBindMounts(t *testing.T) {
	h := holeHost(t)
	bound := filepath.Join(h, "empty")
	if out, err := exec.Command("mount", "--bind", filepath.Join(h, "ws"), bound).CombinedOutput(); err != nil {
		t.Skipf("NOT TESTED HERE: no bind mount: %v: %s", err, out)
	}
	defer exec.Command("umount", bound).Run()
	ws, hooks := filepath.Join(h, "ws"), filepath.Join(h, "ws/.git/hooks")
	_, faults := resolve(Spec{View: []Mount{rw(bound, "/q"), rw(ws, ws), ro(hooks, hooks)}})
	if len(faults) != 1 || !strings.Contains(faults[0].Want, "--rw "+bound+":/q shows it writable at /q/.git/hooks") {
		t.Errorf("tier 1: %q, want one of the bind mount", faults)
	}
	for _, path := range []string{hooks, ws} {
		_, faults = resolveInPlace(Spec{Tier: Tier2, View: []Mount{rw(bound, bound), ro(path, path)}})
		if len(faults) != 1 || faults[0].Field != "view[1].target" || !strings.Contains(faults[0].Want, "must not lie in the writable grant "+bound) {
			t.Errorf("tier 2: %s: %q, want one of the bind mount", path, faults)
		}
	}
}
