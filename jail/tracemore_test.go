package jail

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Links are told apart from what they lead to, and what is removed, moved, missed and
// held in memory is told.
func TestTraceTellsOfMore(t *testing.T) {
	needListener(t)
	dir := tracedTree(t)
	work := t.TempDir()
	os.Chmod(work, 0o777)
	os.MkdirAll(work+"/a", 0o777)
	os.Chmod(work+"/a", 0o777)
	os.MkdirAll(work+"/b", 0o777)
	os.Chmod(work+"/b", 0o777)
	os.WriteFile(work+"/a/f", nil, 0o666)
	os.WriteFile(work+"/gone", nil, 0o666)
	os.Symlink("in.txt", dir+"/granted/l")
	s := traced1(t, "readlink l; cat l; test -d ../granted; test -e missing; mv "+work+"/a/f "+work+"/b/f; rm "+work+"/gone; head -c 5000000 /dev/zero >/tmp/big; rm /tmp/big", dir)
	s.View = append(s.View, rw(work, work))
	res := runBox(t, s, IO{})
	want(t, res, ReasonOK)
	uses := func(p string, link bool) (u PathUse) {
		for _, u := range res.Used.Paths {
			if u.Path == p && u.Link == link {
				return u
			}
		}
		t.Errorf("no use of %s, link %v, in %+v", p, link, res.Used)
		return u
	}
	if u := uses(dir+"/granted/l", true); u.Real != u.Path || u.Read {
		t.Errorf("%+v: want a link that was looked at itself", u)
	}
	if u := uses(dir+"/granted/l", false); u.Real != dir+"/granted/in.txt" || !u.Read {
		t.Errorf("%+v: want what the link leads to, read", u)
	}
	if u := uses(work+"/gone", false); !u.Removed || u.Made {
		t.Errorf("%+v: want a file that was removed", u)
	}
	if !slices.Equal(res.Used.Moves, [][2]string{{work + "/a", work + "/b"}}) {
		t.Errorf("moves %q, want from %s/a to b", res.Used.Moves, work)
	}
	if !slices.Contains(res.Used.Refused, dir+"/granted/missing") {
		t.Errorf("refused %q, want the one that is not there", res.Used.Refused)
	}
	if peak := res.Used.TmpPeakBytes; peak < 5000000 || peak > 8<<20 {
		t.Errorf("a peak of %d bytes in memory, want those of the file that was removed", peak)
	}
}

// That a program asked whether it may write somewhere is told, and is no writing.
func TestTraceTellsOfAsking(t *testing.T) {
	needListener(t)
	dir := ownTemp(t)
	for _, name := range []string{"ro", "rw"} {
		os.Mkdir(filepath.Join(dir, name), 0o777)
		os.Chmod(filepath.Join(dir, name), 0o777)
	}
	s := shell("test -w " + dir + "/rw && ! test -w " + dir + "/ro && ! test -w /usr/bin")
	s.Trace = true
	s.View = append(s.View, ro(dir+"/ro", dir+"/ro"), rw(dir+"/rw", dir+"/rw"))
	res := runBox(t, s, IO{})
	want(t, res, ReasonOK)
	for _, u := range res.Used.Paths {
		if u.MayWrite != (u.Path == dir+"/rw") || u.Written {
			t.Errorf("%+v", u)
		}
	}
	if !slices.Equal(res.Used.Unwritable, []string{dir + "/ro", "/usr/bin"}) || slices.Contains(res.Used.Refused, dir+"/ro") {
		t.Errorf("unwritable %q, refused %q", res.Used.Unwritable, res.Used.Refused)
	}
	i := slices.IndexFunc(res.Denials, func(d Denial) bool { return strings.HasPrefix(d.What, "asking to write to ") })
	if i < 0 || res.Denials[i].What != "asking to write to "+strconv.Quote(dir+"/ro") || res.Denials[i].Grant != "--rw "+dir+"/ro in place of --ro "+dir+"/ro" {
		t.Errorf("%+v: want what was asked of the grant, with the flag", res.Denials)
	}
}

