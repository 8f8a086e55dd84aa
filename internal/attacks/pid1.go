package attacks

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/jail"
	"golang.org/x/sys/unix"
)

// pid1: the process above the program, which in a box of other tools is a copy
// of the launcher.
func pid1() []Row {
	return []Row{
		{
			name: "environ", source: "measured on bubblewrap: /proc/1/environ",
			attack:  func([]string) error { return show("/proc/1/environ") },
			arena:   secretEnv,
			control: InNaive,
			walls:   []ablation.Wall{ablation.EmptyEnv, ablation.Undumpable, ablation.Landlock},
		},
		{
			name: "memory by /proc/1/mem", source: "measured on bubblewrap: /proc/1/mem",
			attack:  readMemory(func(from, to int64) ([]byte, error) { return memFile(from, to) }),
			arena:   secretEnv,
			control: InNaive,
			walls:   []ablation.Wall{ablation.EmptyEnv, ablation.Undumpable, ablation.Landlock},
		},
		{
			name: "memory by process_vm_readv", source: "process_vm_readv(2); srt#214",
			attack:  readMemory(vmRead),
			arena:   secretEnv,
			control: InNaive,
			walls:   []ablation.Wall{ablation.EmptyEnv, ablation.Undumpable, ablation.Landlock, ablation.Seccomp},
		},
		{
			name: "ptrace", source: "bubblewrap CVE-2026-41163: ptrace of the launcher",
			attack: func([]string) error {
				runtime.LockOSThread()
				if err := unix.PtraceAttach(1); err != nil {
					return err
				}
				var status unix.WaitStatus
				if _, err := unix.Wait4(1, &status, unix.WALL, nil); err != nil {
					return err
				}
				return unix.PtraceDetach(1)
			},
			control: InNaive,
			walls:   []ablation.Wall{ablation.Undumpable, ablation.Landlock, ablation.Seccomp},
		},
		{
			name: "descriptors by pidfd_getfd", source: "measured on bubblewrap: pidfd_getfd(2)",
			attack: func([]string) error {
				pid1, err := unix.PidfdOpen(1, 0)
				if err != nil {
					return err
				}
				err = errors.New("it has none")
				for n := 0; n < 64; n++ {
					fd, e := unix.PidfdGetfd(pid1, n, 0)
					if e == nil {
						return unix.Close(fd)
					}
					err = e
					if e != unix.EBADF {
						return e
					}
				}
				return err
			},
			control: InNaive,
			walls:   []ablation.Wall{ablation.Undumpable, ablation.Landlock, ablation.Seccomp},
		},
		{
			name: "its image by /proc/1/exe", source: "runc CVE-2019-5736",
			attack: func([]string) error {
				image, err := os.Open("/proc/1/exe")
				if err != nil {
					return err
				}
				_, err = image.Read(make([]byte, 4))
				return err
			},
			control: InNaive,
			walls:   []ablation.Wall{ablation.Undumpable, ablation.Landlock},
		},
		{
			name: "every signal", source: "pid_namespaces(7); bazel#1671",
			attack: func([]string) error {
				// It must not be asked again: once it is gone, somebody of the
				// host's may have taken its place.
				parent := os.Getppid()
				for sig := unix.Signal(1); sig <= 64; sig++ {
					unix.Kill(parent, sig)
				}
				return outlived()
			},
			arena:   endsTheRun,
			control: InNaive,
			walls:   []ablation.Wall{ablation.PIDs, ablation.Landlock}, landlock: abiScopes,
			dies: true,
		},
		{
			name: "a forged word that the caller has gone", source: "CVE-2011-1182: a forged si_code; rt_sigqueueinfo(2): it says who sent a signal",
			attack:  forgeSIGIO,
			arena:   endsTheRun,
			control: InNaive,
			why:     "PID 1 looks at si_code, which the kernel lets nobody forge; there is no step to leave out",
		},
	}
}

// endsTheRun is the effect of attacks that want PID 1 gone: the program has no
// time left for its own last word.
func endsTheRun(a *Arena) {
	a.effect = func(got Answer) error {
		if got.Result.Reason != jail.ReasonInternalError && strings.Contains(got.Stdout, saidLost) {
			return errors.New("the program came to its end")
		}
		return nil
	}
}

// forgeSIGIO sends PID 1 the signal that the kernel sends it when the caller
// has gone, with every si_code that a program can give.
func forgeSIGIO([]string) error {
	for _, code := range []int32{-1, -2, -3, -4, -5, -6, -60, 0, 1, 6, 0x80} {
		var info [128]byte
		info[0] = byte(unix.SIGIO)
		for i := range 4 {
			info[8+i] = byte(uint32(code) >> (8 * i))
		}
		rawSyscall(unix.SYS_RT_SIGQUEUEINFO, 1, uintptr(unix.SIGIO), pointer(&info[0]))
	}
	unix.Kill(1, unix.SIGIO)
	return outlived()
}

// outlived is the end of a program that has done what should have ended it.
func outlived() error {
	soon := 200 * time.Millisecond
	if slices.Contains(os.Environ(), patient) {
		soon = inTime
	}
	time.Sleep(soon)
	return errors.New("PID 1 and its program are alive")
}

// readMemory prints PID 1's writable memory.
func readMemory(read func(from, to int64) ([]byte, error)) func([]string) error {
	return func([]string) error {
		maps, err := os.Open("/proc/1/maps")
		if err != nil {
			// Without a map: where the kernel puts the stack of a small
			// program is not known, but its image is.
			_, err := read(0x400000, 0x401000)
			return err
		}
		defer maps.Close()
		lines := bufio.NewScanner(maps)
		for lines.Scan() {
			var from, to int64
			var mode string
			fmt.Sscanf(lines.Text(), "%x-%x %s", &from, &to, &mode)
			if !strings.HasPrefix(mode, "rw") || to-from > 1<<20 {
				continue
			}
			content, e := read(from, to)
			if e != nil {
				err = e
				continue
			}
			fmt.Printf("%q\n", content)
		}
		return err
	}
}

func memFile(from, to int64) ([]byte, error) {
	mem, err := os.Open("/proc/1/mem")
	if err != nil {
		return nil, err
	}
	defer mem.Close()
	content := make([]byte, to-from)
	n, err := mem.ReadAt(content, from)
	return content[:n], err
}

func vmRead(from, to int64) ([]byte, error) {
	content := make([]byte, to-from)
	local := []unix.Iovec{{Base: &content[0], Len: uint64(len(content))}}
	remote := []unix.RemoteIovec{{Base: uintptr(from), Len: int(to - from)}}
	n, err := unix.ProcessVMReadv(1, local, remote, 0)
	if err != nil {
		return nil, err
	}
	return content[:n], nil
}
