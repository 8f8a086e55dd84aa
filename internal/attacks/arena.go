package attacks

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/jail"
)

// T is what of a test's *testing.T the table needs: the run is given up by Fatal,
// and what was asked for by Cleanup happens in the end, the last first.
type T interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Error(args ...any)
	Cleanup(func())
}

// An Arena is one run's place on the host, and what its caller has.
type Arena struct {
	t      T
	role   Role
	where  Place
	off    []ablation.Wall
	dir    string // the caller's own folder, not granted
	secret string // what must not get out

	// Spec is the box that is asked for.
	Spec   jail.Spec
	env    []string   // of the caller, besides nothing
	leaked []*os.File // the caller has these from leakedFD on, for everybody to inherit
	stdin  *os.File   // the caller's; nil: /dev/null
	stdout *os.File   // the caller's; nil: /dev/null
	wins   bool       // the attack must succeed, so it is waited for
	dead   bool       // the caller is killed meanwhile, and answers nothing
	stdio  bool       // the program is connected to these
	tty    *os.File   // the caller's controlling terminal
	groups []uint32   // the caller's supplementary groups
	key    string     // in the caller's session key ring

	// during is what happens on the host while the attack runs.
	during func(caller *os.Process)
	// effect says whether the attack had its effect: nil if so, else what was
	// seen instead. Unset, the attack's own word counts.
	effect func(Answer) error
}

// atOnce has the race detector's runtime, should it be in this binary, end
// without sleeping for a second.
const atOnce = "GORACE=atexit_sleep_ms=0"

// NewArena makes the caller's folder and a box that grants the attacker's
// binary and nothing else.
func NewArena(t T, r Row, who Role, where Place, off []ablation.Wall) *Arena {
	t.Helper()
	dir, err := os.MkdirTemp(who.site.dir, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	a := &Arena{t: t, role: who, where: where, off: off, dir: dir, secret: "secret-" + rand.Text()}
	a.own(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	a.Spec = jail.Spec{
		Args:   []string{a.role.site.attacker, r.name},
		Env:    []string{atOnce},
		Dir:    "/",
		View:   []jail.Mount{{Kind: jail.MountRO, Source: a.role.site.attacker, Target: a.role.site.attacker}},
		Limits: jail.Limits{Timeout: a.role.site.patience(20 * time.Second), Memory: 256 << 20, Pids: 64, TmpSize: 4 << 20},
		Tier:   who.Tier,

		CgroupParent: a.role.site.parent,
	}
	if a.role.site.dynamic {
		for _, lib := range []string{"/lib", "/lib64", "/usr/lib", "/usr/lib64"} {
			a.Spec.View = append(a.Spec.View, jail.Mount{Kind: jail.MountSystem, Source: lib, Target: lib})
		}
	}
	if !who.Group {
		a.Spec.Optional = append(a.Spec.Optional, jail.LayerCgroup)
	}
	if LandlockABI() == 0 {
		a.Spec.Optional = append(a.Spec.Optional, jail.LayerLandlock)
	}
	if r.arena != nil {
		r.arena(a)
	}
	return a
}

// own makes path the caller's.
func (a *Arena) own(path string) string {
	a.t.Helper()
	if os.Getuid() == 0 {
		if err := os.Lchown(path, a.role.UID, a.role.GID); err != nil {
			a.t.Fatal(err)
		}
	}
	return path
}

// Folder makes a folder of the caller's.
func (a *Arena) Folder(name string) string {
	a.t.Helper()
	path := filepath.Join(a.dir, name)
	if err := os.MkdirAll(path, 0o755); err != nil {
		a.t.Fatal(err)
	}
	return a.own(path)
}

// File makes a file of the caller's, for nobody else to read.
func (a *Arena) File(name, content string) string {
	a.t.Helper()
	path := filepath.Join(a.dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		a.t.Fatal(err)
	}
	return a.own(path)
}

// hidden is a file with the secret in a folder that is not granted.
func (a *Arena) hidden() string {
	a.Folder("hidden")
	return a.File("hidden/secret", a.secret)
}

// grant makes a folder of the caller's that the box is given at the path that
// it has on the host.
func (a *Arena) grant(kind jail.MountKind, name string) string {
	path := a.Folder(name)
	a.view(kind, path)
	return path
}

func (a *Arena) view(kind jail.MountKind, path string) {
	a.Spec.View = append(a.Spec.View, jail.Mount{Kind: kind, Source: path, Target: path})
}

// ro and RW are a granted folder each.
func (a *Arena) ro() string { return a.grant(jail.MountRO, "ro") }
func (a *Arena) RW() string { return a.grant(jail.MountRW, "rw") }

// Args are the attack's.
func (a *Arena) Args(args ...string) { a.Spec.Args = append(a.Spec.Args, args...) }

// leak opens path as the caller, for everybody to inherit.
func (a *Arena) leak(path string, flags int) {
	a.t.Helper()
	a.leaked = append(a.leaked, a.open(path, flags))
}

func (a *Arena) open(path string, flags int) *os.File {
	a.t.Helper()
	f, err := os.OpenFile(path, flags, 0)
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { f.Close() })
	return f
}

// Read is the content of a file on the host, now.
func (a *Arena) Read(path string) string {
	a.t.Helper()
	content, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		a.t.Fatal(err)
	}
	return string(content)
}

// Run has a caller carry the arena's order out.
func (a *Arena) Run() Answer {
	a.t.Helper()
	orders, sendOrder := a.pipe()
	readAnswer, answers := a.pipe()
	cmd := exec.Command(a.role.site.attacker)
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
	defer context.AfterFunc(a.role.site.ctx, func() { cmd.Process.Kill() })()
	tooLong := time.AfterFunc(a.role.site.patience(time.Minute), func() { cmd.Process.Kill() })
	defer tooLong.Stop()
	if err := json.NewEncoder(sendOrder).Encode(order{Spec: a.Spec, Off: a.off, Where: a.where, Stdio: a.stdio, Key: a.key}); err != nil {
		a.t.Error("order:", err)
	}
	sendOrder.Close()
	if a.during != nil {
		a.during(cmd.Process)
	}
	var got Answer
	if err := json.NewDecoder(readAnswer).Decode(&got); err != nil && !errors.Is(err, io.EOF) {
		a.t.Error("answer:", err)
	}
	cmd.Wait()
	got.Noise = a.Read(noise.Name())
	return got
}

func (a *Arena) pipe() (r, w *os.File) {
	a.t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}
