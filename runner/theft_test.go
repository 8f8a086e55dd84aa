package runner

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
	"github.com/seed-75010da9/jail/test/shipped"
	"golang.org/x/sys/unix"
)

// spy is what a program does that the source starts: it looks into the process of the
// runner, and into one of its own as a control, and says what it could do.
const spy = `sleep 100 &
for p in $PARENT $!; do
  [ -n "$(cat /proc/$p/maps 2>/dev/null)" ] && echo maps
  (: </proc/$p/mem) 2>/dev/null && echo read
  (: >>/proc/$p/mem) 2>/dev/null && echo write
  (: <>/proc/$p/fd/0) 2>/dev/null && echo stdin
  cat /proc/$p/environ >/dev/null 2>&1 && echo environ
  for fd in /proc/$p/fd/[3-9]; do [ -e "$fd" ] && (: <>$fd) 2>/dev/null && echo opened $fd; done
  echo .
done
kill $!`

// What the source starts can't look into the process that answers, nor change it: not
// the request with its token in it, not what the answer is made of.
func TestAnswerIsOutOfReach(t *testing.T) {
	// Nothing, and as a control what an ordinary process has open to it. In tier 2
	// Landlock keeps it from everybody; nobody writes to what is in /proc.
	want := map[jail.Tier]string{jail.Tier1: ".\nmaps\nread\nstdin\nenviron\n.\n", jail.Tier2: ".\nstdin\n.\n"}
	sources := map[Language]string{
		Python: "import os, subprocess\nreturn subprocess.run(['sh', '-c', input], env=dict(os.environ, PARENT=str(os.getpid())), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, universal_newlines=True).stdout",
		Node:   "return require('child_process').execFileSync('sh', ['-c', input], {env: {...process.env, PARENT: process.pid}, stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8'})",
	}
	for l, source := range sources {
		for tier, want := range want {
			o := bounds()
			o.Tier = tier
			if tier == jail.Tier2 && l == Python {
				continue // a Python in somebody's home can't be granted in place
			}
			res := evaluate(t, l, Request{Source: source, Input: quoted(t, spy)}, o)
			var value string
			if json.Unmarshal(res.Value, &value); res.Reason != jail.ReasonOK || value != want {
				t.Errorf("%s, tier %d: value %q, want %q: %s; stderr %.300s", l, tier, value, want, res.Message, res.Stderr.Text)
			}
		}
	}
}

// A library that lay under a name in a folder of several boxes, if for a moment, could be
// another one by the time that it is loaded.
func TestLibraryHasNoName(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if _, err := unix.InotifyAddWatch(fd, dir, unix.IN_CREATE|unix.IN_MOVED_TO); err != nil {
		t.Fatal(err)
	}
	o := bounds()
	o.RW, o.Env = []profiles.Grant{{Host: dir}}, []string{"TMPDIR=" + dir}
	source := "return require('fs').statSync('/proc/self/environ').uid === process.getuid()"
	if res := evaluate(t, Node, Request{Source: source}, o); string(res.Value) != "false" {
		t.Errorf("value %s, want false, as of what is not dumpable: %s", res.Value, res.Message)
	}
	events := make([]byte, 4096)
	if n, err := unix.Read(fd, events); err != unix.EAGAIN {
		t.Errorf("something was made there: %q, %v", events[:max(n, 0)], err)
	}
}

// Node.js listens for a debugger when it gets a signal, which any process of the box can
// send it, and a debugger can have it answer anything.
func TestNobodyDebugs(t *testing.T) {
	o := bounds()
	o.Net = jail.NetLoopback
	source := `process.kill(process.pid, 'SIGUSR1');
for (let i = 0; i < 20; i++) {
  await new Promise((go) => setTimeout(go, 50));
  const socket = require('net').connect(9229, '127.0.0.1');
  if (await new Promise((go) => socket.on('connect', () => go(true)).on('error', () => go(false)))) return 'it listens';
}
return 'nobody listens'`
	if res := evaluate(t, Node, Request{Source: source}, o); string(res.Value) != `"nobody listens"` {
		t.Errorf("value %s: %s", res.Value, res.Message)
	}
}

// The runner leaves nothing in the folder from which it loads its library.
func TestLibraryIsGone(t *testing.T) {
	res := evaluate(t, Node, Request{Source: "const fs = require('fs'); return [fs.readdirSync('/tmp'), fs.readFileSync('/proc/self/maps', 'utf8').includes('.jail-')]"}, bounds())
	if string(res.Value) != "[[],false]" {
		t.Errorf("value %s: %s", res.Value, res.Message)
	}
}

// Where it can't be loaded the source is evaluated nevertheless.
func TestNoRoomForTheLibrary(t *testing.T) {
	o := bounds()
	o.Env = []string{"TMPDIR=/nowhere"}
	if res := evaluate(t, Node, Request{Source: "return 'mine'"}, o); string(res.Value) != `"mine"` {
		t.Errorf("value %s: %s", res.Value, res.Message)
	}
}

// What is committed is what its source makes.
func TestHideLibrary(t *testing.T) {
	if _, err := exec.LookPath("aarch64-linux-gnu-gcc"); err != nil {
		shipped.LeaveOut(t, "a compiler for the other architecture: "+err.Error())
	}
	dir := t.TempDir()
	if out, err := exec.Command("hide/build.sh", dir).CombinedOutput(); err != nil {
		t.Fatalf("hide/build.sh: %v\n%s", err, out)
	}
	for _, name := range []string{"hide_amd64.so", "hide_arm64.so"} {
		built, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		committed, err := os.ReadFile(filepath.Join("hide", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(built, committed) {
			t.Errorf("hide/%s is not what hide/build.sh makes with Debian 12's gcc", name)
		}
	}
}

func quoted(t *testing.T, s string) json.RawMessage {
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
