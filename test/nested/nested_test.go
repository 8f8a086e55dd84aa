// Package nested runs jail where something already stands around it.
package nested

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-75010da9/jail/test/shipped"
)

var jail string

func TestMain(m *testing.M) {
	if os.Args[0] == deniedName {
		fmt.Fprintln(os.Stderr, "denied:", denied(os.Args[1], os.Args[2], os.Args[3:]))
		os.Exit(1)
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "jail-nested-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err == nil {
		defer os.RemoveAll(dir)
		jail = filepath.Join(dir, "jail")
		err = shipped.Build(jail)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// In each place a box has all its walls, by the kernel's own evidence, and is not
// host root, as the host sees it; or there is a refusal that says why. Where that names
// a flag to go on with, the box with it runs.
func TestPlaces(t *testing.T) {
	if os.Getuid() != 0 {
		shipped.LeaveOut(t, "the places are made by root")
	}
	for _, p := range places() {
		t.Run(p.name, func(t *testing.T) {
			if len(p.words) > 0 {
				if _, err := exec.LookPath(p.words[0]); err != nil {
					shipped.LeaveOut(t, err.Error())
				}
			}
			r, uids := p.box(t)
			if p.refused == "" {
				r.stands(t, p, uids)
				return
			}
			if text := r.Message + " (" + r.Hint; r.Reason != "setup_refused" || !strings.Contains(text, p.refused) || uids != nil {
				t.Errorf("%s: %q, and a program of uid %v, want setup_refused: %s", r.Reason, text, uids, p.refused)
			}
			t.Logf("refused: %s (%s)", r.Message, r.Hint)
			if p.flags = suggested(r.Hint, p.flags); p.flags != nil {
				r, uids = p.box(t)
				r.stands(t, p, uids)
			}
		})
	}
}

// suggested is what a remedy says that flags are to be, or nil.
func suggested(remedy string, flags []string) []string {
	if strings.Contains(remedy, "--tier 2") {
		return []string{"--tier", "2"}
	}
	if _, layer, ok := strings.Cut(remedy, "--optional "); ok {
		return append(flags[:len(flags):len(flags)], "--optional", strings.Fields(layer)[0])
	}
	return nil
}

// box runs a box there, and says what the host saw of its program's uids.
func (p place) box(t *testing.T) (r record, uids []string) {
	t.Helper()
	program := []string{"/bin/sh", "-c", fmt.Sprintf("echo here; read line; : %q by %d", p.name, os.Getpid())}
	args := append(append(append([]string{}, p.words...), jail, "run", "-q", "--json", "--stdin", "-"), p.flags...)
	args = append(append(args, "--"), program...)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = "/"
	if p.userns {
		ids := []syscall.SysProcIDMap{{Size: 1 << 24}}
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, UidMappings: ids, GidMappings: ids, GidMappingsEnableSetgroups: true}
	}
	uids, out := watched(t, cmd, program)
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("no record: %v: %q", err, out)
	}
	return r, uids
}

// stands wants a box that ran, with all that it is to have.
func (r record) stands(t *testing.T, p place, uids []string) {
	t.Helper()
	if r.Reason != "ok" || r.Stdout.Text != "here\n" {
		t.Fatalf("%s: %s: %s (%s): %q", strings.Join(p.flags, " "), r.Reason, r.Message, r.Hint, r.Stdout.Text)
	}
	r.wallsStand(t, p)
	r.isNotHostRoot(t, p, uids)
}

// wallsStand checks the layers: all of them, but for what the flags gave up.
func (r record) wallsStand(t *testing.T, p place) {
	t.Helper()
	var gone []string
	for _, l := range r.Layers {
		if !l.Applied {
			gone = append(gone, l.Name)
		}
	}
	if without := strings.Join(gone, " "); without != "" && !(len(p.flags) > 0 && without == "cgroup") && !(r.Tier == 2 && strings.TrimSuffix(without, " cgroup") == "namespaces root") {
		t.Errorf("without %s: %+v", without, r.Layers)
	}
	if r.Tier == 2 {
		t.Logf("jail run %s: Landlock, seccomp and no capabilities", strings.Join(p.flags, " "))
		return
	}
	t.Logf("jail run %s: every wall stands", strings.Join(p.flags, " "))
}

// isNotHostRoot compares who the program is with what the receipt says of it.
func (r record) isNotHostRoot(t *testing.T, p place, uids []string) {
	t.Helper()
	if len(uids) != 4 {
		t.Fatalf("the program's uids were %v", uids)
	}
	const firstOwn = 1 << 20
	own, err := strconv.Atoi(uids[0])
	for _, uid := range uids {
		if err != nil || uid != uids[0] || uid == "0" || p.uid != 0 && own != p.uid || p.uid == 0 && own < firstOwn {
			t.Errorf("on the host the program's uids are %v, want %d (0: a uid of its own)", uids, p.uid)
		}
	}
	if len(r.Layers) < 2 || r.Layers[1].Name != "root" {
		t.Fatalf("layers %+v", r.Layers)
	}
	_, claimed, _ := strings.Cut(r.Layers[1].Mechanism, "host uid ")
	if inside := p.userns || strings.Contains(strings.Join(p.words, " "), "--unshare-") || strings.Contains(strings.Join(p.words, " "), "--user"); inside && claimed != "" || !inside && claimed != uids[0] {
		t.Errorf("the receipt says %q of uid %s", r.Layers[1].Mechanism, uids[0])
	}
}

type record struct {
	Tier                  int
	Reason, Message, Hint string
	Stdout                struct{ Text string }
	Layers                []struct {
		Name      string
		Applied   bool
		Mechanism string
		Note      string
	}
}
