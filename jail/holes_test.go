package jail

import (
	"fmt"
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
	onto(t, "--bind", filepath.Join(h, "ws"), bound)
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

// onto has the host show something else, such as another folder, at a path until the test
// ends.
func onto(t *testing.T, args ...string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("not for an ordinary user: root mounts")
	}
	if out, err := exec.Command("mount", args...).CombinedOutput(); err != nil {
		leaveOut(t, fmt.Sprintf("mount %q: %v: %s", args, err, out))
	}
	t.Cleanup(func() { exec.Command("umount", args[len(args)-1]).Run() })
}

// What the host has mounted in a grant is shown with it, be that what a hole covers, a
// folder around it or a part of it.
func TestHolesAndMountsInGrants(t *testing.T) {
	for _, c := range []struct {
		name   string
		mounts []string // from and to
		view   []Mount
		hole   int
		want   string
	}{
		{"a folder around it", []string{"ws", "other/secret"}, []Mount{rw("HOST/ws", "HOST/ws"), ro("HOST/ws/.git", "HOST/ws/.git"), rw("HOST/other", "HOST/other")}, 1,
			"--rw HOST/other shows it writable at HOST/other/secret/.git; leave one of the two out, or add --ro HOST/ws/.git:HOST/other/secret/.git"},
		{"with that one added", []string{"ws", "other/secret"}, []Mount{rw("HOST/ws", "HOST/ws"), ro("HOST/ws/.git", "HOST/ws/.git"), rw("HOST/other", "HOST/other"), ro("HOST/ws/.git", "HOST/other/secret/.git")}, -1, ""},
		{"by another name in the box", []string{"ws", "other/secret"}, []Mount{rw("HOST/ws", "/w"), tmpfs("/w/.git"), ro("HOST/other", "/o")}, 1, "--ro HOST/other:/o shows it readable at /o/secret/.git; leave one of the two out, or add --tmpfs /o/secret/.git"},
		{"itself in the same grant", []string{"ws/.git", "ws/secret"}, []Mount{rw("HOST/ws", "HOST/ws"), ro("HOST/ws/.git", "HOST/ws/.git")}, 1, "--rw HOST/ws shows it writable at HOST/ws/secret;"},
		{"and the other way round", []string{"ws/.git", "ws/secret"}, []Mount{rw("HOST/ws", "HOST/ws"), ro("HOST/ws/secret", "HOST/ws/secret")}, 1, "--rw HOST/ws shows it writable at HOST/ws/.git;"},
		{"a part of it as a grant", []string{"ws/.git/hooks", "empty"}, []Mount{rw("HOST/ws", "HOST/ws"), ro("HOST/ws/.git", "HOST/ws/.git"), rw("HOST/empty", "HOST/empty")}, 1, "--rw HOST/empty shows it writable at HOST/empty; leave one of the two out"},
		{"a part of it in a grant", []string{"ws/.git/hooks", "other/secret"}, []Mount{rw("HOST/ws", "HOST/ws"), ro("HOST/ws/.git", "HOST/ws/.git"), rw("HOST/other", "HOST/other")}, 1,
			"writable at HOST/other/secret; leave one of the two out, or add --ro HOST/ws/.git/hooks:HOST/other/secret"},
		{"what is mounted in it", []string{"other", "ws/.git/hooks"}, []Mount{rw("HOST/ws", "HOST/ws"), ro("HOST/ws/.git", "HOST/ws/.git"), rw("HOST/other", "HOST/other")}, 1, "--rw HOST/other shows it writable at HOST/other;"},
		{"elsewhere", []string{"ws/secret", "other/secret"}, []Mount{rw("HOST/ws", "HOST/ws"), ro("HOST/ws/.git", "HOST/ws/.git"), rw("HOST/other", "HOST/other")}, -1, ""},
		{"where only its own hole is", []string{"other", "ws/.git"}, []Mount{rw("HOST/ws", "HOST/ws"), ro("HOST/ws/.git", "HOST/ws/.git")}, -1, ""},
		{"shown read-only", []string{"ws", "other/secret"}, []Mount{rw("HOST/ws", "HOST/ws"), ro("HOST/ws/.git", "HOST/ws/.git"), ro("HOST/other", "HOST/other")}, -1, ""},
		{"a part that is named by itself", []string{"other", "empty"}, []Mount{rw("HOST/ws", "HOST/ws"), ro("HOST/ws/.git", "HOST/ws/.git"), rw("HOST/ws/.git/hooks", "/hooks")}, -1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := holeHost(t)
			onto(t, "--bind", filepath.Join(h, c.mounts[0]), filepath.Join(h, c.mounts[1]))
			for i := range c.view {
				c.view[i].Target = strings.ReplaceAll(c.view[i].Target, "HOST", h)
			}
			_, faults := resolve(Spec{View: onHost(h, c.view)})
			want := strings.ReplaceAll(c.want, "HOST", h)
			if c.hole < 0 && len(faults) > 0 || c.hole >= 0 && (len(faults) != 1 || faults[0].Field != "view["+string(rune('0'+c.hole))+"].target" || !strings.Contains(faults[0].Want, want)) {
				t.Errorf("%q, want one of view[%d] with %q", faults, c.hole, want)
			}
		})
	}
}

