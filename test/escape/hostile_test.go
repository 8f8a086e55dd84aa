package escape

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/seed-75010da9/jail/internal/attacks"
	"github.com/seed-75010da9/jail/jail"
)

// TestHostileWorkspace is CVE-2026-87766: a workspace has a link where a grant
// that lies in it is to be mounted, and a launcher that makes the mount point
// follows it and writes to the host. jail makes nothing in granted trees: the
// run is refused, and the host is as it was.
func TestHostileWorkspace(t *testing.T) {
	const caller = "the caller's"
	for _, trap := range []struct {
		name  string
		plant func(t *testing.T, workspace, host string) error
	}{
		{"a link to a file", func(t *testing.T, w, h string) error { return os.Symlink(h+"/file", w+"/.config") }},
		{"a link to a folder", func(t *testing.T, w, h string) error { return os.Symlink(h, w+"/.config") }},
		{"a link to nothing", func(t *testing.T, w, h string) error { return os.Symlink(h+"/new", w+"/.config") }},
		{"a relative link", func(t *testing.T, w, h string) error { return os.Symlink("../host/new", w+"/.config") }},
		{"nothing there", func(t *testing.T, w, h string) error { return nil }},
	} {
		for _, who := range site.Roles() {
			for _, nested := range []string{".config", ".config/deeper"} {
				t.Run(who.Name+"/"+trap.name+"/"+nested, func(t *testing.T) {
					a := attacks.NewArena(t, attacks.Attack("files/read /sys"), who, attacks.InBox, nil)
					host, workspace := a.Folder("host"), a.RW()
					file := a.File("host/file", caller)
					if err := trap.plant(t, workspace, host); err != nil {
						t.Fatal(err)
					}
					for _, kind := range []jail.MountKind{jail.MountRO, jail.MountRW, jail.MountTmpfs, jail.MountFile} {
						m := jail.Mount{Kind: kind, Target: filepath.Join(workspace, nested)}
						if kind == jail.MountRO || kind == jail.MountRW {
							m.Source = a.Folder("other")
						}
						view := a.Spec.View
						a.Spec.View = append(a.Spec.View, m)
						if got := a.Run(); got.Result.Reason != jail.ReasonSetupRefused {
							t.Errorf("a %s grant over %s: want a refusal\n%s", kind, trap.name, got)
						}
						a.Spec.View = view
					}
					if got := a.Read(file); got != caller {
						t.Errorf("the host's file holds %q, want %q", got, caller)
					}
					if entries, _ := os.ReadDir(host); len(entries) != 1 {
						t.Errorf("the host's folder holds %v, want one file", entries)
					}
				})
			}
		}
	}
}

// TestFollowingLauncher is the positive control of TestHostileWorkspace: what
// a launcher does that makes its mount point by its path.
func TestFollowingLauncher(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(dir+"/victim", dir+"/link"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/link", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir + "/victim"); err != nil {
		t.Errorf("the link was not followed: %v", err)
	}
}

// TestOwner: what a box leaves in a writable grant belongs to the caller.
func TestOwner(t *testing.T) {
	for _, who := range site.Roles() {
		t.Run(who.Name, func(t *testing.T) {
			a := attacks.NewArena(t, attacks.Attack("launcher/become the caller's next program"), who, attacks.InBox, nil)
			left := filepath.Join(a.RW(), "left")
			a.Args(left)
			got := a.Run()
			var st os.FileInfo
			st, err := os.Stat(left)
			if err != nil {
				t.Fatalf("%v\n%s", err, got)
			}
			if uid, gid := owner(st); uid != who.UID || gid != who.GID {
				t.Errorf("the file belongs to %d:%d, want %d:%d", uid, gid, who.UID, who.GID)
			}
		})
	}
}

func owner(info os.FileInfo) (uid, gid int) {
	st := info.Sys().(*syscall.Stat_t)
	return int(st.Uid), int(st.Gid)
}
