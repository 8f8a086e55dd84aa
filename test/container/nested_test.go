package container

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-75010da9/jail/test/shipped"
)

// Tier 2 within other kinds of walls. Here an ordinary user starts them, on the host.

// nested runs jail with --tier 2 behind the words of a launcher, and returns what
// it printed and its exit status.
func nested(t *testing.T, before []string, flags ...string) (string, int) {
	t.Helper()
	if os.Getuid() != 0 {
		shipped.LeaveOut(t, "only root can be somebody else for a test")
	}
	const user = 64321
	tmp, err := os.MkdirTemp(site, "tmp-")
	if err == nil {
		err = os.Chown(tmp, user, user)
	}
	if err != nil {
		t.Fatal(err)
	}
	words := append(append(before, filepath.Join(site, "jail"), "run", "-q", "--tier", "2"), flags...)
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], "TMP", tmp)
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		shipped.LeaveOut(t, err.Error())
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "TMPDIR=" + tmp}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// In bubblewrap, and as root of a user namespace with one id, who is an ordinary
// user outside.
func TestNested(t *testing.T) {
	for _, c := range []struct {
		name, uid string
		before    []string
	}{
		{"bubblewrap", "64321", []string{"bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", "TMP", "TMP", "--unshare-all"}},
		{"a map of one id", "0", []string{"unshare", "-Ur"}},
	} {
		out, status := nested(t, c.before, "--timeout", "60s", "--profile", "sh", "--", "-c", "id -u; setsid sleep 4242 & cat /etc/shadow; true")
		if status != 0 || !strings.HasPrefix(out, c.uid+"\n") || !strings.Contains(out, "ermission denied") {
			t.Errorf("%s: status %d: %s", c.name, status, out)
		}
	}
}

// Boxes do not nest, and say so.
func TestBoxInBox(t *testing.T) {
	for _, tier := range []string{"1", "2"} {
		out, status := nested(t, []string{filepath.Join(site, "jail"), "run", "-q", "--optional", "cgroup", "--tier", tier, "--ro", filepath.Join(site, "jail"), "--"}, "/bin/true")
		if status != 125 || !strings.Contains(out, "boxes do not nest") {
			t.Errorf("in tier %s: status %d: %s", tier, status, out)
		}
	}
}
