package attacks

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// pid1Files: what /proc tells of PID 1, and takes for it. The kernel asks for the
// same right as for tracing it.
func pid1Files() []Row {
	walls := []ablation.Wall{ablation.Undumpable, ablation.Landlock}
	call := []ablation.Wall{ablation.Undumpable, ablation.Landlock, ablation.Seccomp}
	reads := func(name, file, source string) Row {
		return Row{
			name: name, source: source, control: InNaive, walls: walls,
			attack: func([]string) error {
				content, err := os.ReadFile("/proc/1/" + file)
				if err == nil && len(content) == 0 {
					err = errors.New("it is empty")
				}
				return err
			},
			skip: func(Role) Reason {
				if _, err := os.Stat("/proc/self/" + file); err != nil {
					return noHardware
				}
				return ""
			},
		}
	}
	return []Row{
		reads("address space by /proc/1/maps", "maps", "srt#214; proc_pid_maps(5): where to aim"),
		reads("random bytes by /proc/1/auxv", "auxv", "CVE-2011-1020: files of /proc/PID read past a setuid exec; proc_pid_auxv(5): AT_RANDOM and addresses"),
		reads("stack pointer by /proc/1/syscall", "syscall", "CVE-2020-28588, CVE-2011-1020; proc_pid_syscall(5)"),
		reads("what it reads and writes by /proc/1/io", "io", "CVE-2011-2495: /proc/PID/io tells lengths of passwords"),
		{
			name: "descriptors by /proc/1/fd", source: "runc CVE-2024-21626, CVE-2016-9962: descriptors of the process that sets up",
			attack: func([]string) error {
				_, err := os.ReadDir("/proc/1/fd")
				return err
			},
			control: InNaive, walls: walls,
		},
		{
			name: "write to its memory by /proc/1/mem", source: "CVE-2012-0056 (mempodipper)",
			attack:  func([]string) error { return writeBack(memFileWrite) },
			control: InNaive, why: readOnlyProc,
		},
		{
			name: "write to its memory by process_vm_writev", source: "Docker's list of blocked calls (moby PR#19059): process_vm_writev(2)",
			attack:  func([]string) error { return writeBack(vmWrite) },
			control: InNaive, walls: call,
		},
		{
			name: "the order in which memory is short", source: "proc_pid_oom_score_adj(5): have the kernel kill it first",
			attack:  func([]string) error { return os.WriteFile("/proc/1/oom_score_adj", []byte("1000"), 0) },
			control: InNaive, why: readOnlyProc,
		},
		ifKnown(func() error { return movePages(0) }, Row{
			name: "where its pages lie", source: "CVE-2017-14140: move_pages(2) tells the layout of others",
			attack:  func([]string) error { return movePages(1) },
			control: InNaive, walls: call,
		}),
		{
			name: "its list of locks", source: "get_robust_list(2): an address in it",
			attack: func([]string) error {
				var head, size uintptr
				_, err := rawSyscall(unix.SYS_GET_ROBUST_LIST, 1, pointer(&head), pointer(&size))
				return err
			},
			control: InNaive, walls: call,
		},
		{
			name: "every signal by pidfd", source: "landlock-lsm/linux#58: pidfds and the scope of signals; pidfd_send_signal(2): a second door to kill(2)",
			attack: func([]string) error {
				fd, err := unix.PidfdOpen(os.Getppid(), 0)
				if err != nil {
					return err
				}
				for sig := unix.Signal(1); sig <= 64; sig++ {
					unix.PidfdSendSignal(fd, sig, nil, 0)
				}
				return outlived()
			},
			arena:   endsTheRun,
			control: InNaive,
			walls:   []ablation.Wall{ablation.PIDs, ablation.Landlock}, landlock: abiScopes,
			dies: true,
		},
	}
}

// readOnlyProc is why these have no wall to take down.
const readOnlyProc = "a box's /proc is mounted read-only from the start; the rows that read show what else there is"

// movePages asks where a process's pages lie.
func movePages(pid uintptr) error {
	page, status := uintptr(loadAt), int32(0)
	_, err := rawSyscall(unix.SYS_MOVE_PAGES, pid, 1, pointer(&page), 0, pointer(&status), 0)
	return err
}

// writeBack writes to PID 1's memory what is there already.
func writeBack(write func(at int64, content []byte) error) error {
	maps, err := os.ReadFile("/proc/1/maps")
	if err != nil {
		return err
	}
	var at, end int64
	var mode string
	for line := range strings.Lines(string(maps)) {
		if fmt.Sscanf(line, "%x-%x %s", &at, &end, &mode); mode == "rw-p" {
			break
		}
	}
	if mode != "rw-p" {
		return errors.New("it has no memory to write to")
	}
	content, err := memFile(at, at+8)
	if err != nil {
		return err
	}
	return write(at, content)
}

func memFileWrite(at int64, content []byte) error {
	mem, err := os.OpenFile("/proc/1/mem", os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer mem.Close()
	_, err = mem.WriteAt(content, at)
	return err
}

func vmWrite(at int64, content []byte) error {
	local := unix.Iovec{Base: &content[0], Len: uint64(len(content))}
	remote := unix.RemoteIovec{Base: uintptr(at), Len: len(content)}
	_, err := rawSyscall(unix.SYS_PROCESS_VM_WRITEV, 1, pointer(&local), 1, pointer(&remote), 1, 0)
	return err
}
