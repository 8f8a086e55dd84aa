package escape

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/jail"
)

// A role is who calls jail.
type role struct {
	name     string
	uid, gid int
	root     bool
	group    bool // a control group is to be had for its boxes
	tier     jail.Tier
}

// An arena is one run's place on the host, and what its caller has.
type arena struct {
	t      *testing.T
	role   role
	where  place
	off    []ablation.Wall
	dir    string // the caller's own folder, not granted
	secret string // what must not get out

	spec   jail.Spec
	env    []string   // of the caller, besides nothing
	leaked []*os.File // the caller has these from leakedFD on, for everybody to inherit
	stdin  *os.File   // the caller's; nil: /dev/null
	stdout *os.File   // the caller's; nil: /dev/null
	stdio  bool       // the program is connected to these
	tty    *os.File   // the caller's controlling terminal
	groups []uint32   // the caller's supplementary groups
	key    string     // in the caller's session key ring

	// during is what happens on the host while the attack runs.
	during func(caller *os.Process)
	// effect says whether the attack had its effect: nil if so, else what was
	// seen instead. Unset, the attack's own word counts.
	effect func(answer) error
}

// atOnce has the race detector's runtime, should it be in this binary, end
// without sleeping for a second.
const atOnce = "GORACE=atexit_sleep_ms=0"

// newArena makes the caller's folder and a box that grants the attacker's
// binary and nothing else.
func newArena(t *testing.T, r row, who role, where place, off []ablation.Wall) *arena {
	t.Helper()
	dir, err := os.MkdirTemp(site.dir, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	a := &arena{t: t, role: who, where: where, off: off, dir: dir, secret: "secret-" + rand.Text()}
	a.own(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	a.spec = jail.Spec{
		Args:   []string{site.attacker, r.name},
		Env:    []string{atOnce},
		Dir:    "/",
		View:   []jail.Mount{{Kind: jail.MountRO, Source: site.attacker, Target: site.attacker}},
		Limits: jail.Limits{Timeout: patience(5 * time.Second), Memory: 256 << 20, Pids: 64, TmpSize: 4 << 20},
		Tier:   who.tier,
	}
	if site.dynamic {
		for _, lib := range []string{"/lib", "/lib64", "/usr/lib", "/usr/lib64"} {
			a.spec.View = append(a.spec.View, jail.Mount{Kind: jail.MountSystem, Source: lib, Target: lib})
		}
	}
	if !who.group {
		a.spec.Optional = append(a.spec.Optional, jail.LayerCgroup)
	}
	if landlockABI() == 0 {
		a.spec.Optional = append(a.spec.Optional, jail.LayerLandlock)
	}
	if r.arena != nil {
		r.arena(a)
	}
	return a
}

// own makes path the caller's.
func (a *arena) own(path string) string {
	a.t.Helper()
	if os.Getuid() == 0 {
		if err := os.Lchown(path, a.role.uid, a.role.gid); err != nil {
			a.t.Fatal(err)
		}
	}
	return path
}

// folder makes a folder of the caller's.
func (a *arena) folder(name string) string {
	a.t.Helper()
	path := filepath.Join(a.dir, name)
	if err := os.MkdirAll(path, 0o755); err != nil {
		a.t.Fatal(err)
	}
	return a.own(path)
}

// file makes a file of the caller's, for nobody else to read.
func (a *arena) file(name, content string) string {
	a.t.Helper()
	path := filepath.Join(a.dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		a.t.Fatal(err)
	}
	return a.own(path)
}

// hidden is a file with the secret in a folder that is not granted.
func (a *arena) hidden() string {
	a.folder("hidden")
	return a.file("hidden/secret", a.secret)
}

// grant makes a folder of the caller's that the box is given at the path that
// it has on the host.
func (a *arena) grant(kind jail.MountKind, name string) string {
	path := a.folder(name)
	a.view(kind, path)
	return path
}

func (a *arena) view(kind jail.MountKind, path string) {
	a.spec.View = append(a.spec.View, jail.Mount{Kind: kind, Source: path, Target: path})
}

// ro and rw are a granted folder each.
func (a *arena) ro() string { return a.grant(jail.MountRO, "ro") }
func (a *arena) rw() string { return a.grant(jail.MountRW, "rw") }

// args are the attack's.
func (a *arena) args(args ...string) { a.spec.Args = append(a.spec.Args, args...) }

// leak opens path as the caller, for everybody to inherit.
func (a *arena) leak(path string, flags int) {
	a.t.Helper()
	a.leaked = append(a.leaked, a.open(path, flags))
}

func (a *arena) open(path string, flags int) *os.File {
	a.t.Helper()
	f, err := os.OpenFile(path, flags, 0)
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { f.Close() })
	return f
}

// read is the content of a file on the host, now.
func (a *arena) read(path string) string {
	a.t.Helper()
	content, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		a.t.Fatal(err)
	}
	return string(content)
}

// run has a caller carry the arena's order out.
func (a *arena) run() answer {
	a.t.Helper()
	orders, sendOrder := a.pipe()
	readAnswer, answers := a.pipe()
	cmd := exec.Command(site.attacker)
	cmd.Args = []string{callerName}
	cmd.Env = append([]string{"GOTRACEBACK=none", atOnce}, a.env...)
	cmd.Dir = a.dir
	noise, err := os.Create(filepath.Join(a.dir, "stderr"))
	if err != nil {
		a.t.Fatal(err)
	}
	defer noise.Close()
	cmd.Stderr = noise
	if a.stdin != nil {
		cmd.Stdin = a.stdin
	}
	if a.stdout != nil {
		cmd.Stdout = a.stdout
	}
	cmd.ExtraFiles = append([]*os.File{orders, answers}, a.leaked...)
	cmd.SysProcAttr = a.credential()
	cmd.SysProcAttr.Setsid = true
	if a.tty != nil {
		cmd.ExtraFiles = append(cmd.ExtraFiles, a.tty)
		cmd.SysProcAttr.Setctty, cmd.SysProcAttr.Ctty = true, givenFD+len(a.leaked)
	}
	if err := cmd.Start(); err != nil {
		a.t.Fatal("caller:", err)
	}
	orders.Close()
	answers.Close()
	tooLong := time.AfterFunc(patience(20*time.Second), func() { cmd.Process.Kill() })
	defer tooLong.Stop()
	if err := json.NewEncoder(sendOrder).Encode(order{Spec: a.spec, Off: a.off, Where: a.where, Stdio: a.stdio, Key: a.key}); err != nil {
		a.t.Error("order:", err)
	}
	sendOrder.Close()
	if a.during != nil {
		a.during(cmd.Process)
	}
	var got answer
	if err := json.NewDecoder(readAnswer).Decode(&got); err != nil && !errors.Is(err, io.EOF) {
		a.t.Error("answer:", err)
	}
	cmd.Wait()
	got.Noise = a.read(noise.Name())
	return got
}

func (a *arena) pipe() (r, w *os.File) {
	a.t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// credential starts a process as the caller.
func (a *arena) credential() *syscall.SysProcAttr {
	if os.Getuid() != 0 {
		return &syscall.SysProcAttr{}
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(a.role.uid), Gid: uint32(a.role.gid), Groups: a.groups}}
}
