package attacks

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/jail"
	"golang.org/x/sys/unix"
)

// hostWalls hide the host's files; in a box of root's its own uid hides those
// besides that are not for everybody.
var (
	hostWalls = []ablation.Wall{ablation.Root, ablation.Landlock}
	rootsUID  = []ablation.Wall{ablation.OwnUID}
	// readOnly keeps granted files as they are.
	readOnly = []ablation.Wall{ablation.ReadOnly, ablation.Landlock}
)

// files: paths that lead out of the grants, and changes to what is granted
// read-only.
func files() []Row {
	return []Row{
		{
			name: "read a file that is not granted", source: "the empty view: nothing exists unless granted",
			attack: func(args []string) error { return show(args[0]) },
			arena:  func(a *Arena) { a.Args(a.hidden()); a.leaksSecret() },
			walls:  hostWalls, root: rootsUID,
		},
		{
			name: "climb out with ..", source: "go-judge 74482b8; every path check",
			attack: func(args []string) error { return show(args[0] + strings.Repeat("/..", 40) + args[1]) },
			arena:  func(a *Arena) { a.Args(a.RW(), a.hidden()); a.leaksSecret() },
			walls:  hostWalls, root: rootsUID,
		},
		{
			name: "follow a planted link", source: "CVE-2024-42472 flatpak; judge0 CVE-2024-28185",
			attack: func(args []string) error { return show(filepath.Join(args[0], "link")) },
			arena: func(a *Arena) {
				a.Args(a.RW())
				if err := os.Symlink(a.hidden(), filepath.Join(a.dir, "rw/link")); err != nil {
					a.t.Fatal(err)
				}
				a.leaksSecret()
			},
			walls: hostWalls, root: rootsUID,
		},
		{
			name: "make a link and follow it", source: "sandlock#112: a symlink out of the copy",
			attack: func(args []string) error {
				link := filepath.Join(args[0], "link")
				return errors.Join(os.Symlink(args[1], link), show(link))
			},
			arena: func(a *Arena) { a.Args(a.RW(), a.hidden()); a.leaksSecret() },
			walls: hostWalls, root: rootsUID,
		},
		{
			name: "through a magic link", source: "proc(5): /proc/PID/root and cwd; runc CVE-2025-52881",
			attack: func(args []string) error {
				return errors.Join(show("/proc/self/root"+args[0]), show("/proc/1/root"+args[0]), show("/proc/1/cwd"+args[0]))
			},
			arena: func(a *Arena) { a.Args(a.hidden()); a.leaksSecret() },
			walls: hostWalls, root: rootsUID,
		},
		{
			name: "break out of a chroot", source: "CVE-2013-1956: out of a chroot by a user namespace; chroot(2): a folder that is open outlives it",
			attack: func(args []string) error {
				os.Mkdir("/tmp/trap", 0o755)
				unix.Chroot("/tmp/trap")
				os.Remove("/tmp/trap")
				for range 40 {
					os.Chdir("..")
				}
				unix.Chroot(".")
				return show(args[0])
			},
			arena: func(a *Arena) { a.Args(a.hidden()); a.leaksSecret() },
			walls: hostWalls, root: rootsUID,
		},
		{
			name: "read /sys", source: "runc and podman mask parts of it; cgroup release_agent CVE-2022-0492 starts there",
			attack: func([]string) error { return show("/sys/kernel/mm/transparent_hugepage/enabled") },
			walls:  hostWalls,
			skip: func(Role) Reason {
				if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage/enabled"); err != nil {
					return noHardware
				}
				return ""
			},
		},
		{
			name: "make a control group", source: "CVE-2022-0492: release_agent",
			attack: func(args []string) error {
				if err := os.Mkdir(args[0], 0o755); err != nil {
					return err
				}
				return os.Remove(args[0])
			},
			arena: func(a *Arena) {
				group, _ := ownGroup()
				a.Args(filepath.Join(group, filepath.Base(a.dir)))
			},
			walls: hostWalls, root: rootsUID,
			skip: func(who Role) Reason {
				if _, err := ownGroup(); err != nil {
					return noHardware
				}
				return forRoot(rootsOwn)(who)
			},
		},
		onReadOnly("write", func(path string) error { return overwrite(path, 0) }, readOnly),
		fromABI(abiTruncate, onReadOnly("truncate", func(path string) error { return unix.Truncate(path, 0) }, readOnly)),
		onReadOnly("open to truncate", func(path string) error {
			_, err := os.Create(path)
			return err
		}, readOnly),
		onReadOnly("delete", os.Remove, readOnly),
		onReadOnly("replace by rename", func(path string) error {
			other := path + ".new"
			return errors.Join(os.WriteFile(other, []byte("OWNED"), 0o644), os.Rename(other, path))
		}, readOnly),
		{
			name: "read-only: change the mode", source: "nono#914; landlock-lsm/linux#11: chmod is none of Landlock's rights",
			attack: func(args []string) error { return os.Chmod(args[0], 0o777) },
			arena: func(a *Arena) {
				a.ro()
				path := a.File("ro/file", "the caller's")
				a.Args(path)
				a.effect = func(Answer) error { return hasMode(path, 0o777) }
			},
			walls: []ablation.Wall{ablation.ReadOnly},
		},
		{
			name: "rewrite the granted script", source: "firejail#7154: what the next run executes",
			attack: func(args []string) error { return overwrite(args[0], os.O_TRUNC) },
			arena: func(a *Arena) {
				script := a.File("script", "#!/bin/sh\n")
				if err := os.Chmod(script, 0o755); err != nil {
					a.t.Fatal(err)
				}
				a.view(jail.MountRO, script)
				a.Args(script)
				a.changes(script)
			},
			walls: readOnly,
			// A plain file that everybody may read is granted to a box of
			// root's as it is, and belongs to somebody else there.
			root: rootsUID,
		},
		{
			name: "write through a hard link", source: "sandlock#179: a hard link out of a read-only mount; landlock(7), refer",
			attack: func(args []string) error {
				link := filepath.Join(args[1], "link")
				return errors.Join(os.Link(args[0], link), overwrite(link, 0))
			},
			arena: acrossGrants,
			walls: hostWalls, root: rootsUID,
		},
		{
			name: "rename into a writable grant", source: "safedep/pmg#446; cplt PR#455",
			attack: func(args []string) error {
				moved := filepath.Join(args[1], "moved")
				return errors.Join(os.Rename(args[0], moved), overwrite(moved, 0))
			},
			arena: acrossGrants,
			walls: hostWalls, root: rootsUID,
		},
	}
}

