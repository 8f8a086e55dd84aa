package jail

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Each grant that is printed, typed into a shell as it is, has the program do what it
// was refused: one thing after another, until nothing is refused.
func TestTypedGrantsWork(t *testing.T) {
	needListener(t)
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("it takes bash to read what is typed")
	}
	for _, script := range []string{
		"cat DIR/data.txt", "cat DIR/link", "echo x >>DIR/data.txt", "rm DIR/lib/a", "rmdir DIR/empty", "mkdir DIR/lib/new", "mv DIR/lib/a DIR/lib/z", "mv DIR/lib/a DIR/other/z",
		"sed -i s/h/x/ DIR/data.txt", "echo x >DIR/data.txt.tmp && mv DIR/data.txt.tmp DIR/data.txt",
		"ln DIR/lib/a DIR/lib/y", "echo x >DIR/lib/q", "touch DIR/lib/a", "chmod 600 DIR/lib/b",
		"cat DIR/odd/$'bad\xff.txt'", "cat DIR/odd/$'bidi\u202egpj'", "cat DIR/odd/'it'\\''s a $x'", "echo x >>DIR/odd/$'new\nline'", "rm DIR/odd/$'bad\xff.txt'",
	} {
		for _, given := range []string{"", "DIR", "DIR/data.txt", "DIR/lib"} {
			dir := typedTree(t)
			s := shell("")
			s.Args, s.Trace = []string{bash, "-c", strings.ReplaceAll(script, "DIR", dir)}, true
			if at := strings.ReplaceAll(given, "DIR", dir); at != "" {
				s.View = append(s.View, ro(at, at))
			}
			if res := typeAll(t, bash, &s, dir); res.Reason != ReasonOK {
				t.Errorf("%s, given %q: with %v it still ends %s", script, given, s.View[len(s.View)-2:], text(res))
			}
		}
	}
}

// In tier 2, where the rights of folders and of what lies in them add up, a grant takes
// the place of what was read-only in it.
func TestTypedGrantsWorkInPlace(t *testing.T) {
	needListener(t)
	needLandlock(t)
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("it takes bash to read what is typed")
	}
	for _, script := range []string{
		"touch DIR/lib/new", "rm DIR/lib/a", "mv DIR/lib/a DIR/lib/z", "sed -i s/h/x/ DIR/lib/a", "mkdir DIR/lib/d", "ln DIR/lib/a DIR/lib/y", "cp DIR/lib/a DIR/lib/y", "echo x >>DIR/lib/a",
	} {
		for _, given := range []string{"DIR/lib/a", "DIR/lib/sub", "DIR/lib"} {
			dir := typedTree(t)
			for _, p := range []string{"lib", "lib/sub", "lib/a"} { // root's box is of another user
				os.Mkdir(filepath.Join(dir, p), 0o777)
				os.Chmod(filepath.Join(dir, p), 0o777)
			}
			s := tier2(t, "")
			s.Args, s.Trace = []string{bash, "-c", strings.ReplaceAll(script, "DIR", dir)}, true
			at := strings.ReplaceAll(given, "DIR", dir)
			s.View = append(s.View, ro(at, at))
			res := typeAll(t, bash, &s, dir)
			if strings.HasPrefix(script, "touch") && res.Reason == ReasonExecutionFailed && denialOf(res, `making "`+dir+`/lib/new"`) == nil {
				continue // it sets times, which is another call
			}
			if res.Reason != ReasonOK {
				t.Errorf("%s, given %q: with %v it still ends %s", script, given, s.View[len(s.View)-2:], text(res))
			}
		}
	}
}

// typedTree is a tracedTree with more names in it.
func typedTree(t *testing.T) string {
	t.Helper()
	dir := tracedTree(t)
	for _, f := range []string{"odd/bad\xff.txt", "odd/bidi\u202egpj", "odd/it's a $x", "odd/new\nline", "other/x", "a:/x", "b:c"} {
		os.MkdirAll(filepath.Dir(filepath.Join(dir, f)), 0o755)
		os.WriteFile(filepath.Join(dir, f), []byte("x\n"), 0o644)
	}
	os.Mkdir(filepath.Join(dir, "empty"), 0o755)
	return dir
}

