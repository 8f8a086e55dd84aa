package threads

import (
	"os"
	"path/filepath"
	"testing"
)

// The limit that counts is the least of those of a group and of the groups around it, of
// which there may be some that can't be seen.
func TestLeftIn(t *testing.T) {
	type group struct{ max, current string } // "": it has no such file, as the root
	for name, c := range map[string]struct {
		groups []group // the outermost first
		want   int64
	}{
		"no group":             {nil, Unlimited},
		"the root":             {[]group{{}}, Unlimited},
		"without a limit":      {[]group{{}, {"max", "5"}}, Unlimited},
		"its own":              {[]group{{}, {"80", "5"}}, 75},
		"that of one around":   {[]group{{}, {"80", "5"}, {"max", "2"}}, 75},
		"the least":            {[]group{{}, {"80", "5"}, {"20", "2"}, {"max", "2"}}, 18},
		"what others have":     {[]group{{}, {"5000", "4990"}, {"max", "2"}}, 10},
		"used up":              {[]group{{}, {"5", "9"}}, 0},
		"not counted inside":   {[]group{{}, {"80", "5"}, {}}, 75},
		"unseen":               {[]group{{"max", "5"}, {"max", "2"}}, 0},
		"unseen, and no limit": {[]group{{"max", "5"}}, 0},
	} {
		at := t.TempDir()
		for i, g := range c.groups {
			if i > 0 {
				at = filepath.Join(at, "sub")
				os.Mkdir(at, 0o755)
			}
			for file, text := range map[string]string{"cgroup.procs": "1", "pids.max": g.max, "pids.current": g.current} {
				if text != "" {
					if err := os.WriteFile(filepath.Join(at, file), []byte(text+"\n"), 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		if got := LeftIn(at); got != c.want {
			t.Errorf("%s: LeftIn = %d, want %d", name, got, c.want)
		}
	}
}

// What all users have counts as this one's where that is enough.
func TestScarce(t *testing.T) {
	_, ok := userLimit()
	if got := Scarce(Unlimited); got != ok {
		t.Errorf("Scarce of all = %v, where a limit holds: %v", got, ok)
	}
	if Scarce(-1 << 40) {
		t.Errorf("Scarce of less than nothing")
	}
}
