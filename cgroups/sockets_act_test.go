package cgroups

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The buffers of sockets are the host's memory too. A flood fills them, in a net
// namespace of its own, and says how many bytes the kernel has put there.
const (
	floodWants = 96 << 20
	floodTries = 2000 // sockets, or pairs of them
)

// inOwnNet makes cmd run in a net namespace, in which it has the capabilities to
// set the interface up.
func inOwnNet(cmd *exec.Cmd) *exec.Cmd {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET
	cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: syscall.Getuid(), Size: 1}}
	cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: syscall.Getgid(), Size: 1}}
	return cmd
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func loopbackUp() {
	fd := must(unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0))
	lo := must(unix.NewIfreq("lo"))
	lo.SetUint16(unix.IFF_UP)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo); err != nil {
		panic(err)
	}
	unix.Close(fd)
}

// newSocket makes a socket with room, on a port of loopback that nobody else has.
func newSocket(kind int) (int, unix.Sockaddr) {
	fd := must(unix.Socket(unix.AF_INET, kind|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0))
	unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, 1<<30) // what the host allows
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		panic(err)
	}
	return fd, must(unix.Getsockname(fd))
}

// inBuffers is what lies in fd's buffers, with the kernel's own overhead: what
// was received, and what is queued to be sent (sock_diag(7), SO_MEMINFO).
func inBuffers(fd int) int {
	const received, queued = 0, 5
	var info [9]uint32
	size := uint32(unsafe.Sizeof(info))
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, unix.SO_MEMINFO,
		uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
	if errno != 0 {
		panic(errno)
	}
	return int(info[received]) + int(info[queued])
}

func udpFlood([]string) {
	loopbackUp()
	total := 0
	for range floodTries {
		to, addr := newSocket(unix.SOCK_DGRAM)
		from, _ := newSocket(unix.SOCK_DGRAM)
		before := -1
		for before != inBuffers(to) {
			before = inBuffers(to)
			unix.Sendto(from, make([]byte, 60000), 0, addr)
		}
		unix.Close(from)
		if total += inBuffers(to); total >= floodWants {
			break
		}
	}
	fmt.Println(total)
}

func tcpFlood([]string) {
	loopbackUp()
	listener, addr := newSocket(unix.SOCK_STREAM)
	if err := unix.Listen(listener, 1); err != nil {
		panic(err)
	}
	chunk := make([]byte, 64<<10)
	total := 0
	for range floodTries {
		from, _ := newSocket(unix.SOCK_STREAM)
		if err := unix.Connect(from, addr); err != nil && err != unix.EINPROGRESS {
			panic(err)
		}
		to, _, err := unix.Accept(listener)
		if err != nil { // the limit keeps it from coming about
			unix.Close(from)
			continue
		}
		for {
			if _, err := unix.Write(from, chunk); err != nil {
				break
			}
		}
		if total += inBuffers(from) + inBuffers(to); total >= floodWants {
			break
		}
	}
	fmt.Println(total)
}

func TestSocketLimit(t *testing.T) {
	exe, err := os.Executable() // /proc/…/exe of who is outside cannot be had from a user namespace
	if err != nil {
		t.Fatal(err)
	}
	flood := func(cmd *exec.Cmd) (int, error) {
		out, err := inOwnNet(cmd).Output()
		if err != nil {
			return 0, err
		}
		return strconv.Atoi(strings.TrimSpace(string(out)))
	}
	for _, role := range []string{"role:udp", "role:tcp"} {
		t.Run(role, func(t *testing.T) {
			if n, err := flood(exec.Command(exe, role)); err != nil || n < floodWants {
				t.Fatalf("control: outside of the group %d bytes lie in sockets, %v, want %d", n, err, floodWants)
			}
			g := testGroup(t, testParent(t), small)
			if strings.Contains(g.note, socketLimit) {
				t.Skip("not for this kernel: " + g.note)
			}
			if _, err := g.dirs[0].read("memory.peak"); g.Version() == V2 && err != nil {
				t.Skip("not for this kernel: without memory.peak (Linux 5.19) a flood that is over leaves no trace")
			}
			if over, err := g.OutOfMemory(); over || err != nil {
				t.Errorf("OutOfMemory() before = %v, %v, want false", over, err)
			}
			n, err := flood(enter(g, exec.Command(exe, role)))
			over, overErr := g.OutOfMemory()
			if overErr != nil {
				t.Fatal(overErr)
			}
			if most := int(small.Memory) * 3 / 2; !over && (err != nil || n > most) {
				t.Errorf("in the group %d bytes lie in sockets, %v, want at most %d or that it is out of memory", n, err, most)
			}
			t.Logf("%d bytes in sockets, out of memory: %v", n, over)
		})
	}
}