// A mount that is read-only shows nothing writable, and one that is covered shows nothing.
func TestHolesAndMountsThatShowNothing(t *testing.T) {
	h := holeHost(t)
	in := filepath.Join(h, "other/secret")
	view := onHost(h, []Mount{rw("HOST/ws", h+"/ws"), ro("HOST/ws/.git", h+"/ws/.git"), rw("HOST/other", h+"/other")})
	faults := func() int { _, list := resolve(Spec{View: view}); return len(list) }
	onto(t, "--bind", filepath.Join(h, "ws"), in)
	if faults() != 1 {
		t.Fatalf("no fault of the mount as it is")
	}
	if out, err := exec.Command("mount", "-o", "remount,bind,ro", in).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if n := faults(); n != 0 {
		t.Errorf("%d faults of a mount that is read-only", n)
	}
	exec.Command("mount", "-o", "remount,bind,rw", in).Run()
	onto(t, "-t", "tmpfs", "none", filepath.Join(h, "other"))
	if n := faults(); n != 0 {
		t.Errorf("%d faults of a mount that is covered", n)
	}
}

// In tier 2 such a grant lies in the writable one, by whatever path.
func TestTier2GrantsAndMountsInGrants(t *testing.T) {
	h := holeHost(t)
	onto(t, "--bind", filepath.Join(h, "ws"), filepath.Join(h, "other/secret"))
	at := func(kind MountKind, p string) Mount {
		return Mount{Kind: kind, Source: filepath.Join(h, p), Target: filepath.Join(h, p)}
	}
	for _, c := range []struct {
		view []Mount
		want string
	}{
		{[]Mount{at(MountRW, "other"), at(MountRO, "ws/.git")}, "must not lie in the writable grant " + h + "/other, where it is mounted at " + h + "/other/secret/.git"},
		{[]Mount{at(MountRW, "ws/.git"), at(MountRO, "other/secret/.git/hooks")}, "must not lie in the writable grant " + h + "/ws/.git"},
		{[]Mount{at(MountRW, "other"), at(MountRO, "empty")}, ""},
		{[]Mount{at(MountRO, "other"), at(MountRW, "ws/.git")}, ""},
	} {
		_, faults := resolveInPlace(Spec{Tier: Tier2, View: c.view})
		if (len(faults) > 0) != (c.want != "") || c.want != "" && !strings.Contains(faults[0].Want, c.want) {
			t.Errorf("%+v: %q, want %q", c.view, faults, c.want)
		}
	}
}

// A file that has another name is no hole: by that it can be written to, where an earlier
// box left it in what both may write to.
func TestHolesOfSeveralNames(t *testing.T) {
	for _, linked := range []string{"ws/alias", "linked"} {
		h := holeHost(t)
		ws, env := filepath.Join(h, "ws"), filepath.Join(h, "ws/.env")
		view := []Mount{rw(ws, ws), ro(env, env)}
		if _, faults := resolve(Spec{View: view}); len(faults) > 0 {
			t.Errorf("%q of a file with one name", faults)
		}
		if err := os.Link(env, filepath.Join(h, linked)); err != nil {
			t.Fatal(err)
		}
		_, faults := resolve(Spec{View: view})
		if len(faults) != 1 || faults[0].Field != "view[1].target" || faults[0].Value != env || !strings.Contains(faults[0].Want, "there are 2 hard links to "+env) {
			t.Errorf("%s: %q, want one of the hard link", linked, faults)
		}
		if _, faults := resolve(Spec{View: []Mount{ro(ws, ws), ro(env, "/env")}}); len(faults) > 0 {
			t.Errorf("%q of what is no hole", faults)
		}
		hooks := filepath.Join(ws, ".git/hooks") // a folder has a link for each one in it
		if _, faults := resolve(Spec{View: []Mount{rw(ws, ws), ro(hooks, hooks)}}); len(faults) > 0 {
			t.Errorf("%q of a folder", faults)
		}
	}
}