// What the program fails of is told however much it looked for before.
func TestTraceTellsOfTheLikelyOne(t *testing.T) {
	needListener(t)
	dir := ownTemp(t)
	for i := range mostPathDenials + 40 {
		if err := os.WriteFile(filepath.Join(dir, "f"+strconv.Itoa(i)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	os.WriteFile(filepath.Join(dir, "last.csv"), nil, 0o644)
	s := shell("i=0; while [ $i -lt " + strconv.Itoa(mostPathDenials+40) + " ]; do test -e " + dir + "/f$i || [ -r " + dir + "/f$i ]; i=$((i+1)); done; cat " + dir + "/last.csv")
	s.Trace, s.Limits.Timeout = true, patience(time.Minute)
	res := runBox(t, s, IO{})
	if want := "reading " + strconv.Quote(dir+"/last.csv"); !strings.Contains(res.Message, want) || !strings.Contains(res.Hint, dir) {
		t.Errorf("%q (%q), want %s", res.Message, res.Hint, want)
	}
	if n := len(res.Denials); n > mostPathDenials+1 || n < 2 || res.Denials[n-2].What != "reading "+strconv.Quote(dir+"/last.csv") {
		t.Errorf("%d denials, the last %+v; want %d at most and what is left, in the order of the calls", n, res.Denials[n-2:], mostPathDenials)
	}
}

// By a link a named pipe is what it is without.
func TestWhyOfLinkedPipes(t *testing.T) {
	needLandlock(t)
	dir := tracedTree(t)
	for _, name := range []string{"/granted/pipe", "/pipe"} {
		if err := unix.Mkfifo(dir+name, 0o666); err != nil {
			t.Fatal(err)
		}
		os.Chmod(dir+name, 0o666)
	}
	os.Symlink("granted", dir+"/beside")
	os.Symlink("pipe", dir+"/granted/linked")
	for _, c := range []struct {
		s           Spec
		path        string
		read, write bool
	}{
		{tier2(t, "true"), dir + "/beside/pipe", true, false},
		{tier2(t, "true"), dir + "/pipe", false, false},
		{shell("true"), "/srv/linked", true, false},
	} {
		at := dir + "/granted"
		if c.s.Tier != Tier2 {
			at = "/srv"
		}
		c.s.View = append(c.s.View, ro(dir+"/granted", at))
		if _, tries := whyOf(t, c.s, c.path); tries[accessRead].Allowed != c.read || tries[accessWrite].Allowed != c.write {
			t.Errorf("tier %d, %s: %+v, want read %v, written %v", c.s.Tier, c.path, tries, c.read, c.write)
		}
	}
}

// What has no name, and goes without a call that takes one, is measured as well.
func TestTraceMeasuresMemory(t *testing.T) {
	needListener(t)
	s := shell("exec 3<>/tmp/x; rm /tmp/x; head -c 20000000 /dev/zero >&3; i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; exec 3>&-; exit 0")
	s.Trace, s.Limits.Timeout = true, patience(s.Limits.Timeout)
	res := runBox(t, s, IO{})
	want(t, res, ReasonOK)
	if peak := res.Used.TmpPeakBytes; peak < 20000000 {
		t.Errorf("a peak of %d bytes in memory, want those of the file without a name", peak)
	}
}

// What is written to a named pipe in a read-only grant is refused by Landlock, which no
// read-only mount does, unless that lies in a folder that may be written to.
func TestTracedPipes(t *testing.T) {
	needListener(t)
	needLandlock(t)
	dir := tracedTree(t)
	if err := unix.Mkfifo(dir+"/granted/pipe", 0o666); err != nil {
		t.Fatal(err)
	}
	os.Chmod(dir+"/granted/pipe", 0o666)
	for _, c := range []struct {
		at      string
		refused bool
	}{{"/srv/granted", true}, {"/tmp/granted", false}} {
		s := shell("echo x 1<>" + c.at + "/pipe")
		s.View, s.Trace = append(s.View, ro(dir+"/granted", c.at)), true
		res := runBox(t, s, IO{})
		d := denialOf(res, `writing "`+c.at+`/pipe"`)
		if (d != nil) != c.refused || res.OK == c.refused || d != nil && (d.Layer != LayerLandlock || d.Errno != "EACCES") {
			t.Errorf("%s: %+v, %s; want refused: %v", c.at, d, text(res), c.refused)
		}
		for _, u := range res.Used.Paths {
			if u.Path == c.at+"/pipe" && u.Written == c.refused {
				t.Errorf("%+v: want written: %v", u, !c.refused)
			}
		}
		if _, tries := whyOf(t, s, c.at+"/pipe"); tries[accessWrite].Allowed == c.refused || c.refused && tries[accessWrite].Layer != LayerLandlock {
			t.Errorf("Why(%s/pipe): %+v, want what the box does", c.at, tries[accessWrite])
		}
	}
}