// ownGroup is the folder of a control group that this test is in, and that its
// owner may write to. (The root group's is for nobody to write.)
func ownGroup() (string, error) {
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		folder := filepath.Join("/sys/fs/cgroup", parts[1], parts[2])
		if hasMode(folder, 0o200) == nil {
			return folder, nil
		}
	}
	return "", errors.New("it is in none but the root's")
}

// acrossGrants is a file in a read-only grant beside a writable grant of the
// same file system.
func acrossGrants(a *Arena) {
	a.ro()
	file := a.File("ro/file", "the caller's")
	a.Args(file, a.RW())
	a.changes(file)
}

// onReadOnly is a row for a change to a file in a read-only grant.
func onReadOnly(what string, change func(path string) error, walls []ablation.Wall) Row {
	return Row{
		name: "read-only: " + what, source: "NixOS/nix#3633: what the sandbox was shown it could write; mount(2), MS_RDONLY; landlock(7)",
		attack: func(args []string) error { return change(args[0]) },
		arena: func(a *Arena) {
			a.ro()
			file := a.File("ro/file", "the caller's")
			a.Args(file)
			a.changes(file)
		},
		walls: walls,
	}
}

// hasMode is nil when a file of the host has all of the mode's bits.
func hasMode(path string, mode uint32) error {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return err
	}
	if st.Mode&mode != mode {
		return errors.New("its mode is as it should be")
	}
	return nil
}
