package jail

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/internal/ablation"
)

// Traced, heard and neither a box is the same: each call's errno, on all threads and
// in children, and the verdict.
func TestTraceChangesNoAnswer(t *testing.T) {
	needListener(t)
	for _, tier := range []Tier{Tier1, Tier2} {
		for _, name := range []string{"ask everywhere", "paths everywhere"} {
			s := observedSpec(t, name)
			if tier == Tier2 {
				s = observedInPlace(t, name)
			}
			plain, err := Run(ablation.Without(t.Context(), ablation.Observer), s)
			if err != nil {
				t.Fatal(err)
			}
			heard := runBox(t, s, IO{})
			s.Trace = true
			seen := runBox(t, s, IO{})
			for what, res := range map[string]Result{"heard": heard, "traced": seen} {
				if res.Stdout.Text != plain.Stdout.Text || res.Reason != plain.Reason || res.Reason != ReasonOK {
					t.Errorf("tier %d, %s: %s %s\nand without a listener %s", tier, name, what, text(res), text(plain))
				}
			}
			if seen.Used == nil || len(seen.Used.Paths) == 0 || heard.Used != nil || len(seen.Observed.Sources) != 2 {
				t.Errorf("tier %d, %s: %+v traced by %v, %+v not traced", tier, name, seen.Used, seen.Observed.Sources, heard.Used)
			}
		}
	}
}

