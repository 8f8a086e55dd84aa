package jail

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/internal/testtree"
	"github.com/seed-75010da9/jail/internal/withheld"
	"golang.org/x/sys/unix"
)

// closedTree is a home of somebody's, and what lies around it.
func closedTree(t *testing.T, names ...string) string {
	t.Helper()
	return testtree.Home(t, ownTemp(t), names...)
}

// A named pipe is no more hinted to be written to than a socket, and a folder with one is
// with a word of it.
func TestHintsAreNotForWritingToPipes(t *testing.T) {
	needListener(t)
	dir := closedTree(t, "some/sub/x", "plain/x")
	if err := unix.Mkfifo(dir+"/some/sub/pipe", 0o666); err != nil {
		t.Fatal(err)
	}
	os.Chmod(dir+"/some/sub/pipe", 0o666)
	for script, want := range map[string]string{
		"echo x >DIR/some/sub/pipe": "comes to whatever reads from it", "cat <DIR/some/sub/pipe": "--ro " + dir + "/some/sub/pipe allows it", "echo x >DIR/some/new": "its sub/pipe as well",
	} {
		s := shell(strings.ReplaceAll(script, "DIR", dir) + " || exit 1")
		s.View, s.Trace = append(s.View, ro(dir+"/plain", dir+"/plain")), true
		res := runBox(t, s, IO{})
		if told := res.Hint + res.Message + deniedText(res); !strings.Contains(told, want) || strings.Contains(told, "--rw "+dir+"/some/sub") {
			t.Errorf("%s: %q, want %q", script, told, want)
		}
	}
}

// deniedText is what the denials of a record say of ways out.
func deniedText(res Result) string {
	var b strings.Builder
	for _, d := range res.Denials {
		b.WriteString(d.What + ": " + d.Way() + "; ")
	}
	return b.String()
}

// The command's words and git's variables name repositories.
func TestNamedPaths(t *testing.T) {
	r := run{spec: Spec{Dir: "/w", Args: []string{"git", "-C", "/a/repo", "--git-dir=/b/.git", "status", "-c", "x=../up"}, Env: []string{"GIT_DIR=/c/.git", "PATH=/d"}}}
	got := strings.Join(r.namedPaths(), " ")
	for p, want := range map[string]bool{"/w": true, "/a/repo": true, "/b/.git": true, "/c/.git": true, "/up": true, "/d": false} {
		if strings.Contains(" "+got+" ", " "+p+" ") != want {
			t.Errorf("namedPaths() = %s; want %s among them: %v", got, p, want)
		}
	}
}

// Nor has a program that fills its own folder the folder around it named, with a socket.
func TestHintsCantBeCrowded(t *testing.T) {
	needListener(t)
	dir := testtree.Crowded(t, ownTemp(t), 2500)
	s := shell("echo x >" + dir + "/big/new || exit 3")
	s.View, s.Trace = append(s.View, Mount{Kind: MountRW, Source: dir + "/big/ws", Target: dir + "/big/ws"}), true
	if res := runBox(t, s, IO{}); strings.Contains(res.Hint, "--rw "+dir) || !strings.Contains(res.Hint, "it holds a socket") {
		t.Errorf("%s: want no folder named", text(res))
	}
}

