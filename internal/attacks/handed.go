package attacks

import (
	"os"
	"path/filepath"
	"unsafe"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// handed: other things to do with a descriptor that was handed down.
func handed() []Row {
	return []Row{
		{
			name: "fchdir into the caller's folder", source: "runc CVE-2024-21626; fchdir(2) takes O_PATH",
			attack: func(args []string) error {
				return each(func(fd int) error {
					if err := unix.Fchdir(fd); err != nil {
						return err
					}
					return show(args[0])
				})
			},
			arena: func(a *Arena) {
				a.leak(filepath.Dir(a.hidden()), unix.O_PATH|os.O_RDONLY)
				a.Args("secret")
				a.leaksSecret()
			},
			walls: []ablation.Wall{ablation.CloseFDs, ablation.Landlock}, root: rootsUID,
		},
		{
			name: "run a program by its descriptor", source: "execveat(2), AT_EMPTY_PATH; runc CVE-2019-5736",
			attack: func(args []string) error {
				if len(args) > 0 {
					return nil
				}
				return each(func(fd int) error { return execFD(fd, []string{attackerName, os.Args[1], "again"}) })
			},
			arena: func(a *Arena) {
				program := filepath.Join(a.Folder("bin"), attackerName)
				if err := copyFile(program, a.role.site.attacker, 0o755); err != nil {
					a.t.Fatal(err)
				}
				a.leak(a.own(program), unix.O_PATH|os.O_RDONLY)
			},
			walls: []ablation.Wall{ablation.CloseFDs, ablation.Landlock},
		},
		{
			name: "reopen the caller's file for writing", source: "Bugtraq, October 2009: /proc/PID/fd gets around a folder's mode; proc_pid_fd(5): other rights than the descriptor has",
			attack: func([]string) error {
				return all(func(fd int) error {
					if !isKind(fd, unix.S_IFREG) {
						return unix.EBADF
					}
					return overwrite(fdPath(fd), 0)
				})
			},
			arena: func(a *Arena) {
				file := a.hidden()
				a.leak(file, os.O_RDONLY)
				a.changes(file)
			},
			walls: []ablation.Wall{ablation.CloseFDs, ablation.Landlock}, root: rootsUID,
		},
		{
			name: "read a pipe of the caller's", source: "isolate's and judges' pipes: what is read is gone for the caller",
			attack: func([]string) error {
				return all(func(fd int) error {
					waiting := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
					if n, err := unix.Poll(waiting, 0); err != nil || n == 0 || !isKind(fd, unix.S_IFIFO) {
						return unix.EBADF
					}
					buf := make([]byte, 256)
					n, err := unix.Read(fd, buf)
					os.Stdout.Write(append(buf[:max(n, 0)], '\n'))
					return err
				})
			},
			arena: func(a *Arena) {
				r, w := a.pipe()
				if _, err := w.WriteString(a.secret); err != nil {
					a.t.Fatal(err)
				}
				a.leaked = append(a.leaked, r)
				a.leaksSecret()
			},
			walls: []ablation.Wall{ablation.CloseFDs},
		},
	}
}

// isKind says whether a descriptor is of that kind of file.
func isKind(fd int, kind uint32) bool {
	var st unix.Stat_t
	return unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == kind
}

// execFD becomes the program behind a descriptor.
func execFD(fd int, argv []string) error {
	var pointers []*byte
	for _, arg := range argv {
		p, err := unix.BytePtrFromString(arg)
		if err != nil {
			return err
		}
		pointers = append(pointers, p)
	}
	pointers = append(pointers, nil)
	empty, environment := new(byte), []*byte{nil}
	_, err := rawSyscall(unix.SYS_EXECVEAT, uintptr(fd), pointer(empty), uintptr(unsafe.Pointer(&pointers[0])), uintptr(unsafe.Pointer(&environment[0])), unix.AT_EMPTY_PATH)
	return err
}
