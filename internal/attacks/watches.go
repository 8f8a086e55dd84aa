package attacks

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/jail"
	"golang.org/x/sys/unix"
)

// watches: more ways to watch or hold up the host's use of a read-only grant.
func watches() []Row {
	return []Row{
		{
			name: "watch by fanotify", source: "containers/common PR#2412: fanotify_init without a capability; fanotify(7), since Linux 5.13",
			attack: func(args []string) error {
				const class, reportFID, nonblock, modify = 0, 0x200, 2, 2
				fd, err := rawSyscall(unix.SYS_FANOTIFY_INIT, class|reportFID|nonblock, unix.O_RDONLY)
				if err != nil {
					return err
				}
				const add = 1
				return unix.FanotifyMark(int(fd), add, modify, unix.AT_FDCWD, args[0])
			},
			arena: func(a *Arena) { a.ro(); a.Args(a.File("ro/file", "the caller's")) },
			walls: []ablation.Wall{ablation.Seccomp},
			skip:  needsFanotify,
		},
		{
			name: "setgid folder by fchmodat", source: "CVE-2018-13405: what is made there is its group's; mkdir(2); chmod(2)",
			attack: func(args []string) error {
				return errors.Join(os.Mkdir(args[0], 0o777), unix.Fchmodat(unix.AT_FDCWD, args[0], unix.S_ISGID|0o777, 0))
			},
			arena: func(a *Arena) {
				path := filepath.Join(a.grant(jail.MountRW, "rw"), "left")
				a.Args(path)
				a.effect = func(Answer) error { return hasMode(path, unix.S_ISGID) }
			},
			walls: []ablation.Wall{ablation.Seccomp},
		},
	}
}

// needsFanotify: before Linux 5.13 it is root's alone, and a kernel can be without.
func needsFanotify(Role) Reason {
	const reportFID = 0x200
	fd, err := rawSyscall(unix.SYS_FANOTIFY_INIT, reportFID, unix.O_RDONLY)
	if err != nil {
		return noHardware
	}
	unix.Close(int(fd))
	return ""
}
