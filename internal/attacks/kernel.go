package attacks

import (
	"errors"
	"os"
	"runtime"
	"unsafe"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// kernel: system calls that open a large part of the kernel, or the caller's
// own things in it.
func kernel() []Row {
	filter := []ablation.Wall{ablation.Seccomp}
	readKey := Row{
		name: "read the caller's session key ring", source: "keyrings(7); measured on bubblewrap; isolate 2.4",
		attack: func([]string) error {
			id, err := unix.KeyctlSearch(unix.KEY_SPEC_SESSION_KEYRING, "user", keyName, 0)
			if err != nil {
				return err
			}
			secret := make([]byte, 256)
			n, err := unix.KeyctlBuffer(unix.KEYCTL_READ, id, secret, 0)
			os.Stdout.Write(secret[:max(n, 0)])
			os.Stdout.WriteString("\n")
			return err
		},
		arena: func(a *Arena) {
			a.key = a.secret
			a.leaksSecret()
		},
		walls: filter,
		with:  []ablation.Wall{ablation.Keyring},
		skip:  needsKeys,
	}
	// Boxes have another key ring besides.
	ownRing := readKey
	ownRing.name += ", with one of the box's own"
	ownRing.walls, ownRing.with = []ablation.Wall{ablation.Seccomp, ablation.Keyring}, nil
	return []Row{
		readKey,
		ownRing,
		{
			name: "put a key into a key ring", source: "CVE-2016-0728 and kin; add_key(2)",
			attack: func([]string) error {
				_, err := unix.AddKey("user", "jail-escape-new", []byte("x"), unix.KEY_SPEC_PROCESS_KEYRING)
				return err
			},
			walls: filter,
		},
		{
			name: "load a kernel program", source: "bpf(2); CVE-2020-8835 and many more",
			attack: func([]string) error {
				attr := struct{ kind, key, value, entries uint32 }{2 /* array */, 4, 4, 1}
				const mapCreate = 0
				fd, err := rawSyscall(unix.SYS_BPF, mapCreate, pointer(&attr), unsafe.Sizeof(attr))
				if err != nil {
					return err
				}
				return unix.Close(int(fd))
			},
			why:  "the kernel itself refuses it to user namespaces, unless kernel.unprivileged_bpf_disabled is 0",
			skip: forRoot(rootsOwn),
		},
		{
			name: "count events", source: "perf_event_open(2); CVE-2013-2094",
			attack: func([]string) error {
				attr := unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_TASK_CLOCK,
					Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})), Bits: unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv}
				fd, err := unix.PerfEventOpen(&attr, 0, -1, -1, 0)
				if err != nil {
					return err
				}
				_, err = unix.Read(fd, make([]byte, 8))
				return err
			},
			walls: filter,
			skip: func(Role) Reason {
				level, err := os.ReadFile("/proc/sys/kernel/perf_event_paranoid")
				if err != nil || level[0] > '2' {
					return noHardware
				}
				return ""
			},
		},
		{
			name: "handle page faults", source: "CVE-2018-18397: userfaultfd wrote to what is read-only; every exploit's stop watch",
			attack: func([]string) error {
				const userModeOnly = 1
				fd, err := rawSyscall(unix.SYS_USERFAULTFD, userModeOnly)
				if err != nil {
					return err
				}
				api := struct{ api, features, ioctls uint64 }{api: 0xaa}
				const uffdioAPI = 0xc018aa3f
				_, err = rawSyscall(unix.SYS_IOCTL, fd, uffdioAPI, pointer(&api))
				return err
			},
			walls: filter,
		},
		{
			name: "let a process be traced", source: "ptrace(2); CVE-2019-13272",
			attack: func([]string) error {
				runtime.LockOSThread()
				return inChildProcess(func() error {
					const traceme = 0
					return sys(unix.SYS_PTRACE, traceme)
				}, 0)(nil)
			},
			walls: filter,
		},
		ifKnown(compareOwn, Row{
			name: "compare kernel pointers", source: "Docker's list of blocked calls (moby PR#19059): kcmp(2)",
			attack: func([]string) error { return compareOwn() },
			walls:  filter,
		}),
		{
			name: "open by handle", source: "\"shocker\", in Docker's list of blocked calls (moby PR#19059); open_by_handle_at(2): reach past the view",
			attack: func(args []string) error {
				handle, _, err := unix.NameToHandleAt(unix.AT_FDCWD, args[0], 0)
				if err != nil {
					return err
				}
				at, err := unix.Open(args[0], unix.O_RDONLY, 0)
				if err != nil {
					return err
				}
				fd, err := unix.OpenByHandleAt(at, handle, unix.O_RDONLY)
				if err != nil {
					return err
				}
				return showFD(fd)
			},
			arena: func(a *Arena) {
				a.ro()
				a.Args(a.File("ro/file", a.secret))
			},
			why:  "on the host's file systems the kernel asks for a capability in the host's user namespace; \"handle of a file\" is the half that it does not",
			skip: forRoot(rootsOwn),
		},
		{
			name: "memory that executes what it reads", source: "personality(2), READ_IMPLIES_EXEC; CVE-2009-1895",
			attack: func([]string) error {
				const readImpliesExec, ask = 0x400000, 0xffffffff
				if _, err := rawSyscall(unix.SYS_PERSONALITY, readImpliesExec); err != nil {
					return err
				}
				got, err := rawSyscall(unix.SYS_PERSONALITY, ask)
				if err == nil && got&readImpliesExec == 0 {
					err = errors.New("it is as it was")
				}
				return err
			},
			walls: filter,
		},
		{
			name: "core helper on the host", source: "CVE-2015-1318: Apport ran a program of the container's; podman#6528; core(5): a core_pattern that is a pipe runs as host root, unless RLIMIT_CORE is 1",
			attack: func([]string) error {
				var limit unix.Rlimit
				unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
				unix.Prlimit(0, unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
				if err := unix.Getrlimit(unix.RLIMIT_CORE, &limit); err != nil {
					return err
				}
				if limit.Cur == 1 {
					return errors.New("the limit is still 1")
				}
				return nil
			},
			walls: filter,
		},
		ifKnown(func() error { return unix.Prctl(unix.PR_GET_MEMORY_MERGE, 0, 0, 0, 0) }, Row{
			name: "merge equal pages", source: "CVE-2015-2877 (CAIN): tells whether others have a page; prctl(2), PR_SET_MEMORY_MERGE",
			attack:  func([]string) error { return unix.Prctl(unix.PR_SET_MEMORY_MERGE, 1, 0, 0, 0) },
			control: InNaive,
			walls:   []ablation.Wall{ablation.Seccomp},
		}),
		ifKnown(func() error { return adviseOwn(unix.MADV_UNMERGEABLE) }, Row{
			name: "merge equal pages by advice", source: "CVE-2015-2877 (CAIN): tells whether others have a page; madvise(2), MADV_MERGEABLE",
			attack: func([]string) error { return adviseOwn(unix.MADV_MERGEABLE) },
			walls:  filter,
		}),
		{
			name: "have packets filtered", source: "concourse#8739, moby#45498: with the host's net.core.bpf_jit_limit used up no box starts; socket(7), SO_ATTACH_FILTER",
			attack: func([]string) error { return filterPackets() },
			walls:  filter,
		},
		{
			name: "flush the host's disks", source: "sync(2) stalls everyone; moby allows it",
			attack: func(args []string) error {
				dir, err := os.Open("/")
				if err != nil {
					return err
				}
				return unix.Syncfs(int(dir.Fd()))
			},
			walls:     filter,
			harmsBare: "it writes out all that the host's root file system has waiting",
		},
	}
}

// filterPackets attaches a program to an end of a pair of sockets. One each to a
// thousand of them took 35 MB that the memory cap does not count, of the half gigabyte
// that x86's kernels have for all.
func filterPackets() error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	all := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: 0xffff}
	return unix.SetsockoptSockFprog(pair[0], unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: 1, Filter: &all})
}

// adviseOwn gives the kernel advice on a page of this process's.
func adviseOwn(advice int) error {
	page, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return err
	}
	defer unix.Munmap(page)
	return unix.Madvise(page, advice)
}

// compareOwn compares two of this process's own descriptors.
func compareOwn() error {
	pid := uintptr(os.Getpid())
	_, err := rawSyscall(unix.SYS_KCMP, pid, pid, 0, 0, 1)
	return err
}
