package jail

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/internal/shellword"
)

// What a fault of a view says of another path of it is a word of a shell's, whatever
// the path.
func TestFaultsHoldWords(t *testing.T) {
	dir := ownTemp(t)
	evil := filepath.Join(dir, "a\n;touch INJ1;echo $(touch INJ2)")
	for _, p := range []string{evil + "/kept", dir + "/plain"} {
		if err := os.MkdirAll(p, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	rw := func(p string) Mount { return Mount{Kind: MountRW, Source: p, Target: p} }
	box := "/" + filepath.Base(evil)
	for name, c := range map[string]struct {
		tier Tier
		view []Mount
		word string
	}{
		"a mount point that is not there": {Tier1, []Mount{ro(evil, "/x"), ro(dir+"/plain", "/x/none")}, evil},
		"a link in a granted tree":        {Tier1, []Mount{ro(evil, "/x"), {Kind: MountLink, Source: "to", Target: "/x/link"}}, evil},
		"below a made-up file":            {Tier1, []Mount{{Kind: MountFile, Target: box}, ro(dir+"/plain", box+"/x")}, box},
		"within a writable grant":         {Tier2, []Mount{rw(evil), ro(evil+"/kept", evil+"/kept")}, evil},
		"at another path":                 {Tier2, []Mount{ro(evil, dir+"/plain")}, evil},
	} {
		look := resolve
		if c.tier == Tier2 {
			look = resolveInPlace
		}
		_, faults := look(Spec{View: c.view, Tier: c.tier, Limits: Limits{}.WithDefaults()})
		if len(faults) != 1 || !strings.Contains(faults[0].Want, shellword.Quote(c.word)) || strings.Contains(faults[0].Want, "\n") {
			t.Errorf("%s: %q, want %s in it", name, faults, shellword.Quote(c.word))
		}
	}
}

// The interpreter that a script names is the script's word.
func TestMissingInterpreterIsAWord(t *testing.T) {
	dir := t.TempDir()
	named := filepath.Join(dir, "g/a;touch$(INJ)") // which a box is given at another place
	for file, text := range map[string]string{named: "", filepath.Join(dir, "g/script"): "#!" + named + "\n"} {
		os.MkdirAll(filepath.Dir(file), 0o755)
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	res, err := Run(t.Context(), Spec{Args: []string{"/g/script"}, Optional: missingHere(), CgroupParent: givenGroup(), View: []Mount{ro(dir+"/g", "/g")}})
	if want := "grant it with --ro '" + named + "'"; err == nil || res.Hint != want {
		t.Errorf("%v: hint %q, want %q", err, res.Hint, want)
	}
}
