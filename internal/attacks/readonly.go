package attacks

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// onReadOnlyToo: changes to a read-only grant by less usual calls.
func onReadOnlyToo() []Row {
	mount := []ablation.Wall{ablation.ReadOnly}
	return []Row{
		inReadOnly("make a folder", "NixOS/nix#3633: what the sandbox was shown it could write; landlock(7)", readOnly, func(path string) error { return os.Mkdir(path+"-new", 0o755) }),
		inReadOnly("make a link", "CVE-2024-42472: what the host follows later", readOnly, func(path string) error { return os.Symlink("/", path+"-new") }),
		inReadOnly("make a FIFO", "claude-remember#653: a planted FIFO holds up for good who opens it; mkfifo(3)", readOnly, func(path string) error { return unix.Mkfifo(path+"-new", 0o666) }),
		inReadOnly("make a file without a name, and name it", "open(2), O_TMPFILE; linkat(2), AT_SYMLINK_FOLLOW", readOnly, func(path string) error {
			fd, err := unix.Open(filepath.Dir(path), unix.O_TMPFILE|unix.O_WRONLY, 0o644)
			if err != nil {
				return err
			}
			return unix.Linkat(unix.AT_FDCWD, fdPath(fd), unix.AT_FDCWD, path+"-new", unix.AT_SYMLINK_FOLLOW)
		}),
		inReadOnly("rename within it", "rename(2)", readOnly, func(path string) error { return os.Rename(path, path+"-new") }),
		inReadOnly("link within it", "sandlock#179: hard links and read-only mounts; link(2)", readOnly, func(path string) error { return os.Link(path, path+"-new") }),
		ofReadOnly("change its times", "landrun#58: touch where all is read-only; utimensat(2): landlock(7) has no right for it", mount,
			func(path string) error {
				return unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{{Sec: 1}, {Sec: 1}}, 0)
			},
			func(st unix.Stat_t) bool { return st.Mtim.Sec == 1 }),
		ofReadOnly("set a mode by fchmod", "nono#914: modes are none of Landlock's rights; fchmod(2), of a descriptor for reading", mount,
			func(path string) error {
				fd, err := unix.Open(path, unix.O_RDONLY, 0)
				if err != nil {
					return err
				}
				return unix.Fchmod(fd, 0o777)
			},
			func(st unix.Stat_t) bool { return st.Mode&0o777 == 0o777 }),
		{
			name: "read-only: exchange with a file of one's own", source: "renameat2(2), RENAME_EXCHANGE; landlock(7), refer",
			attack: func(args []string) error {
				own := filepath.Join(args[1], "own")
				if err := os.WriteFile(own, []byte("OWNED"), 0o644); err != nil {
					return err
				}
				return unix.Renameat2(unix.AT_FDCWD, own, unix.AT_FDCWD, args[0], unix.RENAME_EXCHANGE)
			},
			arena: acrossGrants,
			walls: hostWalls, root: rootsUID,
		},
		{
			name: "write to a FIFO in a read-only grant", source: "mount(2): MS_RDONLY is about the file system, not about what a FIFO leads to",
			attack: func(args []string) error { return overwrite(args[0], unix.O_NONBLOCK) },
			arena: func(a *Arena) {
				path := filepath.Join(a.ro(), "fifo")
				if err := errors.Join(unix.Mkfifo(path, 0o666), os.Chmod(path, 0o666)); err != nil {
					a.t.Fatal(err)
				}
				fifo := a.open(a.own(path), os.O_RDONLY|unix.O_NONBLOCK)
				a.Args(path)
				a.effect = func(Answer) error { return a.reads(int(fifo.Fd()), "OWNED") }
			},
			walls: []ablation.Wall{ablation.Landlock},
		},
		{
			name: "read from a FIFO that is not granted", source: "fifo(7): what is read is gone for the host's reader",
			attack: func(args []string) error {
				fd, err := unix.Open(args[0], unix.O_RDONLY|unix.O_NONBLOCK, 0)
				if err != nil {
					return err
				}
				buf := make([]byte, 64)
				n, err := unix.Read(fd, buf)
				os.Stdout.Write(append(buf[:max(n, 0)], '\n'))
				return err
			},
			arena: func(a *Arena) {
				path := filepath.Join(a.Folder("hidden"), "fifo")
				if err := unix.Mkfifo(path, 0o600); err != nil {
					a.t.Fatal(err)
				}
				fifo := a.open(a.own(path), os.O_RDWR|unix.O_NONBLOCK)
				if _, err := fifo.WriteString(a.secret); err != nil {
					a.t.Fatal(err)
				}
				a.Args(path)
				a.leaksSecret()
			},
			walls: hostWalls, root: rootsUID,
		},
	}
}

// inReadOnly is a row for something new, or something gone, in a read-only grant.
func inReadOnly(what, source string, walls []ablation.Wall, change func(path string) error) Row {
	return Row{
		name: "read-only: " + what, source: source,
		attack: func(args []string) error { return change(args[0]) },
		arena: func(a *Arena) {
			a.ro()
			file := a.File("ro/file", "the caller's")
			a.Args(file)
			a.effect = func(Answer) error {
				if _, err := os.Lstat(file + "-new"); err != nil {
					return errors.New("the folder is as it was")
				}
				return nil
			}
		},
		walls: walls,
	}
}

// ofReadOnly is a row for what stat(2) tells of a file in a read-only grant.
func ofReadOnly(what, source string, walls []ablation.Wall, change func(path string) error, changed func(unix.Stat_t) bool) Row {
	return Row{
		name: "read-only: " + what, source: source,
		attack: func(args []string) error { return change(args[0]) },
		arena: func(a *Arena) {
			a.ro()
			file := a.File("ro/file", "the caller's")
			a.Args(file)
			a.effect = func(Answer) error {
				var st unix.Stat_t
				if err := unix.Lstat(file, &st); err != nil {
					return err
				}
				if !changed(st) {
					return errors.New("the file is as it was")
				}
				return nil
			}
		},
		walls: walls,
	}
}
