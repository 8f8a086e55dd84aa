package attacks

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// What the attacks on limits do, each bounded.

// forkMany has n children at once.
func forkMany(n int) error {
	var children []int
	defer func() {
		for _, pid := range children {
			unix.Kill(pid, unix.SIGKILL)
			unix.Wait4(pid, nil, 0, nil)
		}
	}()
	for range n {
		pid, e := forkOne()
		if e != 0 {
			return e
		}
		if pid == 0 {
			for range 200 { // 10 s, should nobody kill it
				unix.RawSyscall6(unix.SYS_PSELECT6, 0, 0, 0, 0, pointer(&unix.Timespec{Nsec: 50_000_000}), 0)
			}
			unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
		children = append(children, int(pid))
	}
	return nil
}

// useMemory has n bytes at once.
func useMemory(n int) error {
	memory, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return err
	}
	for i := 0; i < n; i += 4096 {
		memory[i] = 1
	}
	return unix.Munmap(memory)
}

// useMemoryInChildren has count processes hold n bytes each at once.
func useMemoryInChildren(count, n int) error {
	memory, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return err
	}
	return holdInChildren(count, func() {
		for i := 0; i < n; i += 4096 {
			memory[i] = 1
		}
	})
}

// holdInChildren has count children carry out use and keep what it took until all
// of them have. None may die of it.
func holdInChildren(count int, use func()) error {
	var have, keep [2]int // what they say that they have it by, and what they wait at
	if err := errors.Join(unix.Pipe2(have[:], unix.O_NONBLOCK), unix.Pipe(keep[:])); err != nil {
		return err
	}
	var children []uintptr
	for range count {
		pid, e := forkOne()
		if e != 0 {
			return e
		}
		if pid == 0 {
			var b byte
			unix.RawSyscall(unix.SYS_CLOSE, uintptr(keep[1]), 0, 0)
			use()
			unix.RawSyscall(unix.SYS_WRITE, uintptr(have[1]), pointer(&b), 1)
			unix.RawSyscall(unix.SYS_READ, uintptr(keep[0]), pointer(&b), 1)
			unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
		children = append(children, pid)
	}
	for holding := 0; holding < count && !anyEnded(); {
		n, err := unix.Read(have[0], make([]byte, count))
		if holding += max(n, 0); err == unix.EAGAIN {
			time.Sleep(time.Millisecond)
		}
	}
	unix.Close(keep[1])
	return waitAll(children)
}

// anyEnded says whether a child has ended, which is still there to be waited for.
func anyEnded() bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == nil && info.Signo != 0
}

func waitAll(children []uintptr) error {
	var err error
	for _, pid := range children {
		var status unix.WaitStatus
		for {
			if _, e := unix.Wait4(int(pid), &status, 0, nil); e != unix.EINTR {
				break
			}
		}
		if status.Signaled() {
			err = errors.New("a child was killed")
		}
	}
	return err
}

// spin has count processes use processor time side by side, each as much.
func spin(count int, each time.Duration) error {
	var children []uintptr
	for range count {
		pid, e := forkOne()
		if e != 0 {
			return e
		}
		if pid == 0 {
			var used unix.Timespec
			for used.Nano() < each.Nanoseconds() {
				unix.RawSyscall(unix.SYS_CLOCK_GETTIME, unix.CLOCK_PROCESS_CPUTIME_ID, pointer(&used), 0)
			}
			unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
		children = append(children, pid)
	}
	return waitAll(children)
}

// fill writes n bytes to a new file.
func fill(path string, n int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	block := make([]byte, 64<<10)
	for range n / len(block) {
		if _, err := f.Write(block); err != nil {
			return err
		}
	}
	return nil
}
