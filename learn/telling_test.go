package learn

import (
	"testing"

	"github.com/seed-75010da9/jail/jail"
)

// Runs with names before and after one without, and what they tell of each other.
func TestTelling(t *testing.T) {
	text := func(s string) Left { return Left{"stdout": Said([]byte(s))} }
	files := func(names ...string) Left {
		l := Left{"/out": {Kind: "d"}}
		for i := 0; i < len(names); i += 2 {
			l[names[i]] = Said([]byte(names[i+1]))
		}
		return l
	}
	long := func(n int64) Left {
		return Left{"stdout": {Size: n, Sum: [32]byte{byte(n)}, Text: func() ([]byte, bool) { return nil, false }}}
	}
	wrote := func(path string) Left {
		l := Left{}
		l.Wrote(&jail.Used{Paths: []jail.PathUse{{Real: path, Kind: jail.MountRW, Anew: true, Written: true}, {Real: "/src", Kind: jail.MountRO, Read: true}}})
		return l
	}
	for _, c := range []struct {
		name                   string
		before, without, after Left
		want                   Verdict
	}{
		{"the same", text("2\n"), text("2\n"), text("2\n"), Alike},
		{"of the same size", text("2\n"), text("0\n"), text("2\n"), Needed},
		{"a clock", text("12:00:01 done\n"), text("12:00:01 done\n"), text("12:00:02 done\n"), Alike},
		{"random words", text("id ab12-ff\n"), text("id cd34-ee\n"), text("id 00aa-bb\n"), Alike},
		{"times of any length", text("took 0.12 s"), text("took 0.9 s"), text("took 0.345 s"), Alike},
		{"a number beside a random word", text("2 ab12"), text("0 cd34"), text("2 ef56"), Unclear},
		{"a line less", text("a\nx1y\n"), text("x2y\n"), text("a\nx3y\n"), Unclear},
		{"random words of another length", text("id ab"), text("id c"), text("id ee"), Unclear},
		{"no text", text("\x00ab"), text("\x00cd"), text("\x00ef"), Alike},
		{"no text, and shorter", text("\x00ab"), text("\x00c"), text("\x00ef"), Unclear},
		{"too long to be looked into", long(1), long(2), long(3), Unclear},
		{"a file that is empty", files("/out/r", "2"), files("/out/r", ""), files("/out/r", "2"), Needed},
		{"a file less", files("/out/a", ""), files(), files("/out/a", ""), Needed},
		{"a file more", files(), files("/out/error", ""), files(), Needed},
		{"random names", files("/out/x1", "a"), files("/out/x2", "a"), files("/out/x3", "a"), Alike},
		{"random names of other things", files("/out/x1", "a"), files("/out/x2", "b"), files("/out/x3", "a"), Unclear},
		{"random names, and none", files("/out/x1", "a"), files(), files("/out/x3", "a"), Unclear},
		{"what lies in random names", files("/out/x1", "", "/out/x1/f", "a"), files("/out/x2", "", "/out/x2/f", "a"), files("/out/x3", "", "/out/x3/f", "a"), Alike},
		{"another mode", Left{"/f": {Kind: "-rw"}}, Left{"/f": {Kind: "-r-"}}, Left{"/f": {Kind: "-rw"}}, Needed},
		{"a file that is not written again", wrote("/out/a"), Left{}, wrote("/out/a"), Needed},
		{"a file that is", wrote("/out/a"), wrote("/out/a"), wrote("/out/a"), Alike},
	} {
		if got := Telling(c.before, c.without, c.after); got != c.want {
			t.Errorf("%s: Telling(%v, %v, %v) = %v, want %v", c.name, c.before, c.without, c.after, got, c.want)
		}
	}
}

// What is the same in the watching box, each time, and another enforced is told.
func TestOtherwise(t *testing.T) {
	with := func(out string, wrote ...string) Left {
		l := Left{"stdout": Said([]byte(out))}
		for _, p := range wrote {
			l.Wrote(&jail.Used{Paths: []jail.PathUse{{Real: p, Kind: jail.MountRW, Written: true}}})
		}
		return l
	}
	for _, c := range []struct {
		before, here, after Left
		want                int
	}{
		{with("2", "/out/a"), with("2", "/out/a"), with("2", "/out/a"), 0},
		{with("2", "/out/a"), with("0"), with("2", "/out/a"), 2},
		{with("a1", "/out/x1"), with("a2", "/out/x2"), with("a3", "/out/x3"), 0},
		{with("made", "/out/a"), with("there"), with("there"), 0},
	} {
		if got := Otherwise(c.before, c.here, c.after); len(got) != c.want {
			t.Errorf("Otherwise(%v, %v, %v) = %q, want %d", c.before, c.here, c.after, got, c.want)
		}
	}
}
