package jail

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/seccomp"
	"golang.org/x/sys/unix"
)

// What is allowed with some arguments is not answered by those with which it is refused
// alone.
func TestWhyAsksWhatIsAllowed(t *testing.T) {
	policy, err := seccomp.Builtin("default")
	if err != nil {
		t.Fatal(err)
	}
	values := []uint64{0, 1, 2, 3, 4, 8, 10, 16, unix.TCGETS, unix.CLONE_NEWUSER, minusOne}
	for nr := range 470 {
		name := seccomp.Name(nr)
		allowed := func(args [6]uint64) bool {
			action, ok := policy.Action(int32(nr), seccomp.Arch(), args)
			return ok && action == unix.SECCOMP_RET_ALLOW
		}
		kinds := callKinds()[name]
		if name == "" || allowed([6]uint64{}) && len(kinds) == 0 || slices.ContainsFunc(kinds, func(k callKind) bool { return allowed(k.args) }) {
			continue
		}
		for i := range 36 {
			for _, v := range values {
				for _, w := range values {
					var args [6]uint64
					args[i/6], args[i%6] = v, w
					if allowed(args) {
						t.Fatalf("%s%v is allowed, and none of what is asked of it", name, args)
					}
				}
			}
		}
	}
}

// An ordinary user's box of tier 2 says rightly that it was Landlock as well, and a file's
// mode where it is that. (Run once more as one: see TestAsOrdinaryUser.)
func TestTier2TellsWhy(t *testing.T) {
	needLandlock(t)
	a, tries := whyOf(t, tier2(t, "true"), "/etc/passwd")
	if got := tries[accessRead]; got.Layer != LayerLandlock || got.Grant != "--ro /etc/passwd" || a.Note != "" {
		t.Errorf("%+v, note %q; want that Landlock refuses it", got, a.Note)
	}
	if got := tries[accessWrite]; got.Layer != LayerRoot || !strings.HasPrefix(got.Never, "its mode") {
		t.Errorf("%+v, want that its mode refuses it", got)
	}
}

// Where the box without Landlock comes to no answer, no wall is named.
func TestWhyDoesNotGuess(t *testing.T) {
	needLandlock(t)
	q, kind, err := parseQuestion("/etc/passwd")
	if err != nil {
		t.Fatal(err)
	}
	r, err := try1(t.Context(), tier2(t, "true"), q)
	if err != nil {
		t.Fatal(err)
	}
	a := Answer{Kind: kind}
	r.explain(&a, q, nil)
	for _, got := range a.Tried {
		if got.Errno == "EACCES" && (got.Why != untold || got.Layer != "" || got.Grant+got.Never != "") {
			t.Errorf("%+v: want that it could not be told", got)
		}
	}
}

// Which of the kernel's walls it was is found out by taking one away.
func TestWhyTellsLandlock(t *testing.T) {
	needLandlock(t)
	dir := tracedTree(t)
	s := tier2(t, "true")
	_, tries := whyOf(t, s, dir+"/data.txt")
	if got := tries[accessRead]; got.Allowed || got.Layer != LayerLandlock || got.Errno != "EACCES" || got.Grant != "--ro "+dir+"/data.txt" {
		t.Errorf("%+v, want EACCES by Landlock, and the grant", got)
	}
	_, tries = whyOf(t, s, dir+"/granted/hidden.txt")
	if got := tries[accessRead]; os.Getuid() == 0 && (got.Allowed || got.Layer != LayerRoot || !strings.HasPrefix(got.Never, "its mode")) {
		t.Errorf("%+v, want that it is the mode", got)
	}
}

// A folder in memory that every box has is told from the host's of the same name, and what
// is granted below it, or in its place, is the host's.
func TestWhyTellsOfOwnFolders(t *testing.T) {
	granted := shell("true")
	granted.View = append(granted.View, ro(t.TempDir(), "/tmp/granted"), rw(t.TempDir(), "/dev/shm"), Mount{Kind: MountTmpfs, Target: "/tmp/memory"})
	for path, own := range map[string]string{
		"/tmp/absent": "/tmp", "/tmp": "/tmp", "/tmp/memory/x": "/tmp", "/tmp/granted/x": "", "/dev/shm/x": "", "/tmpx": "", "/usr/x": "",
	} {
		a, _ := whyOf(t, granted, path)
		if own != "" && !strings.Contains(a.Text(), "  "+own+" is the box's own, in memory, and gone with it") || own == "" && strings.Contains(a.Note, "in memory") {
			t.Errorf("%s: note %q, want one of %q", path, a.Note, own)
		}
	}
}
