package withheld

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Where somebody's settings, keys and histories are no hint leads, whatever program's they
// are, nor to sockets; and where work and packages are it does.
func TestHintsAreClosedByShape(t *testing.T) {
	dir := closedTree(t, "me/.bashrc", "me/.config/none-that-anybody-knows/x", "me/job/in.csv", "me/job/.eslintrc.json", "me/job/node_modules/left-pad/token.js", "me/job/key.pem", "me/job/data/x",
		"me/job/cacert.pem", "me/job/tokenizer.json", "me/job/.env", "me/job/.env.example", "me/job/sub/credentials/x", "me/job/sub/server.key", "me/job/sub/token.json", "me/job/sub/token.py",
		"me/.cache/pip/x", "me/.local/lib/python3.11/site-packages/x", "me/go/pkg/mod/x", "me/.cargo/registry/x", "me/.env", "me/.age/key.txt", "me/.local/state/bash/history", "me/.secrets/x",
		"me/.cache/other", "me/.local/share/gopass/x", "me/.mycli-history", "copy/.profile", "copy/.config/x/y", "copy/work/x", "run/deep/x", "me/tools/bin/x")
	l, err := net.Listen("unix", filepath.Join(dir, "run/deep/bus"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	h := New()
	for p, want := range map[string]string{
		"me/job/in.csv": "", "me/job/.eslintrc.json": "", "me/job/node_modules/left-pad": "", "me/job/node_modules/left-pad/token.js": "", "me/job/data": "", "me/job/cacert.pem": "",
		"me/job/tokenizer.json": "", "me/job/.env.example": "", "me/job/sub/token.py": "", "me/.cache/pip": "", "me/.local/lib/python3.11/site-packages": "", "me/go/pkg/mod": "", "me/.cargo/registry/x": "",
		"copy/work": "", "copy/work/x": "", "me/tools/bin": "", "run/deep/x": "",
		"me/.bashrc": "hidden", "me/.config": "hidden", "me/.config/none-that-anybody-knows": "hidden", "me/.config/none-that-anybody-knows/x": "hidden", "me/.env": "hidden", "me/.age/key.txt": "hidden",
		"me/.local/state/bash/history": "hidden", "me/.secrets": "hidden", "me/.local": "hidden", "me/.local/share/gopass": "hidden", "me/.mycli-history": "hidden", "me/.cache": "hidden", "me/.cache/other": "hidden",
		"copy": "whole home", "copy/.config/x/y": "hidden", "copy/.profile": "hidden",
		"me/job": "which is called as keys", "me/job/key.pem": "called as keys", "me/job/.env": "called as keys", "me/job/sub/credentials": "called as keys", "me/job/sub/credentials/x": "called as keys",
		"me/job/sub/server.key": "called as keys", "me/job/sub/token.json": "called as keys",
		"run": "holds a socket", "run/deep": "holds a socket", "run/deep/bus": "sockets and devices",
	} {
		f, ok := h.At(filepath.Join(dir, p))
		if got := h.Why(f, Read); !ok || !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("unhintable(%s) = %q, %v, want %q", p, got, ok, want)
		}
	}
	for _, p := range []string{"/run/user/1000", "/run/dbus", "/var/run/x", "/tmp/.X11-unix", "/tmp/tmux-1000", "/tmp/ssh-abc/agent.1", "/var/tmp/.x", "/root/.x", "/home/bob/.local/share/x"} {
		if got := h.Why(File{Real: p, Mode: unix.S_IFDIR}, Read); !strings.HasPrefix(got, NotHinted) {
			t.Errorf("unhintable(%s) = %q, want a reason", p, got)
		}
	}
}

// What somebody runs, or reads to know what to do, no hint has written to by a box.
func TestHintsAreNotForWhatIsRun(t *testing.T) {
	dir := closedTree(t, "me/tools/bin/x", "me/job/.git/hooks/x", "me/job/.vscode/x", "me/job/.husky/x", "me/job/node_modules/.bin/x", "me/job/node_modules/x/index.js", "me/job/venv/pyvenv.cfg", "me/job/venv/bin/x",
		"me/job/lib/site-packages/x", "me/job/out/x", "me/job/.pytest_cache/x", "me/.local/bin/x", "me/.cache/pip/x", "me/.config/git/hooks/x", "data/x", "deep/.hidden/x/y", "me/bin/x", "me/go/bin/x", "me/go/src/x")
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h := New()
	for p, want := range map[string]string{
		"me/job": "", "me/job/out": "", "me/job/out/x": "", "me/job/.pytest_cache": "", "data": "", "data/x": "", "deep": "",
		"me/bin": "programs that you run", "me/go": "programs that you run", "me/go/src": "", "me/tools/bin": "programs that you run", "me/tools/bin/x": "programs that you run", "me/tools": "programs that you run", "me/job/.git": "hidden", "me/job/.git/hooks": "hidden", "me/job/.vscode": "hidden",
		"me/job/.husky": "hidden", "me/job/node_modules/.bin": "installed there", "me/job/node_modules/x": "installed there", "me/job/node_modules": "installed there", "me/job/venv": "virtual environment", "me/job/venv/bin": "virtual environment", "me/job/venv/bin/x": "virtual environment",
		"me/job/lib/site-packages": "installed there", "me/.local/bin": "hidden", "me/.cache/pip": "hidden", "me/.config/git/hooks": "hidden", "deep/.hidden/x": "hidden",
	} {
		f, ok := h.At(filepath.Join(dir, p))
		if got := h.Why(f, Write); !ok || !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("unhintable(%s) to be written = %q, %v, want %q", p, got, ok, want)
		}
	}
	for _, p := range []string{filepath.Dir(own), "/etc", "/usr/local/share", "/opt/x"} {
		if got := h.Why(File{Real: p, Mode: unix.S_IFDIR}, Write); got == "" {
			t.Errorf("unhintable(%s) to be written: want a reason", p)
		}
	}
}

