package jail

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// No flag is named for what the host's modes refuse the caller as well. (Run once more as
// an ordinary user: see TestAsOrdinaryUser.)
func TestTraceHintsAtNoClosedModes(t *testing.T) {
	needListener(t)
	dir := tracedTree(t)
	closed := filepath.Join(dir, "closed")
	if err := os.Mkdir(closed, 0o555); err != nil {
		t.Fatal(err)
	}
	s := shell("cat " + dir + "/granted/hidden.txt; echo x >" + closed + "/new; echo x >" + dir + "/lib/new; exit 1")
	s.Trace = true
	res := runBox(t, s, IO{})
	grants := map[string]string{`reading "DIR/granted/hidden.txt"`: "", `making "DIR/closed/new"`: "", `making "DIR/lib/new"`: "--rw DIR/lib"}
	for what, grant := range grants {
		at := strings.NewReplacer("DIR", dir)
		if d := denialOf(res, at.Replace(what)); d == nil || d.Grant != at.Replace(grant) || (d.Never == "") != (grant != "") {
			t.Errorf("%s: %+v, want the grant %q, in %s", what, d, grant, text(res))
		}
	}
}

// In a box of root's, a file of another user than its folder's is the box's where it is
// granted by itself, and no mode is blamed.
func TestFilesOfOthersAreHinted(t *testing.T) {
	needListener(t)
	if os.Getuid() != 0 {
		t.Skip("it takes root to make files of others")
	}
	dir := tracedTree(t)
	if err := os.Chown(filepath.Join(dir, "lib"), 1000, 1000); err != nil {
		t.Fatal(err)
	}
	os.Chmod(filepath.Join(dir, "lib/a"), 0o666)
	s := shell("echo x >>" + dir + "/lib/a")
	s.Trace, s.View = true, append(s.View, Mount{Kind: MountRW, Source: dir + "/lib", Target: dir + "/lib"})
	d := denialOf(runBox(t, s, IO{}), `writing "`+dir+`/lib/a"`)
	if d == nil || d.Grant != "--rw "+dir+"/lib/a" {
		t.Fatalf("%+v, want --rw of the file", d)
	}
	s.View = append(s.View, Mount{Kind: MountRW, Source: dir + "/lib/a", Target: dir + "/lib/a"})
	want(t, runBox(t, s, IO{}), ReasonOK)
}

// Where modes refuse it, nobody is told to change those of secrets and devices, nor those
// of the box's own files; and of others, that it takes the grant as well.
func TestModesOfSecretsStay(t *testing.T) {
	needLandlock(t)
	dir := tracedTree(t)
	for _, c := range []struct {
		tier                Tier
		path, access, never string
	}{
		{Tier2, "/etc/shadow", accessRead, byMode},
		{Tier2, "/etc/passwd", accessWrite, byMode},
		{Tier2, dir + "/granted/hidden.txt", accessRead, byMode + ": change it on the host, and grant it"},
		{Tier1, "/etc/passwd", accessWrite, "the box's own tree is read-only"},
		{Tier1, "/etc/passwd", accessExecute, "it is the box's own"},
	} {
		s := tier2(t, "true")
		if c.tier == Tier1 {
			s = shell("true")
			s.View = append(s.View, Mount{Kind: MountFile, Target: "/etc/passwd", Content: "x\n"})
		}
		_, tries := whyOf(t, s, c.path)
		got := tries[c.access]
		if c.access == accessExecute && got.Access == "" {
			got = tries[accessMode]
		}
		if c.never == byMode && got.Never != byMode || !strings.HasPrefix(got.Never, c.never) || got.Grant != "" {
			t.Errorf("%s of %s in tier %d: %+v, want %q", c.access, c.path, c.tier, got, c.never)
		}
	}
}
