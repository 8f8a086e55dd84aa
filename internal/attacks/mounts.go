package attacks

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/jail"
	"golang.org/x/sys/unix"
)

// mountWalls stop every change of the mount tree, each alone: Landlock refuses
// them to whoever it restricts (landlock(7)).
var mountWalls = []ablation.Wall{ablation.Seccomp, ablation.Caps, ablation.Landlock}

// mounts: changing the view from inside.
func mounts() []Row {
	return []Row{
		{
			name: "mount a new file system", source: "mount(2); runc CVE-2025-31133, -52565",
			attack: func(args []string) error {
				if err := unix.Mount("tmpfs", args[0], "tmpfs", 0, ""); err != nil {
					return err
				}
				return isTmpfs(args[0])
			},
			arena: func(a *Arena) { a.Args(a.RW()) }, control: InNaive, walls: mountWalls,
		},
		{
			name: "mount by the new calls", source: "CVE-2022-0185: fsconfig(2); a filter that names mount(2) only misses them",
			attack: func(args []string) error {
				fs, err := unix.Fsopen("tmpfs", 0)
				if err != nil {
					return err
				}
				if err := unix.FsconfigCreate(fs); err != nil {
					return err
				}
				tree, err := unix.Fsmount(fs, 0, 0)
				if err != nil {
					return err
				}
				if err := unix.MoveMount(tree, "", unix.AT_FDCWD, args[0], unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
					return err
				}
				return isTmpfs(args[0])
			},
			arena: func(a *Arena) { a.Args(a.RW()) }, control: InNaive, walls: mountWalls,
		},
		{
			name: "copy a mount by open_tree", source: "moby PR#41971: filters knew the new mount calls years later; open_tree(2)",
			attack: func(args []string) error {
				tree, err := unix.OpenTree(unix.AT_FDCWD, args[0], unix.OPEN_TREE_CLONE)
				if err != nil {
					return err
				}
				return unix.Close(tree)
			},
			arena: func(a *Arena) { a.Args(a.RW()) }, control: InNaive,
			// It makes no mount anywhere yet, so Landlock has nothing to refuse.
			walls: []ablation.Wall{ablation.Seccomp, ablation.Caps},
		},
		{
			name: "take the place of a read-only folder by renaming what is above it", source: "rename(2): EBUSY is for the mount point alone; bubblewrap's --ro-bind of .git/hooks in a --bind",
			attack: func(args []string) error {
				above, hooks := filepath.Dir(args[0]), filepath.Base(args[0])
				if err := os.Rename(above, above+"-old"); err != nil {
					return err
				}
				if err := os.MkdirAll(filepath.Join(above, hooks), 0o755); err != nil {
					return err
				}
				return os.WriteFile(filepath.Join(above, hooks, "pre-commit"), []byte("OWNED"), 0o755)
			},
			arena: func(a *Arena) {
				work := a.RW()
				for _, below := range []string{".git", ".git/hooks"} {
					a.Folder(filepath.Join(filepath.Base(work), below))
				}
				hook := a.File(filepath.Join(filepath.Base(work), ".git/hooks/pre-commit"), "the caller's")
				a.view(jail.MountRO, filepath.Dir(hook))
				a.Args(filepath.Dir(hook))
				a.changes(hook)
			},
			walls: []ablation.Wall{ablation.InPlace},
		},
		{
			name: "remount a read-only grant writable", source: "sandbox-runtime#171; firejail's family of remounts",
			attack: func(args []string) error {
				err := unix.Mount("", args[0], "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_NOSUID|unix.MS_NODEV, "")
				return errors.Join(err, overwrite(filepath.Join(args[0], "file"), 0))
			},
			arena: func(a *Arena) {
				a.Args(a.ro())
				a.changes(a.File("ro/file", "the caller's"))
			},
			control: InNaive, walls: mountWalls,
		},
		{
			name: "the same by mount_setattr", source: "CVE-2014-5206: a read-only bind mount made writable; mount_setattr(2)",
			attack: func(args []string) error {
				err := unix.MountSetattr(unix.AT_FDCWD, args[0], 0, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY})
				return errors.Join(err, overwrite(filepath.Join(args[0], "file"), 0))
			},
			arena: func(a *Arena) {
				a.Args(a.ro())
				a.changes(a.File("ro/file", "the caller's"))
			},
			control: InNaive,
			// Landlock has no hook there, but it has its own rule for the write.
			walls: mountWalls,
		},
		{
			name: "take a read-only grant off a writable one", source: "srt#171: what is below a mount comes back",
			attack: func(args []string) error {
				err := unix.Unmount(args[0], unix.MNT_DETACH)
				return errors.Join(err, overwrite(filepath.Join(args[0], "config"), 0))
			},
			arena: func(a *Arena) {
				a.RW()
				a.Args(a.grant(jail.MountRO, "rw/.git"))
				a.changes(a.File("rw/.git/config", "the caller's"))
			},
			control: InNaive, walls: mountWalls,
		},
		{
			name: "pivot_root", source: "CVE-2014-7970: pivot_root(2) to a dot; Docker's list of blocked calls (moby PR#19059)",
			attack: func(args []string) error {
				if err := unix.Mount("tmpfs", args[0], "tmpfs", 0, ""); err != nil {
					return err
				}
				if err := os.Chdir(args[0]); err != nil {
					return err
				}
				if err := unix.PivotRoot(".", "."); err != nil {
					return err
				}
				return isTmpfs("/")
			},
			arena: func(a *Arena) { a.Args(a.RW()) }, control: InNaive, walls: mountWalls,
		},
		{
			name: "chroot", source: "CVE-2013-1956: chroot(2) in a user namespace",
			attack: func(args []string) error {
				if err := unix.Chroot(args[0]); err != nil {
					return err
				}
				_, err := os.Stat("/mark")
				return err
			},
			arena: func(a *Arena) {
				a.Args(a.RW())
				a.File("rw/mark", "")
			},
			control: InNaive, walls: []ablation.Wall{ablation.Seccomp, ablation.Caps},
		},
	}
}

func isTmpfs(path string) error {
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		return err
	}
	if fs.Type != unix.TMPFS_MAGIC {
		return fmt.Errorf("%s is not the new mount", path)
	}
	return nil
}
