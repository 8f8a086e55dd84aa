package attacks

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// more are the namespaces that are not yet in the table.
func more() []Row {
	var rows []Row
	for _, ns := range []struct {
		name, source string
		flag         uintptr
	}{
		{"network namespace", "CVE-2023-32233 starts in one: netfilter for everybody", unix.CLONE_NEWNET},
		{"pid namespace", "Docker's list of blocked calls (moby PR#19059): unshare; pid_namespaces(7)", unix.CLONE_NEWPID},
		{"ipc namespace", "Docker's list of blocked calls (moby PR#19059): unshare; ipc_namespaces(7)", unix.CLONE_NEWIPC},
		{"uts namespace", "Docker's list of blocked calls (moby PR#19059): unshare; uts_namespaces(7)", unix.CLONE_NEWUTS},
		{"control group namespace", "CVE-2022-0492: release_agent, from a namespace of one's own", unix.CLONE_NEWCGROUP},
	} {
		rows = append(rows, Row{
			name: ns.name, source: ns.source,
			attack:  inChildProcess(func() error { return sys(unix.SYS_UNSHARE, ns.flag) }, 0),
			control: InNaive, walls: []ablation.Wall{ablation.Seccomp, ablation.Caps},
		})
	}
	return rows
}

// cover: putting one tree over another.
func cover() []Row {
	return []Row{
		{
			name: "bind a writable file over a read-only one", source: "sandbox-runtime#171; mount(2), MS_BIND: what the next reader gets",
			attack: func(args []string) error {
				if err := os.WriteFile(args[1], []byte("OWNED"), 0o644); err != nil {
					return err
				}
				if err := unix.Mount(args[1], args[0], "", unix.MS_BIND, ""); err != nil {
					return err
				}
				content, err := os.ReadFile(args[0])
				if err == nil && string(content) != "OWNED" {
					err = errors.New("it is as it was")
				}
				return err
			},
			arena: func(a *Arena) {
				a.ro()
				a.Args(a.File("ro/file", "the caller's"), filepath.Join(a.RW(), "other"))
			},
			control: InNaive, walls: mountWalls,
		},
		{
			name: "an overlay", source: "CVE-2021-3493, CVE-2023-0386: overlayfs in a user namespace",
			attack: func(args []string) error {
				if err := unix.Mount("tmpfs", args[0], "tmpfs", 0, ""); err != nil {
					return err
				}
				for _, d := range []string{"l", "u", "w", "m"} {
					if err := os.Mkdir(filepath.Join(args[0], d), 0o755); err != nil {
						return err
					}
				}
				in := func(name string) string { return filepath.Join(args[0], name) }
				return unix.Mount("overlay", in("m"), "overlay", 0, "lowerdir="+in("l")+",upperdir="+in("u")+",workdir="+in("w")+",userxattr")
			},
			arena: func(a *Arena) { a.Args(a.RW()) }, control: InNaive, walls: mountWalls,
			skip: needsOverlay,
		},
		{
			name: "move a mount", source: "mount(2), MS_MOVE; runc CVE-2025-31133",
			attack: func(args []string) error {
				other := filepath.Join(args[0], "other")
				if err := unix.Mount("tmpfs", args[0], "tmpfs", 0, ""); err != nil {
					return err
				}
				for _, d := range []string{"at", "other"} {
					if err := os.Mkdir(filepath.Join(args[0], d), 0o755); err != nil {
						return err
					}
				}
				if err := unix.Mount("tmpfs", filepath.Join(args[0], "at"), "tmpfs", 0, ""); err != nil {
					return err
				}
				if err := unix.Mount(filepath.Join(args[0], "at"), other, "", unix.MS_MOVE, ""); err != nil {
					return err
				}
				return isTmpfs(other)
			},
			arena: func(a *Arena) { a.Args(a.RW()) }, control: InNaive, walls: mountWalls,
		},
		{
			name: "share mounts with others", source: "CVE-2016-6213: shared mounts that double with each bind; mount_namespaces(7): propagation out of the box",
			attack:  func([]string) error { return unix.Mount("", "/", "", unix.MS_SHARED|unix.MS_REC, "") },
			control: InNaive, walls: mountWalls,
		},
		{
			name: "take /proc off", source: "CVE-2014-9717: umount2 showed what a locked mount lies on; umount(2)",
			attack:  func([]string) error { return unix.Unmount("/proc", unix.MNT_DETACH) },
			control: InNaive, walls: mountWalls,
		},
		{
			name: "a queue file system", source: "mq_overview(7); mount(2): each type is kernel code of its own",
			attack: func(args []string) error { return unix.Mount("mqueue", args[0], "mqueue", 0, "") },
			arena:  func(a *Arena) { a.Args(a.RW()) }, control: InNaive, walls: mountWalls,
		},
	}
}

// needsOverlay: the module may be missing, and to try loads it.
func needsOverlay(who Role) Reason {
	known, err := os.ReadFile("/proc/filesystems")
	switch {
	case err != nil:
		return noHardware
	case strings.Contains(string(known), "\toverlay\n"):
		return ""
	case who.Careful:
		return notLoaded
	}
	return noHardware
}
