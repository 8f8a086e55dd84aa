package attacks

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

const tier2Family = "tier 2/"

// Tier2Rows are attacks that only a box without namespaces has to fear: on its
// keeper, which is its parent and may have its uid, and on the files and processes
// of the caller, which are all there. Without a box its parent is the caller.
func Tier2Rows() []Row {
	keeper := func(name string, attack func(pid int) error) Row {
		return Row{name: tier2Family + name, source: "landlock-lsm/linux#8 and #58, AutoProver PR#73: who has the same uid; credentials(7)",
			attack: func([]string) error { return attack(os.Getppid()) }}
	}
	// file is an attack on a file of the caller's that is not granted.
	file := func(name string, attack func(path string) error) Row {
		return Row{name: tier2Family + name, source: "landlock-lsm/linux#11; nono#914; landlock(7): what has no right of its own",
			attack: func(args []string) error { return attack(args[0]) },
			arena:  func(a *Arena) { a.Args(a.hidden()) }}
	}
	return []Row{
		keeper("signal the keeper", func(pid int) error { return unix.Kill(pid, 0) }),
		keeper("signal the keeper by pidfd", func(pid int) error {
			fd, err := unix.PidfdOpen(pid, 0)
			if err != nil {
				return err
			}
			return unix.PidfdSendSignal(fd, 0, nil, 0)
		}),
		keeper("the keeper's limits", func(pid int) error {
			return unix.Prlimit(pid, unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
		}),
		keeper("the keeper's priority", func(pid int) error { return unix.Setpriority(unix.PRIO_PROCESS, pid, 19) }),
		keeper("the keeper's processors", func(pid int) error {
			var one unix.CPUSet
			one.Set(0)
			return unix.SchedSetaffinity(pid, &one)
		}),
		keeper("the keeper's disk priority", func(pid int) error {
			const process, idle = 1, 3 << 13
			_, err := rawSyscall(unix.SYS_IOPRIO_SET, process, uintptr(pid), idle)
			return err
		}),
		keeper("the keeper's descriptors", func(pid int) error {
			_, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
			return err
		}),
		keeper("learn of a process", func(pid int) error {
			if err := unix.Kill(pid, 0); err != nil && !errors.Is(err, unix.EPERM) {
				return err
			}
			return nil
		}),
		file("learn of a file", func(path string) error { return unix.Lstat(path, new(unix.Stat_t)) }),
		file("change a mode", func(path string) error { return unix.Chmod(path, 0o640) }),
		file("change a mode by fchmodat2", func(path string) error {
			if err := fchmodat2(path, 0o640); !errors.Is(err, unix.ENOSYS) {
				return err
			}
			return unix.Chmod(path, 0o640) // as programs do where it is not known
		}),
		file("change an owner", func(path string) error { return unix.Chown(path, os.Getuid(), os.Getgid()) }),
		file("change times", func(path string) error {
			return unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{{}, {}}, 0)
		}),
		file("set an attribute", func(path string) error { return unix.Setxattr(path, "user.x", []byte("y"), 0) }),
		file("empty a file", func(path string) error { return unix.Truncate(path, 0) }),
		file("empty a file by opening it", func(path string) error {
			_, err := unix.Open(path, unix.O_RDONLY|unix.O_TRUNC, 0)
			return err
		}),
		file("rename a file", func(path string) error { return unix.Rename(path, path+"2") }),
		file("link a file", func(path string) error { return unix.Link(path, path+"-linked") }),
		file("make a socket file", func(path string) error { return unix.Mknod(path+"-socket", unix.S_IFSOCK|0o600, 0) }),
		file("watch a file's folder", func(path string) error {
			fd, err := unix.InotifyInit1(0)
			if err != nil {
				return err
			}
			_, err = unix.InotifyAddWatch(fd, filepath.Dir(path), unix.IN_ALL_EVENTS)
			return err
		}),
		{
			name: tier2Family + "learn of the host's connections", source: "sandlock#237: /proc/net is the host's; proc_pid_net(5): the network namespace is the caller's",
			attack: func([]string) error { return show("/proc/self/net/unix") },
		},
		{
			name: tier2Family + "learn of the host's connections by a thread", source: "sandlock#237: /proc/net is the host's; proc_pid_task(5)",
			attack: func([]string) error { return show("/proc/thread-self/net/tcp") },
		},
		{
			name: tier2Family + "learn of the host's mounts", source: "bubblewrap#631: it tells of the host's; proc_pid_mountinfo(5)",
			attack: func([]string) error { return show("/proc/self/mountinfo") },
		},
		{
			name: tier2Family + "a segment of the caller's", source: "codex PR#20240: segments of the host's; shmget(2): the ipc namespace is the caller's",
			attack: func(args []string) error {
				key, err := strconv.Atoi(args[0])
				if err != nil {
					return err
				}
				const size = 4096
				_, err = rawSyscall(unix.SYS_SHMGET, uintptr(key), size, unix.IPC_CREAT|0o600)
				return err
			},
			arena: func(a *Arena) {
				key := 0x6a000000 + os.Getpid()&0xffff<<1
				if a.role.Root {
					key++
				}
				a.Args(strconv.Itoa(key))
				a.effect = func(got Answer) error {
					if id, err := rawSyscall(unix.SYS_SHMGET, uintptr(key), 0, 0); err == nil {
						rawSyscall(unix.SYS_SHMCTL, id, unix.IPC_RMID, 0)
					}
					if strings.Contains(got.Stdout, saidWon) {
						return nil
					}
					return errors.New("there is none")
				}
			},
		},
		{
			name: tier2Family + "take an abstract name of the host's", source: "CVE-2020-15257: containerd-shim's abstract socket; unix(7): an end of a pair can be bound, and the names are the network namespace's",
			attack: func(args []string) error {
				pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
				if err != nil {
					return err
				}
				return unix.Bind(pair[0], &unix.SockaddrUnix{Name: "@" + args[0]})
			},
			arena: func(a *Arena) { a.Args(filepath.Base(a.dir)) },
		},
		{
			name: tier2Family + "have the kernel choose an abstract name of the host's", source: "CVE-2020-15257: containerd-shim's abstract socket; unix(7): autobind",
			attack: func([]string) error { return autobound() },
		},
		{
			name: tier2Family + "the environment of the caller's process", source: "birdcage PR#64; proc_pid_environ(5)",
			attack: func([]string) error { return show("/proc/" + strconv.Itoa(os.Getppid()) + "/environ") },
			arena: func(a *Arena) {
				a.env = append(a.env, "TOKEN="+a.secret)
				a.leaksSecret()
			},
		},
	}
}

// autobound has the kernel name an end of a pair: for connect(2), which fails then, or
// for a packet, where it is to tell from whom it got what it gets.
func autobound() error {
	for _, kind := range []int{unix.SOCK_STREAM, unix.SOCK_SEQPACKET} {
		for _, option := range []int{unix.SO_PASSCRED, unix.SO_PASSPIDFD} {
			pair, err := unix.Socketpair(unix.AF_UNIX, kind, 0)
			if err != nil {
				return err
			}
			unix.SetsockoptInt(pair[0], unix.SOL_SOCKET, option, 1)
			unix.Connect(pair[0], &unix.SockaddrUnix{Name: "@"})
			unix.Write(pair[0], []byte("x"))
			at, err := unix.Getsockname(pair[0])
			if err != nil {
				return err
			}
			if name, ok := at.(*unix.SockaddrUnix); ok && len(name.Name) > len("@") {
				return nil
			}
		}
	}
	return errors.New("none has a name")
}
