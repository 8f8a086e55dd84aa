package jail

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// crowded is a folder with a socket that lies deeper than many files of another's, and
// with the files.
func crowded(t *testing.T, files int) string {
	t.Helper()
	dir := closedTree(t, "big/ws/", "big/other/deep/", "me/x")
	l, err := net.Listen("unix", filepath.Join(dir, "big/other/deep/s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	for i := range files {
		if err := os.WriteFile(filepath.Join(dir, "big/ws", fmt.Sprint(i)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A folder is looked through to its end, however much a program puts before what it is
// not to be given, and is not named where that is too much.
func TestTreesAreLookedThroughToTheirEnd(t *testing.T) {
	dir := crowded(t, 3000)
	h := NewHints().looks
	if f, ok := h.at(dir + "/big"); !ok || !strings.Contains(h.unhintable(f, hintRead), "it holds a socket") {
		t.Errorf("unhintable: %q, want the socket found", h.unhintable(f, hintRead))
	}
	if at, unseen := h.socketIn(dir + "/big"); at != dir+"/big/other/deep" || unseen != "" {
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
		h := NewHints().looks
		f, ok := h.at(dir + "/" + p)
		if got := h.unhintable(f, hintRead); !ok || !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %q, %v, want %q", p, got, ok, want)
		}
	}
	h := NewHints().looks
	l := treeLook{h: h, judge: judgeIn(dir + "/slow"), until: time.Now().Add(-time.Second), left: mostOfTree}
	if said := l.folder(dir + "/slow"); said != "" || l.unseen == "" || l.left != 0 {
		t.Errorf("a look whose time is over says %q, unseen: %q", said, l.unseen)
	}
	h.closed = []string{dir + "/loop/x"}
	if _, unseen := h.through(dir, mostOfTree, func(string, os.FileMode) string { return "" }); unseen == "" {
		t.Errorf("a tree with a folder that can't be read by its path is said to be seen")
	}
}

// Nor has a program that fills its own folder the folder around it named, with a socket.
func TestHintsCantBeCrowded(t *testing.T) {
	needListener(t)
	dir := crowded(t, 2500)
	s := shell("echo x >" + dir + "/big/new || exit 3")
	s.View, s.Trace = append(s.View, Mount{Kind: MountRW, Source: dir + "/big/ws", Target: dir + "/big/ws"}), true
	if res := runBox(t, s, IO{}); strings.Contains(res.Hint, "--rw "+dir) || !strings.Contains(res.Hint, "it holds a socket") {
		t.Errorf("%s: want no folder named", text(res))
	}
}

// Keys and homes are found wherever they lie in a folder.
func TestFoldersAreJudgedByAllThatTheyHold(t *testing.T) {
	dir := closedTree(t, "me/x", "nest/sub/conf/.ssh/known", "aws/a/b/.aws/x", "site/deploy/server.key", "copy/old/bob/.bashrc", "tokens/huggingface/token",
		"code/node_modules/x/test/server.key", "code/lib/site-packages/x/.netrc", "code/a/.npmrc", "gh/a/.config/gh/hosts.yml", "plain/.config/app/x", "plain/.git/config")
	h := NewHints().looks
	for p, want := range map[string]string{
		"nest": "it holds \"sub/conf/.ssh\", where keys", "aws": "it holds \"a/b/.aws\", where keys", "site": "it holds \"deploy/server.key\", which is called as keys",
		"copy": "it holds \"old/bob/.bashrc\", by which it is a home", "gh": "it holds \"a/.config/gh\", where keys", "code": "", "plain": "",
	} {
		f, ok := h.at(dir + "/" + p)
		if got := h.unhintable(f, hintRead); !ok || !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("unhintable(%s) = %q, %v, want %q", p, got, ok, want)
		}
	}
}