// What a program merely says it misses is answered with the same words whether the host
// has it or not, but beside the script that was given, in what was given, and among the
// system's packages.
func TestWordsAreNoOracle(t *testing.T) {
	dir := closedTree(t, "me/.bashrc", "me/job/x.js", "me/job/sub/y.js", "me/data/x.js", "me/.config/age/keys.txt", "me/node_modules/known/x", "me/job/node_modules/known2/x", "opt/x.js",
		"given/lib/x.js")
	hintOf := func(name string) string {
		s := shell("")
		script := dir + "/me/job/main.sh"
		if err := os.WriteFile(script, []byte("echo \"Error: Cannot find module '"+name+"'\" >&2; exit 1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		s.Args = []string{"/bin/sh", script}
		s.View = append(s.View, ro(script, script), Mount{Kind: MountTmpfs, Target: "/given", Size: 1 << 20}, ro(dir+"/given", "/given/x"))
		s.Dir = "/tmp"
		return strings.Replace(runBox(t, s, IO{}).Hint, fmt.Sprintf(": %q", name), "", 1) // which it may repeat
	}
	same := hintOf("/srv/nothing/of/that/name")
	for _, name := range []string{"DIR/me/data/x.js", "DIR/me/data/x2.js", "DIR/me/.config/age/keys.txt", "DIR/me/.config/age/none", "/root/.npmrc", "/etc/hostname", "/etc/shadow", "DIR/opt/x.js", "known", "../data/x.js",
		"../../me/.bashrc", "known/../../.bashrc", "/root", "/home", "DIR/me", "/proc/1/environ"} {
		if got := hintOf(strings.ReplaceAll(name, "DIR", dir)); got != same {
			t.Errorf("%s: hint %q, want what is said of what the host does not have, %q", name, got, same)
		}
	}
	for name, want := range map[string]string{"./x.js": "--ro DIR/me/job allows it", "./sub/y.js": "--ro DIR/me/job/sub allows it", "known2": "--ro DIR/me/job/node_modules allows it", "DIR/given/lib/x.js": "--ro DIR/given/lib allows it"} {
		at := strings.NewReplacer("DIR", dir)
		if got := hintOf(at.Replace(name)); !strings.HasSuffix(got, at.Replace(want)) {
			t.Errorf("%s: hint %q, want %q", name, got, at.Replace(want))
		}
	}
}

// Nothing is looked up below a mount whose server may never answer, and the run ends
// with its record.
func TestTraceEndsBelowADeadMount(t *testing.T) {
	needListener(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	mountDead(t, dir)
	s := shell("cat <" + dir + "/x; cat " + dir + "/y/z")
	s.Trace = true
	res := runBox(t, s, IO{})
	want(t, res, ReasonExecutionFailed)
	if slices.ContainsFunc(res.Denials, func(d Denial) bool { return strings.Contains(d.What, dir) }) {
		t.Errorf("%+v tells of what was not looked up", res.Denials)
	}
}

// mountDead mounts what never answers, until the test ends.
func mountDead(t *testing.T, dir string) {
	t.Helper()
	if os.Getuid() != 0 || unix.Access("/dev/fuse", unix.R_OK) != nil {
		t.Skip("it takes root and FUSE to mount what never answers")
	}
	fuse, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		unix.Close(fuse) // after which all that wait are answered
		unix.Unmount(dir, unix.MNT_DETACH)
	})
	if err := unix.Mount("hang", dir, "fuse", 0, fuseOptions(fuse)); err != nil {
		t.Skip(err)
	}
}

func fuseOptions(fd int) string {
	return "fd=" + strconv.Itoa(fd) + ",rootmode=40000,user_id=0,group_id=0,allow_other"
}

// What no hint names it names by no other path either, be that a bind mount of it, of a
// folder around it or in it, or one that lies in what would be named.
func TestHintsKnowBindMounts(t *testing.T) {
	for _, c := range []struct {
		from, to, path string
		use            withheld.Use
		want           string
	}{
		{"me/.ssh", "alias", "alias/config", withheld.Read, "me/.ssh/config\" as well, and it is where somebody's keys"},
		{"me/.ssh", "alias", "alias", withheld.Read, "me/.ssh\" as well, and it is where somebody's keys"},
		{"me/.ssh", "deep/in", "deep", withheld.Read, "which is mounted in it: it is"},
		{"me/.config/app", "alias", "alias", withheld.Read, "me/.config/app\" as well, and what is hidden in a home"},
		{"me", "alias", "alias", withheld.Read, "where keys or tokens are kept"},
		{"me", "alias", "alias/.config", withheld.Read, "hidden in a home"},
		{"job/secrets", "alias", "alias/x", withheld.Read, "as well, and it is called as keys"},
		{"me/tools/bin", "alias", "alias", withheld.Write, "me/tools/bin\" as well, and programs that you run"},
		{"me/tools/bin", "alias", "alias", withheld.Read, ""},
		{"me/tools/src", "alias", "alias/tool.sh", withheld.Write, ""},
		{"job/.git", "alias", "alias/hooks", withheld.Write, "what is hidden tells programs"},
		{"job/data", "alias", "alias", withheld.Write, ""},
		{"job/data", "alias", "alias/x", withheld.Read, ""},
		{"job/data", "deep/in", "deep", withheld.Read, ""},
	} {
		t.Run(c.from+" "+c.path, func(t *testing.T) {
			dir := closedTree(t, "me/.bashrc", "me/.ssh/config", "me/.config/app/x", "me/tools/bin/x", "me/tools/src/tool.sh", "job/secrets/x", "job/.git/hooks/x", "job/data/x", "alias/", "deep/in/")
			onto(t, "--bind", filepath.Join(dir, c.from), filepath.Join(dir, c.to))
			h := withheld.New()
			f, ok := h.At(filepath.Join(dir, c.path))
			if got := h.Why(f, c.use); !ok || !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
				t.Errorf("unhintable(%s) = %q, %v, want %q", c.path, got, ok, c.want)
			}
		})
	}
}
