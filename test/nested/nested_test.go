// Package nested runs jail where something already stands around it.
package nested

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// A place is what stands around jail; its words go in front of jail's own.
type place struct {
	name  string
	words []string
	// flags are what jail has to be told there.
	flags []string
	// userns is a user namespace with many ids, and nothing else, around words.
	userns bool
	// refused is what the refusal says, if it is one.
	refused string
}

func places() []place {
	user := []string{"setpriv", "--reuid", "54321", "--regid", "54321", "--clear-groups"}
	weaker := []string{"--optional", "cgroup"}
	box := []string{jail, "run", "-q", "--ro", filepath.Dir(jail), "--"}
	userBox := append([]string{jail, "run"}, append(weaker, box[2:]...)...)
	const nested = "a filter holds jail itself, that of another box: boxes do not nest"
	return []place{
		{name: "nothing"},
		{name: "an ordinary user", words: user, flags: weaker},
		{name: "a container with privileges", words: []string{"unshare", "--mount", "--pid", "--ipc", "--net", "--uts", "--fork", "--mount-proc"}},
		{name: "bubblewrap with the host's files", words: []string{"bwrap", "--dev-bind", "/", "/", "--unshare-user", "--unshare-pid", "--uid", "1000", "--gid", "1000", "--proc", "/proc"}, flags: weaker},
		{name: "bubblewrap with few files", words: []string{"bwrap", "--unshare-all", "--uid", "1000", "--gid", "1000", "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
			"--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--ro-bind", filepath.Dir(jail), filepath.Dir(jail)}, flags: weaker,
			refused: "the kernel mounts a new proc only where the caller's own is fully visible"},
		{name: "a user namespace with one entry, of a user", words: append(user, "unshare", "--user", "--map-root-user"), flags: weaker},
		{name: "a user namespace with one entry, of host root", words: []string{"unshare", "--user", "--map-root-user"}, flags: weaker,
			refused: "this user namespace maps host root but no ids to spare"},
		{name: "a box", words: box, flags: weaker, refused: `clone "new namespaces": operation not permitted (` + nested},
		{name: "a box, with all defaults", words: box, refused: nested},
		{name: "a box, with tier 2", words: box, flags: []string{"--tier", "2"}, refused: nested},
		{name: "a user's box", words: append(user, userBox...), flags: weaker, refused: nested},
		{name: "a box of tier 2", words: append(box[:2:2], append([]string{"--tier", "2"}, box[2:]...)...), flags: weaker, refused: nested},
		{name: "root without CAP_SYS_ADMIN", words: []string{"setpriv", "--bounding-set", "-sys_admin", "--inh-caps", "-all"},
			refused: `open_tree "/dev/null": operation not permitted (root makes its boxes with CAP_SYS_ADMIN, which it does not have here`},
		{name: "root without CAP_SETUID and CAP_SETGID", words: []string{"setpriv", "--bounding-set", "-setuid,-setgid", "--inh-caps", "-all"},
			refused: `write "uid_map": operation not permitted (root makes its boxes with CAP_SETUID and CAP_SETGID, which`},
		{name: "root of a user namespace, in a mount namespace of another's", userns: true, flags: weaker,
			refused: `open_tree "/dev/null": operation not permitted (the mounts here belong to another user namespace`},
		{name: "too few mount namespaces", flags: weaker, refused: "sysctl user.max_mnt_namespaces",
			words: append(user, "unshare", "--user", "--map-root-user", "sh", "-c", `echo 1 >/proc/sys/user/max_mnt_namespaces; exec "$@"`, "sh")},
	}
}

// In each place a box has all its walls, by the kernel's own evidence, or there
// is a refusal that says why.
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
			args := append(append(append([]string{}, p.words...), jail, "run", "-q", "--json"), p.flags...)
			args = append(args, "--", "/bin/sh", "-c", "echo here")
			cmd := exec.Command(args[0], args[1:]...)
			cmd.Dir = "/"
			if p.userns {
				ids := []syscall.SysProcIDMap{{Size: 1 << 24}}
				cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, UidMappings: ids, GidMappings: ids, GidMappingsEnableSetgroups: true}
			}
			var stderr strings.Builder
			cmd.Stderr = &stderr
			out, _ := cmd.Output()
			var r record
			if err := json.Unmarshal(out, &r); err != nil {
				t.Fatalf("no record: %v: %q %q", err, out, stderr.String())
			}
			if p.refused != "" {
				if text := r.Message + " (" + r.Hint; r.Reason != "setup_refused" || !strings.Contains(text, p.refused) {
					t.Errorf("%s: %q, want setup_refused: %s", r.Reason, text, p.refused)
				}
				t.Logf("refused: %s (%s)", r.Message, r.Hint)
				return
			}
			if r.Reason != "ok" || r.Stdout.Text != "here\n" {
				t.Errorf("%s: %s: %q", r.Reason, r.Message, r.Stdout.Text)
			}
			for _, l := range r.Layers {
				if optional := l.Name == "cgroup" && len(p.flags) > 0; !l.Applied && !optional {
					t.Errorf("layer %s does not stand: %s", l.Name, l.Note)
				}
			}
			t.Logf("jail run %s: every wall stands", strings.Join(p.flags, " "))
		})
	}
}

type record struct {
	Reason, Message, Hint string
	Stdout                struct{ Text string }
	Layers                []struct {
		Name    string
		Applied bool
		Note    string
	}
}
