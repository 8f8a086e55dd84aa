package attacks

import (
	"errors"
	"os"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// attic: system calls that hardly anybody uses, and that look after kernel code which
// hardly anybody looks after.
func attic() []Row {
	filter := []ablation.Wall{ablation.Seccomp}
	call := func(name, source string, try func() error) Row {
		return ifKnown(try, Row{name: name, source: source, attack: func([]string) error { return try() }, walls: filter})
	}
	return []Row{
		call("key by an upcall", "CVE-2025-2312: cifs.upcall ran in another namespace than the caller's; request_key(2): a helper on the host, as its root", func() error {
			kind, _ := unix.BytePtrFromString("user")
			what, _ := unix.BytePtrFromString("jail-escape-none")
			_, err := rawSyscall(unix.SYS_REQUEST_KEY, pointer(kind), pointer(what), 0, 0)
			if errors.Is(err, unix.ENOKEY) {
				return nil // it was looked for
			}
			return err
		}),
		call("a key ring of a thread's", "CVE-2017-7472: keyctl(2), thread key rings", func() error {
			_, err := unix.KeyctlInt(unix.KEYCTL_GET_KEYRING_ID, unix.KEY_SPEC_THREAD_KEYRING, 1, 0, 0)
			return err
		}),
		ifKnown(func() error { return cached(0) }, Row{
			name: "the page cache", source: "CVE-2019-5489, cachestat(2): which files others use",
			attack: func(args []string) error {
				f, err := os.Open(args[0])
				if err != nil {
					return err
				}
				defer f.Close()
				return cached(f.Fd())
			},
			arena: func(a *Arena) { a.ro(); a.Args(a.File("ro/file", "the caller's")) },
			walls: filter,
		}),
		call("memory that nobody can see", "memfd_secret(2)", func() error {
			const memfdSecret = 447
			fd, err := rawSyscall(memfdSecret, 0)
			if err == nil {
				unix.Close(int(fd))
			}
			return err
		}),
		call("pages in another order", "remap_file_pages(2), deprecated; CVE-2009-0024", func() error {
			memory, err := unix.Mmap(-1, 0, 8192, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANONYMOUS)
			if err != nil {
				return err
			}
			defer unix.Munmap(memory)
			_, err = rawSyscall(unix.SYS_REMAP_FILE_PAGES, pointer(&memory[0]), 4096, 0, 1, 0)
			return err
		}),
		{
			name: "the kernel's log", source: "syslog(2): it tells addresses of the kernel, and what others do",
			attack: func([]string) error {
				const sizeUnread = 9
				_, err := rawSyscall(unix.SYS_SYSLOG, sizeUnread)
				return err
			},
			walls: filter,
			skip: func(Role) Reason {
				restricted, err := os.ReadFile("/proc/sys/kernel/dmesg_restrict")
				if err != nil || restricted[0] != '0' {
					return noHardware
				}
				return ""
			},
		},
	}
}

// cached asks which pages of a file are in the page cache.
func cached(fd uintptr) error {
	const cachestat = 451
	what, seen := [2]uint64{0, 4096}, [5]uint64{}
	_, err := rawSyscall(cachestat, fd, pointer(&what), pointer(&seen), 0)
	return err
}