// typeAll gives a box what its record hints at, until it has all.
func typeAll(t *testing.T, bash string, s *Spec, dir string) Result {
	t.Helper()
	res := runBox(t, *s, IO{})
	for range 4 {
		if res.Reason == ReasonOK {
			break
		}
		before := len(s.View)
		for _, d := range res.Denials {
			if strings.Contains(d.What, dir) {
				s.View = grantTyped(t, bash, s.View, d.Grant)
			}
		}
		if _, grant, ok := strings.Cut(res.Hint, "; --"); ok && len(s.View) == before {
			s.View = grantTyped(t, bash, s.View, "--"+strings.TrimSuffix(grant, " allows it"))
		}
		res = runBox(t, *s, IO{})
	}
	return res
}

// grantTyped is a view with what a shell makes of a hint besides, and without what the
// hint says that it is in the place of.
func grantTyped(t *testing.T, shell string, view []Mount, grant string) []Mount {
	t.Helper()
	give, instead, _ := strings.Cut(grant, inPlaceOf)
	m, ok := mountTyped(t, shell, give)
	if !ok || slices.Contains(view, m) {
		return view
	}
	for _, flag := range strings.Split(instead, " and --") {
		old, ok := mountTyped(t, shell, "--"+strings.TrimPrefix(flag, "--"))
		if ok && !slices.Contains(view, old) {
			t.Errorf("%s: there is no %+v in %v", grant, old, view)
		}
		view = slices.DeleteFunc(slices.Clone(view), func(m Mount) bool { return m == old })
	}
	return append(slices.Clone(view), m)
}

func mountTyped(t *testing.T, shell, flag string) (m Mount, ok bool) {
	t.Helper()
	out, err := exec.Command(shell, "-c", `printf '%s\0' `+flag).Output()
	words := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if err != nil || len(words) != 2 || words[0] != "--ro" && words[0] != "--rw" {
		return m, false
	}
	from, to := words[1], words[1]
	if at := strings.LastIndex(words[1], ":/"); at >= 0 {
		from, to = words[1][:at], words[1][at+1:]
	}
	return Mount{Kind: MountKind(words[0][2:]), Source: from, Target: to}, true
}

// What a home that is granted to be read holds is not hinted to be written as a whole,
// nor are its keys, by whatever name the home goes.
func TestHomeIsNotHinted(t *testing.T) {
	needListener(t)
	dir := tracedTree(t)
	home := filepath.Join(dir, "me")
	for _, d := range []string{".ssh", "out"} {
		os.MkdirAll(filepath.Join(home, d), 0o755)
		os.WriteFile(filepath.Join(home, d, "there"), nil, 0o644)
	}
	link := filepath.Join(dir, "myhome")
	os.Symlink(home, link)
	for _, named := range []string{home, link} {
		t.Setenv("HOME", named)
		s := shell("cd " + home + "; echo x >.ssh/authorized_keys; echo x >>.ssh/there; echo x >new; echo x >out/new; echo x >>out/there; rm out/there; true")
		s.View = append(s.View, ro(home, home))
		s.Trace = true
		res := runBox(t, s, IO{})
		for what, grant := range map[string]string{
			`making "HOME/.ssh/authorized_keys"`: "", `writing "HOME/.ssh/there"`: "", `making "HOME/new"`: "", `making "HOME/out/new"`: "--rw HOME/out",
			`writing "HOME/out/there"`: "--rw HOME/out", `removing "HOME/out/there"`: "--rw HOME/out",
		} {
			at := strings.NewReplacer("HOME", home)
			d := denialOf(res, at.Replace(what))
			if d == nil || d.Grant != at.Replace(grant) || (d.Never == "") != (grant != "") {
				t.Errorf("HOME=%s: %+v of %s, want the grant %q in %s", named, d, what, grant, text(res))
			}
		}
	}
}
