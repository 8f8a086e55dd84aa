package attacks

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/jail"
	"golang.org/x/sys/unix"
)

// left: what a program leaves in a writable grant for the host to step on, and
// what it finds there.
func left() []Row {
	filter := []ablation.Wall{ablation.Seccomp}
	return []Row{
		leaves("setuid bit by chmod", unix.S_ISUID, filter, func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o755), unix.Chmod(path, unix.S_ISUID|0o755))
		}),
		leaves("setuid bit by fchmod", unix.S_ISUID, filter, func(path string) error {
			fd, err := unix.Open(path, unix.O_CREAT|unix.O_WRONLY, 0o755)
			return errors.Join(err, unix.Fchmod(fd, unix.S_ISUID|0o755))
		}),
		ifKnown(func() error { return fchmodat2("", 0) }, leaves("setuid bit by fchmodat2", unix.S_ISUID, filter, func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o755), fchmodat2(path, unix.S_ISUID|0o755))
		})),
		leaves("setuid bit by open", unix.S_ISUID, filter, func(path string) error {
			_, err := unix.Open(path, unix.O_CREAT|unix.O_WRONLY, unix.S_ISUID|0o755)
			return err
		}),
		leaves("setuid bit by openat2", unix.S_ISUID, filter, func(path string) error {
			_, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_CREAT | unix.O_WRONLY, Mode: unix.S_ISUID | 0o755})
			return err
		}),
		leaves("setuid bit by mknod", unix.S_ISUID, filter, func(path string) error {
			return unix.Mknod(path, unix.S_IFREG|unix.S_ISUID|0o755, 0)
		}),
		leaves("setgid folder by mkdir", unix.S_ISGID, filter, func(path string) error {
			// mkdir drops the bit; chmod of a folder does not.
			return errors.Join(unix.Mkdir(path, 0o755), unix.Chmod(path, unix.S_ISGID|0o755))
		}),
		whiteout("whiteout device", func(path string) error {
			return unix.Mknod(path, unix.S_IFCHR|0o600, 0) // the one device that needs no capability
		}),
		whiteout("whiteout device by rename", func(path string) error {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				return err
			}
			return unix.Renameat2(unix.AT_FDCWD, path, unix.AT_FDCWD, path+".moved", unix.RENAME_WHITEOUT)
		}),
		{
			name: "device node", source: "mknod(2); measured on bubblewrap",
			attack: func(args []string) error {
				return unix.Mknod(filepath.Join(args[0], "left"), unix.S_IFCHR|0o666, int(unix.Mkdev(1, 5)))
			},
			arena: func(a *Arena) {
				path := filepath.Join(a.RW(), "left")
				a.Args(filepath.Dir(path))
				a.effect = func(Answer) error { return hasMode(path, unix.S_IFCHR) }
			},
			why:  "in a user namespace the kernel makes none for anybody; the row above shows the walls for the kind that it makes",
			skip: forRoot(rootsOwn),
		},
		{
			name: "device node that lies in a grant", source: "CVE-2014-5207: MNT_NODEV came off by a remount; mount(2), MS_NODEV",
			attack: func(args []string) error {
				device, err := os.Open(args[0])
				if err != nil {
					return err
				}
				_, err = device.Read(make([]byte, 1))
				return err
			},
			arena: func(a *Arena) {
				path := filepath.Join(a.ro(), "zero")
				if err := unix.Mknod(path, unix.S_IFCHR|0o666, int(unix.Mkdev(1, 5))); err != nil {
					a.t.Fatal(err)
				}
				if err := os.Chmod(path, 0o666); err != nil {
					a.t.Fatal(err)
				}
				a.Args(path)
			},
			walls: []ablation.Wall{ablation.NoDev},
			skip: func(Role) Reason {
				if os.Getuid() != 0 {
					return NotRoot // nobody else can plant the node
				}
				return ""
			},
		},
		watchOf("watch by inotify", func(path string) error {
			fd, err := unix.InotifyInit1(unix.IN_NONBLOCK)
			if err != nil {
				return err
			}
			if _, err := unix.InotifyAddWatch(fd, path, unix.IN_OPEN); err != nil {
				return err
			}
			show(path) // stands for the host's program that opens it
			_, err = unix.Read(fd, make([]byte, 256))
			return err
		}),
		watchOf("lock by flock", func(path string) error {
			first, err := os.Open(path)
			if err != nil {
				return err
			}
			if err := unix.Flock(int(first.Fd()), unix.LOCK_EX); err != nil {
				return err
			}
			second, err := os.Open(path) // the host's program
			if err != nil {
				return err
			}
			if unix.Flock(int(second.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
				return errors.New("it locks nobody out")
			}
			return nil
		}),
		watchOf("lease", func(path string) error {
			f, err := os.Open(path)
			if err != nil {
				return err
			}
			_, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
			return err
		}),
		watchOf("dnotify", func(path string) error {
			f, err := os.Open(filepath.Dir(path))
			if err != nil {
				return err
			}
			const access = 1 // DN_ACCESS
			_, err = unix.FcntlInt(f.Fd(), unix.F_NOTIFY, access)
			return err
		}),
		watchOf("handle of a file", func(path string) error {
			_, _, err := unix.NameToHandleAt(unix.AT_FDCWD, path, 0)
			return err
		}),
	}
}

// leaves is a row for bits that stay on a file of the host's.
func leaves(what string, mode uint32, walls []ablation.Wall, leave func(path string) error) Row {
	return Row{
		name: what, source: "measured on bubblewrap: setuid bits set in a writable grant",
		attack: func(args []string) error { return leave(args[0]) },
		arena: func(a *Arena) {
			path := filepath.Join(a.grant(jail.MountRW, "rw"), "left")
			a.Args(path)
			a.effect = func(Answer) error { return hasMode(path, mode) }
		},
		walls: walls,
	}
}

// fchmodat2 is a call of Linux 6.6 and later.
func fchmodat2(path string, mode uintptr) error {
	const number = 452
	name, err := unix.BytePtrFromString(path)
	if err != nil {
		return err
	}
	cwd := unix.AT_FDCWD
	_, err = rawSyscall(number, uintptr(cwd), pointer(name), mode, unix.AT_SYMLINK_NOFOLLOW)
	return err
}

// whiteout is a row for the device 0:0, with which an overlay hides files. Old
// kernels' Landlock takes it for a device like others; those from the summer of
// 2026 on, and what was mended since, ask for the right to make plain files, and
// a writable grant has that. So the filter is the one wall on every kernel.
func whiteout(what string, leave func(path string) error) Row {
	r := leaves(what, unix.S_IFCHR, []ablation.Wall{ablation.Seccomp}, leave)
	r.source = "fuse-overlayfs PR#272: newer kernels let users make whiteouts; mknod(2), renameat2(2), RENAME_WHITEOUT; overlayfs.rst"
	r.with = []ablation.Wall{ablation.Landlock}
	return r
}

// watchOf is a row for a way to watch or hold up the host's use of a read-only
// grant.
func watchOf(what string, attack func(path string) error) Row {
	return Row{
		name: what, source: "isolate 2.5: locks as a side channel; inotify(7); fcntl(2)",
		attack: func(args []string) error { return attack(args[0]) },
		arena:  func(a *Arena) { a.ro(); a.Args(a.File("ro/file", "the caller's")) },
		walls:  []ablation.Wall{ablation.Seccomp},
	}
}
