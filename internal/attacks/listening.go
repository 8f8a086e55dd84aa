package attacks

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/jail"
	"golang.org/x/sys/unix"
)

// listening: being what others on the host take for a service, and the doors to
// services that are beside the usual ones.
func listening() []Row {
	outside := []ablation.Wall{ablation.Seccomp, ablation.Net, ablation.Landlock}
	standIn := []ablation.Wall{ablation.Seccomp, ablation.Net}
	if LandlockABI() >= abiUnix { // from then on a box has Unix sockets, with abstract names of its own
		standIn = []ablation.Wall{ablation.Net}
	}
	return []Row{
		{
			name: "listen on a port of the host's", source: "every judge: a server that outlives, or stands in for another",
			attack: func(args []string) error {
				fd, at, err := inetSocket(unix.SOCK_STREAM, 0, args[0])
				if err != nil {
					return err
				}
				return welcome(fd, at)
			},
			arena: func(a *Arena) {
				port := a.freePort()
				a.Args(port)
				a.visits(func() (int, error) {
					fd, to, err := inetSocket(unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0, port)
					if err != nil {
						return fd, err
					}
					return fd, unix.Connect(fd, to)
				})
			},
			walls: outside, landlock: abiTCP,
		},
		{
			name: "stand in for an abstract socket of the host's", source: "CVE-2020-15257: containerd-shim's abstract socket; unix(7)",
			attack: func(args []string) error {
				fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
				if err != nil {
					return err
				}
				return welcome(fd, &unix.SockaddrUnix{Name: "@" + args[0]})
			},
			arena: func(a *Arena) {
				name := filepath.Base(a.dir)
				a.Args(name)
				a.visits(func() (int, error) { return connected(unix.SOCK_STREAM|unix.SOCK_CLOEXEC, "@"+name) })
			},
			// Landlock's scope is about connecting out, not about who comes in.
			walls: standIn,
		},
		{
			name: "a datagram to an abstract socket of the host's", source: "nono#207: abstract sockets; nono#1089: datagrams need no connect(2); unix(7); landlock(7) scopes",
			attack: func(args []string) error { return post("@" + args[0]) },
			arena: func(a *Arena) {
				name := filepath.Base(a.dir)
				fd := a.bind(unix.SOCK_DGRAM, &unix.SockaddrUnix{Name: "@" + name})
				a.Args(name)
				a.effect = func(Answer) error { return a.reads(fd, "OWNED") }
			},
			walls: outside, landlock: abiScopes,
		},
		byUnix(Row{
			name: "a datagram to a socket in a grant", source: "nono#1089: sendto(2) needs no connect(2); unix(7): /dev/log, sd_notify(3)",
			attack: func(args []string) error { return post(args[0]) },
			arena: func(a *Arena) {
				path := filepath.Join(a.ro(), "socket")
				fd := a.bind(unix.SOCK_DGRAM, &unix.SockaddrUnix{Name: path})
				a.Args(path)
				a.effect = func(Answer) error { return a.reads(fd, "OWNED") }
			},
		}),
		byUnix(Row{
			name: "packets to a socket in a grant", source: "sandlock PR#95: named sockets are none of Landlock's rights; unix(7), SOCK_SEQPACKET: systemd's and udev's kind",
			attack: func(args []string) error { return dial(unix.SOCK_SEQPACKET, args[0]) },
			arena: func(a *Arena) {
				path := filepath.Join(a.grant(jail.MountRO, "ro"), "socket")
				a.listen(unix.SOCK_SEQPACKET, path)
				a.Args(path)
				a.leaksSecret()
			},
		}),
		{
			name: "TCP without connect(2)", source: "landlock-lsm/linux#41: MSG_FASTOPEN: sendto(2) connects; tcp(7)",
			attack: func(args []string) error {
				fd, to, err := inetSocket(unix.SOCK_STREAM, 0, args[0])
				if err != nil {
					return err
				}
				if err := unix.Sendto(fd, []byte("x"), unix.MSG_FASTOPEN, to); err != nil {
					return err
				}
				return hear(fd)
			},
			arena: inetServer,
			walls: []ablation.Wall{ablation.Seccomp, ablation.Net},
			// Newer kernels of one and the same ABI have Landlock look at this as at
			// a connect(2), others have not, and nothing says which.
			with: []ablation.Wall{ablation.Landlock},
			skip: func(Role) Reason {
				value, err := os.ReadFile("/proc/sys/net/ipv4/tcp_fastopen")
				if on, e := strconv.Atoi(string(value[:max(len(value)-1, 0)])); err != nil || e != nil || on&1 == 0 {
					return noHardware
				}
				return ""
			},
		},
		{
			name: "TCP over IPv6 to the host's loopback", source: "ipv6(7): rules for one family only; httpjail and iptables",
			attack: func(args []string) error {
				port, err := strconv.Atoi(args[0])
				if err != nil {
					return err
				}
				fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_STREAM, 0)
				if err != nil {
					return err
				}
				if err := unix.Connect(fd, &unix.SockaddrInet6{Port: port, Addr: loopback6}); err != nil {
					return err
				}
				return hear(fd)
			},
			arena: func(a *Arena) {
				fd, err := listen6()
				if err != nil {
					a.t.Fatal("IPv6:", err)
				}
				a.t.Cleanup(func() { unix.Close(fd) })
				a.accept(fd, a.tell)
				name, err := unix.Getsockname(fd)
				if err != nil {
					a.t.Fatal(err)
				}
				a.Args(strconv.Itoa(name.(*unix.SockaddrInet6).Port))
				a.leaksSecret()
			},
			walls: outside, landlock: abiTCP,
			skip: func(Role) Reason {
				fd, err := listen6()
				if err != nil {
					return noHardware
				}
				unix.Close(fd)
				return ""
			},
		},
	}
}

