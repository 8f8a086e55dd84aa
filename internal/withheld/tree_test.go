package withheld

import (
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/testtree"
)

// A folder is looked through to its end, however much a program puts before what it is
// not to be given, and is not named where that is too much.
func TestTreesAreLookedThroughToTheirEnd(t *testing.T) {
	dir := testtree.Crowded(t, testtree.Outside(t), 3000)
	h := New()
	if f, ok := h.At(dir + "/big"); !ok || !strings.Contains(h.Why(f, Read), "it holds a socket") {
		t.Errorf("unhintable: %q, want the socket found", h.Why(f, Read))
	}
	if at, unseen := h.SocketIn(dir + "/big"); at != dir+"/big/other/deep" || unseen != "" {
		t.Errorf("a socket in %q, unseen: %q", at, unseen)
	}
	if said, unseen := h.through(dir+"/big", 2000, judgeIn(dir+"/big")); said != "" || unseen != "there is too much in it" {
		t.Errorf("2000 entries looked at: %q, %q", said, unseen)
	}
}

// What can't be read by its path, or in time, is not taken for empty; and a loop of links
// is none that a look goes round.
func TestTreesThatCantBeLookedThrough(t *testing.T) {
	dir := closedTree(t, "deep/x", "loop/x", "slow/x", "me/x")
	os.Symlink(".", dir+"/loop/self")
	os.Symlink("../loop", dir+"/loop/again")
	long := strings.Repeat("n", 250)
	at, err := unix.Open(dir+"/deep", unix.O_PATH|unix.O_CLOEXEC, 0)
	for i := 0; i < 20 && err == nil; i++ {
		var next int
		if err = unix.Mkdirat(at, long, 0o755); err == nil {
			next, err = unix.Openat(at, long, unix.O_PATH|unix.O_CLOEXEC, 0)
		}
		unix.Close(at)
		at = next
	}
	if err != nil {
		t.Fatal(err)
	}
	unix.Close(at)
	for p, want := range map[string]string{"deep": "can't be read", "loop": ""} {
		h := New()
		f, ok := h.At(dir + "/" + p)
		if got := h.Why(f, Read); !ok || !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %q, %v, want %q", p, got, ok, want)
		}
	}
	h := New()
	l := treeLook{h: h, judge: judgeIn(dir + "/slow"), until: time.Now().Add(-time.Second), left: mostOfTree}
	if said := l.folder(dir + "/slow"); said != "" || l.unseen == "" || l.left != 0 {
		t.Errorf("a look whose time is over says %q, unseen: %q", said, l.unseen)
	}
	h.closed = []string{dir + "/loop/x"}
	if _, unseen := h.through(dir, mostOfTree, func(string, os.FileMode) string { return "" }); unseen == "" {
		t.Errorf("a tree with a folder that can't be read by its path is said to be seen")
	}
}

// Keys and homes are found wherever they lie in a folder.
func TestFoldersAreJudgedByAllThatTheyHold(t *testing.T) {
	dir := closedTree(t, "me/x", "nest/sub/conf/.ssh/known", "aws/a/b/.aws/x", "site/deploy/server.key", "copy/old/bob/.bashrc", "tokens/huggingface/token",
		"code/node_modules/x/test/server.key", "code/lib/site-packages/x/.netrc", "code/a/.npmrc", "gh/a/.config/gh/hosts.yml", "plain/.config/app/x", "plain/.git/config")
	h := New()
	for p, want := range map[string]string{
		"nest": "it holds \"sub/conf/.ssh\", where keys", "aws": "it holds \"a/b/.aws\", where keys", "site": "it holds \"deploy/server.key\", which is called as keys",
		"copy": "it holds \"old/bob/.bashrc\", by which it is a home", "gh": "it holds \"a/.config/gh\", where keys", "code": "", "plain": "",
	} {
		f, ok := h.At(dir + "/" + p)
		if got := h.Why(f, Read); !ok || !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("unhintable(%s) = %q, %v, want %q", p, got, ok, want)
		}
	}
}
