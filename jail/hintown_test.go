package jail

import (
	"context"
	"os"
	"strings"
	"testing"
)

// A folder that is to be made where the box has nothing of the host's is kept where the
// host has the nearest one around it, and that is what is hinted where a hint may name it.
func TestFoldersToMakeAreHintedWhereTheyAreKept(t *testing.T) {
	needListener(t)
	dir := closedTree(t, "sub/pr/x", "data/x", "deep/keep/x")
	for _, c := range []struct{ name, script, what, grant, opens string }{
		{"with those around it", "mkdir -p DIR/data/out/a", "DIR/data", "--rw DIR/data", ""},
		{"by itself", "mkdir DIR/sub/out", "DIR/sub/out", "--rw DIR/sub", ""},
		{"as the script says", "mkdir -p DIR/deep/keep/a/b", "DIR/deep", "--rw DIR/deep/keep", ""},
		{"a file", "echo x >DIR/sub/file", "DIR/sub/file", "--rw DIR/sub", ""},
		{"where the host has nothing of the caller's", "mkdir -p /newtop/a", "/newtop", "--tmpfs /newtop", "of which nothing is kept: to keep what is made, make /newtop on the host"},
	} {
		at := strings.NewReplacer("DIR", dir)
		s := shell(at.Replace(c.script) + " || exit 1")
		s.View, s.Trace = append(s.View, rw(dir+"/sub/pr", dir+"/sub/pr")), true
		res := runBox(t, s, IO{})
		d := denialOf(res, at.Replace(`making "`+c.what+`"`))
		if d == nil || d.Grant != at.Replace(c.grant) || !strings.Contains(d.Opens, c.opens) || (d.Opens == "") != (c.opens == "") || !strings.Contains(res.Hint, d.Grant+" allows it") {
			t.Errorf("%s: %+v, hint %q, want %s", c.name, d, res.Hint, at.Replace(c.grant))
		}
	}
}

// Where that is one of the host's own as a whole, it is said how what is made is kept, but
// not of what no hint names.
func TestFoldersToMakeInTheHostsOwn(t *testing.T) {
	if _, err := os.Stat("/srv"); err != nil {
		t.Skip("there is no /srv")
	}
	for asked, want := range map[string]string{
		"/srv/none-of-ours":        "not hinted, though a flag grants it: it is one of the host's own folders as a whole; have it written to /tmp, or make /srv/none-of-ours on the host and grant that with --rw",
		"/srv/none-of-ours/.env/x": "not hinted, though a flag grants it: it is one of the host's own folders as a whole; have it written to /tmp",
	} {
		r := afterwards(t, Spec{Args: []string{"true"}, View: []Mount{{Kind: MountTmpfs, Target: "/srv/pr"}}, Limits: Limits{}.WithDefaults()}, ordinary(), shape{})
		r.view, _ = resolve(r.spec)
		r.plan.view = r.view
		if got := r.grantOfOwn("/srv", asked); got.never != want || got.flag != "" {
			t.Errorf("grantOfOwn(%q) = %+v, want %q", asked, got, want)
		}
	}
}

// What is asked of a file in a folder that not even the host has is answered as well.
func TestWhyOfFoldersThatNobodyHas(t *testing.T) {
	dir := closedTree(t, "data/x")
	a, err := Why(context.Background(), shell(""), dir+"/data/none/file")
	if err != nil || len(a.Tried) == 0 {
		t.Fatal(a, err)
	}
	if got, want := a.Tried[len(a.Tried)-1].Never, "make "+dir+"/data/none there and grant it with --rw"; !strings.Contains(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