var loopback6 = [16]byte{15: 1}

// listen6 is a socket at a port of the host's IPv6 loopback.
func listen6() (int, error) {
	fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return -1, err
	}
	if err := unix.Bind(fd, &unix.SockaddrInet6{Addr: loopback6}); err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// freePort is a port of the host's loopback that was free a moment ago.
func (a *Arena) freePort() string {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		a.t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: loopback}); err != nil {
		a.t.Fatal(err)
	}
	return a.port(fd)
}

// hear prints what a connection's other end tells.
func hear(fd int) error {
	buf := make([]byte, 256)
	n, err := unix.Read(fd, buf)
	fmt.Printf("%s\n", buf[:max(n, 0)])
	return err
}

// post sends a datagram to a unix socket.
func post(name string) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	return unix.Sendto(fd, []byte("OWNED"), 0, &unix.SockaddrUnix{Name: name})
}

// welcome waits a moment for a visitor, and writes to it.
func welcome(fd int, at unix.Sockaddr) error {
	if err := unix.Bind(fd, at); err != nil {
		return err
	}
	if err := unix.Listen(fd, 1); err != nil {
		return err
	}
	const wait = 5000 // ms
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, wait)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n == 0 {
			return errors.Join(err, errors.New("nobody came"))
		}
		break
	}
	peer, _, err := unix.Accept(fd)
	if err != nil {
		return err
	}
	_, err = unix.Write(peer, []byte("OWNED"))
	time.Sleep(20 * time.Millisecond)
	return err
}

// visits has somebody on the host call, while the attack runs, what it takes for a
// service. That it hears the attacker is the effect.
func (a *Arena) visits(call func() (int, error)) {
	heard := errors.New("nobody answered")
	a.during = func(caller *os.Process) {
		await(caller, func() bool {
			fd, err := call()
			if err == nil {
				heard = a.reads(fd, "OWNED")
			}
			if fd >= 0 {
				unix.Close(fd)
			}
			return err == nil
		})
	}
	a.effect = func(Answer) error { return heard }
}