// tracedTree is a folder on the host with what the programs of these tests ask for.
func tracedTree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	for d := real; d != "/tmp" && d != "/"; d = filepath.Dir(d) {
		if os.Chmod(d, 0o755) != nil {
			break
		}
	}
	for name, mode := range map[string]os.FileMode{"granted/in.txt": 0o644, "granted/hidden.txt": 0, "data.txt": 0o644, "tool": 0o755, "lib/a": 0o644, "lib/b": 0o644, "lib/c": 0o644} {
		at := filepath.Join(real, name)
		os.MkdirAll(filepath.Dir(at), 0o755)
		if err := os.WriteFile(at, []byte("#!/bin/sh\necho "+name+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		os.Chmod(at, mode)
	}
	os.Symlink("data.txt", filepath.Join(real, "link"))
	os.Symlink("../data.txt", filepath.Join(real, "granted", "out"))
	return real
}

func traced1(t *testing.T, script, dir string) Spec {
	t.Helper()
	s := shell("cd " + dir + "/granted; " + script)
	s.View = append(s.View, Mount{Kind: MountRO, Source: dir + "/granted", Target: dir + "/granted"})
	s.Trace = true
	return s
}

func denialOf(res Result, what string) *Denial {
	if i := slices.IndexFunc(res.Denials, func(d Denial) bool { return d.What == what }); i >= 0 {
		return &res.Denials[i]
	}
	return nil
}

// Each kind of refusal has its entry with the flag that grants it, and what is no
// wall's doing has none.
func TestTraceTellsOfPaths(t *testing.T) {
	needListener(t)
	dir := tracedTree(t)
	for _, c := range []struct{ script, what, errno, grant, never string }{
		{"cat ../data.txt", `reading "DIR/data.txt"`, "ENOENT", "--ro DIR/data.txt", ""},
		{"cat DIR/link", `reading "DIR/link"`, "ENOENT", "--ro DIR/data.txt:DIR/link", ""},
		{"cat out", `reading "DIR/granted/out"`, "ENOENT", "--ro DIR/data.txt", ""},
		{"echo x >new", `making "DIR/granted/new"`, "EROFS", "--rw DIR/granted in place of --ro DIR/granted", ""},
		{"echo x >>in.txt", `writing "DIR/granted/in.txt"`, "EROFS", "--rw DIR/granted in place of --ro DIR/granted", ""},
		{"mv in.txt /tmp/x", `removing "DIR/granted/in.txt"`, "EROFS", "--rw DIR/granted in place of --ro DIR/granted", ""},
		{"echo x >>DIR/lib/a", `writing "DIR/lib/a"`, "ENOENT", "--rw DIR/lib/a", ""},
		{"echo x >>DIR/lib/none", `making "DIR/lib/none"`, "ENOENT", "--rw DIR/lib", ""},
		{"rm DIR/lib/a", `removing "DIR/lib/a"`, "ENOENT", "--rw DIR/lib", ""},
		{"mkdir /made", `making "/made"`, "EROFS", "--tmpfs /made", ""},
		{"DIR/tool", `executing "DIR/tool"`, "ENOENT", "--ro DIR/tool", ""},
		{"cat DIR/lib/a DIR/lib/b DIR/lib/c", `reading "DIR/lib/b"`, "ENOENT", "--ro DIR/lib", ""},
		{"cat hidden.txt", `reading "DIR/granted/hidden.txt"`, "EACCES", "", "its mode"},
		{"echo x >/usr/x", `making "/usr/x"`, "EROFS", "", "it is a part of the operating system"},
		{"cat /proc/cpuinfo", `reading "/proc/cpuinfo"`, "ENOENT", "", "nothing below /proc is granted"},
		{"cat /sys/kernel/uevent_seqnum", `reading "/sys/kernel/uevent_seqnum"`, "ENOENT", "", "nothing below /sys is granted"},
		{"cat DIR/nothing; cat nothing; ls /nothing; cat DIR/granted/in.txt/x; cat in.txt; echo y >/tmp/y; true", "", "", "", ""},
	} {
		at := strings.NewReplacer("DIR", dir)
		res := runBox(t, traced1(t, at.Replace(c.script), dir), IO{})
		if c.what == "" {
			for _, d := range res.Denials {
				if strings.Contains(d.What, dir) || strings.Contains(d.What, "nothing") {
					t.Errorf("%s: %+v: want no denial", c.script, d)
				}
			}
			continue
		}
		d := denialOf(res, at.Replace(c.what))
		if d == nil {
			t.Errorf("%s: no denial of %s: %s", c.script, c.what, text(res))
			continue
		}
		if d.Errno != c.errno || d.Grant != at.Replace(c.grant) || !strings.HasPrefix(d.Never, c.never) || (d.Never == "") != (c.never == "") || d.Source != sourceTrace || d.Layer != LayerRoot {
			t.Errorf("%s: %+v\nwant %+v", c.script, *d, c)
		}
	}
}

// What a grant says is so: with it the program has what it missed.
func TestTracedGrantsGrant(t *testing.T) {
	needListener(t)
	dir := tracedTree(t)
	s := traced1(t, "cat ../data.txt ../link out && ../tool && cat ../lib/a ../lib/b ../lib/c", dir)
	before := runBox(t, s, IO{})
	want(t, before, ReasonExecutionFailed)
	if !strings.Contains(before.Message, "it was refused reading") || !strings.Contains(before.Hint, "--ro ") {
		t.Errorf("message %q, hint %q: want the first path and its flag", before.Message, before.Hint)
	}
	for range 3 { // the next ones show when the first are there
		res := runBox(t, s, IO{})
		for _, d := range res.Denials {
			source, ok := strings.CutPrefix(d.Grant, "--ro ")
			if !ok || !strings.HasPrefix(source, dir) {
				continue
			}
			from, to, _ := strings.Cut(source, ":")
			if to == "" {
				to = from
			}
			if !slices.ContainsFunc(s.View, func(m Mount) bool { return m.Target == to }) {
				s.View = append(s.View, Mount{Kind: MountRO, Source: from, Target: to})
			}
		}
	}
	want(t, runBox(t, s, IO{}), ReasonOK)
}

// In tier 2 Landlock refuses what the host's tree shows.
func TestTraceInPlace(t *testing.T) {
	needListener(t)
	needLandlock(t)
	dir := tracedTree(t)
	s := tier2(t, "cat "+dir+"/data.txt; true")
	s.Trace = true
	res := runBox(t, s, IO{})
	for what, grant := range map[string]string{`reading "` + dir + `/data.txt"`: "--ro " + dir + "/data.txt"} {
		d := denialOf(res, what)
		if d == nil || d.Errno != "EACCES" || d.Layer != LayerLandlock || d.Grant != grant {
			t.Errorf("%+v, want EACCES of %s by Landlock, and %s, in %s", d, what, grant, text(res))
		}
	}
}

// What was used is told with what was done and where it is on the host.
func TestTraceTellsOfUses(t *testing.T) {
	needListener(t)
	dir := tracedTree(t)
	res := runBox(t, traced1(t, "cat in.txt; echo x >/tmp/y; cat /tmp/y", dir), IO{})
	find := func(p string) PathUse {
		for _, u := range res.Used.Paths {
			if u.Path == p {
				return u
			}
		}
		t.Errorf("no use of %s in %+v", p, res.Used)
		return PathUse{}
	}
	if u := find(dir + "/granted/in.txt"); !u.Read || u.Written || u.Kind != MountRO || u.Source != u.Path || u.Real != u.Path {
		t.Errorf("%+v: want a file that was read, in a grant", u)
	}
	if u := find("/tmp/y"); !u.Read || !u.Made || !u.Written || u.Kind != MountTmpfs || u.Source != "" {
		t.Errorf("%+v: want a file that was made, written and read, in a tmpfs", u)
	}
}

// A traced box that does nothing but look ends as any other does: its tree is empty.
func TestTracedBoxEnds(t *testing.T) {
	needListener(t)
	s := insideBox(t, "look forever")
	s.Trace, s.Limits.Timeout = true, patience(time.Second)
	res := runBox(t, s, IO{})
	want(t, res, ReasonTimeout)
}

// A box that falls apart before its filter stands has no listener, and says why.
func TestTracedSetupFails(t *testing.T) {
	needListener(t)
	s := shell("true")
	s.Trace, s.Dir = true, "/absent"
	if res, err := Run(t.Context(), s); err == nil || res.Reason != ReasonSetupRefused || res.Refusal.Operand != "/absent" {
		t.Errorf("%v, %s: want the working folder refused", err, text(res))
	}
	s = shell("true")
	s.Trace, s.Args = true, []string{"/absent"}
	if res, err := Run(t.Context(), s); err == nil || res.Reason != ReasonExecFailed {
		t.Errorf("%v, %s: want no program", err, text(res))
	}
}

// What a look costs, for the log.
func TestTraceCost(t *testing.T) {
	needListener(t)
	s := insideBox(t, "look often")
	plain := runBox(t, s, IO{})
	s.Trace = true
	traced := runBox(t, s, IO{})
	t.Logf("one stat: %s ns, traced %s ns", strings.TrimSpace(plain.Stdout.Text), strings.TrimSpace(traced.Stdout.Text))
}

// However many paths a program makes up, what is kept of them is bounded, and says
// that there were more.
func TestTraceIsBounded(t *testing.T) {
	s := newSeenPaths()
	long := strings.Repeat("x", 4000)
	for i := range 3 * mostPaths {
		s.note(pathUse{asked: "/" + strconv.Itoa(i), real: "/"})
		s.refuse(pathRefusal{asked: "/" + strconv.Itoa(i) + long})
	}
	if s.bytes > mostPathBytes || len(s.order) > mostPaths || len(s.refusals) > mostPathBytes/4000+1 || s.beyond < 3*mostPaths {
		t.Errorf("%d bytes, %d used, %d refused, %d beyond", s.bytes, len(s.order), len(s.refusals), s.beyond)
	}
}