// What the system keeps from others is hinted at to nobody, whatever it is.
func TestHintsAreNotForWhatTheSystemKeeps(t *testing.T) {
	h := New()
	for _, c := range []struct {
		path string
		mode uint32
		kept bool
		want string
	}{
		{"/etc/hosts-of-ours", 0o644, false, ""}, {"/etc/mail.cnf", 0o640, true, "not for everybody"}, {"/var/lib/db/x", 0o644, true, "not for everybody"}, {"/srv/job/x", 0o600, true, ""}, {"/opt/tool/lib", 0o644, false, ""},
	} {
		got := h.Why(File{Real: c.path, Mode: unix.S_IFREG | c.mode, Kept: c.kept}, Read)
		if strings.HasPrefix(got, NotHinted) != (c.want != "") || !strings.Contains(got, c.want) {
			t.Errorf("unhintable(%s, Kept: %v) = %q, want %q", c.path, c.kept, got, c.want)
		}
	}
	dir := closedTree(t, "open/x", "shut/x", "open/own")
	os.Chmod(dir+"/shut", 0o700)
	os.Chmod(dir+"/open/own", 0o640)
	for p, want := range map[string]bool{"open": false, "open/x": false, "open/own": true, "shut": true, "shut/x": true} {
		if f, ok := h.At(dir + "/" + p); !ok || f.Kept != want {
			t.Errorf("%s: %+v, %v, want kept: %v", p, f, ok, want)
		}
	}
}

// A program that a link of PATH leads to is one that is run, wherever it lies, as are the
// links on the way, and another name of a file that lies there.
func TestHintsAreNotForWhatLinksOfPathLeadTo(t *testing.T) {
	dir := closedTree(t, "me/x", "me/tools/bin/", "me/tools/src/tool.sh", "me/tools/src/other", "pkg/1.0/run.js", "pkg/data/x", "hard/twin", "hard/single", "far/x")
	os.Symlink("../src/tool.sh", dir+"/me/tools/bin/tool")
	os.Symlink("1.0", dir+"/pkg/current")
	os.Symlink(dir+"/pkg/current/run.js", dir+"/me/tools/bin/run")
	os.Symlink("../../../far", dir+"/me/tools/bin/folder")
	os.Symlink("loop", dir+"/me/tools/bin/loop")
	if err := os.Link(dir+"/hard/twin", dir+"/me/tools/bin/twin"); err != nil {
		t.Fatal(err)
	}
	h := New()
	for p, refused := range map[string]bool{
		"me/tools/src/tool.sh": true, "me/tools/src": true, "me/tools/src/other": false, "pkg": true, "pkg/1.0": true, "pkg/1.0/run.js": true, "pkg/data": false,
		"hard/twin": true, "hard/single": false, "far": false,
	} {
		f, ok := h.At(filepath.Join(dir, p))
		if got := h.Why(f, Write); !ok || strings.Contains(got, "programs that you run") != refused || (got != "") != refused {
			t.Errorf("unhintable(%s) to be written = %q, %v, want refused: %v", p, got, ok, refused)
		}
		if got := h.Why(f, Read); got != "" {
			t.Errorf("unhintable(%s) to be read = %q", p, got)
		}
	}
}
