package attacks

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/jail"
	"golang.org/x/sys/unix"
)

// sockets: ways to talk to somebody outside.
func sockets() []Row {
	return []Row{
		{
			name: "abstract unix socket of the host", source: "greywall#32 #55; unix(7); landlock(7) scopes",
			attack: func(args []string) error { return dial(unix.SOCK_STREAM, "@"+args[0]) },
			arena: func(a *Arena) {
				name := filepath.Base(a.dir)
				a.listen(unix.SOCK_STREAM, "@"+name)
				a.Args(name)
				a.leaksSecret()
			},
			walls: []ablation.Wall{ablation.Seccomp, ablation.Net, ablation.Landlock}, landlock: abiScopes,
		},
		unixInTree("unix socket in a read-only grant", jail.MountRO),
		unixInTree("unix socket in a writable grant", jail.MountRW),
		byUnix(Row{
			name: "a datagram pair connected again", source: "trpc-agent-go PR#2426: a datagram pair connects to named sockets; unix(7)",
			attack: func(args []string) error {
				pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
				if err != nil {
					return err
				}
				if err := unix.Connect(pair[0], &unix.SockaddrUnix{Name: args[0]}); err != nil {
					return err
				}
				_, err = unix.Write(pair[0], []byte("OWNED"))
				return err
			},
			arena: func(a *Arena) {
				path := filepath.Join(a.ro(), "socket")
				fd := a.bind(unix.SOCK_DGRAM, &unix.SockaddrUnix{Name: path})
				a.Args(path)
				a.effect = func(Answer) error { return a.reads(fd, "OWNED") }
			},
		}),
		byUnix(Row{
			name: "a descriptor sent over a unix socket", source: "unix(7), SCM_RIGHTS; nono GHSA-27vp-2mmc-vmh3 by way of D-Bus",
			attack: func(args []string) error {
				fd, err := connected(unix.SOCK_STREAM, args[0])
				if err != nil {
					return err
				}
				buf, oob := make([]byte, 1), make([]byte, 64)
				_, n, _, _, err := unix.Recvmsg(fd, buf, oob, 0)
				if err != nil {
					return err
				}
				messages, err := unix.ParseSocketControlMessage(oob[:n])
				if err != nil || len(messages) == 0 {
					return errors.Join(err, errors.New("nothing was sent"))
				}
				fds, err := unix.ParseUnixRights(&messages[0])
				if err != nil {
					return err
				}
				return showFD(fds[0])
			},
			arena: func(a *Arena) {
				path := filepath.Join(a.ro(), "socket")
				secret := a.open(a.hidden(), os.O_RDONLY)
				a.serve(unix.SOCK_STREAM, path, func(fd int) {
					unix.Sendmsg(fd, []byte{0}, unix.UnixRights(int(secret.Fd())), nil, 0)
				})
				a.Args(path)
				a.leaksSecret()
			},
		}),
		{
			name: "TCP to the host's loopback", source: "sandbox-runtime#274; every judge's first test",
			attack: inetAttack(unix.SOCK_STREAM, 0),
			arena:  inetServer,
			walls:  []ablation.Wall{ablation.Seccomp, ablation.Net, ablation.Landlock}, landlock: abiTCP,
		},
		{
			name: "MPTCP to the host's loopback", source: "landlock-lsm/linux#54; go-landlock#50",
			attack: inetAttack(unix.SOCK_STREAM, unix.IPPROTO_MPTCP),
			arena:  inetServer,
			walls:  []ablation.Wall{ablation.Seccomp, ablation.Net},
			skip:   needsFamily(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP),
		},
		{
			name: "UDP to the host's loopback", source: "landrun: UDP stays open; httpjail#53",
			attack: func(args []string) error {
				fd, to, err := inetSocket(unix.SOCK_DGRAM, 0, args[0])
				if err != nil {
					return err
				}
				return unix.Sendto(fd, []byte("OWNED"), 0, to)
			},
			arena: func(a *Arena) {
				fd := a.bind(unix.SOCK_DGRAM, &unix.SockaddrInet4{Addr: loopback})
				a.Args(a.port(fd))
				a.effect = func(Answer) error { return a.reads(fd, "OWNED") }
			},
			walls: []ablation.Wall{ablation.Seccomp, ablation.Net, ablation.Landlock}, landlock: abiUDP,
		},
		oddFamily("vsock, to the hypervisor", "isolate 2.4; mxc#936; not bound to a net namespace before Linux 7.0", unix.AF_VSOCK, unix.SOCK_STREAM, 0),
		oddFamily("netlink: the kernel's events", "measured on bubblewrap: odd netlink families", unix.AF_NETLINK, unix.SOCK_DGRAM, unix.NETLINK_KOBJECT_UEVENT),
		oddFamily("netlink: crypto", "measured on bubblewrap: odd netlink families", unix.AF_NETLINK, unix.SOCK_DGRAM, unix.NETLINK_CRYPTO),
		oddFamily("netlink: routes", "sandlock and codex deny it; it lists the host's interfaces", unix.AF_NETLINK, unix.SOCK_DGRAM, unix.NETLINK_ROUTE),
		oddFamily("kernel cryptography", "CVE-2019-8912; any user can reach AF_ALG", unix.AF_ALG, unix.SOCK_SEQPACKET, 0),
		oddFamily("packet radio, and other attic families", "families that few use and few look after, such as in CVE-2017-6074 (DCCP)", unix.AF_AX25, unix.SOCK_DGRAM, 0),
		withCaps(oddFamily("raw packets", "CVE-2017-7308, CVE-2020-14386: packet(7)", unix.AF_PACKET, unix.SOCK_RAW, 0)),
		withCaps(oddFamily("raw IP", "CVE-2017-17712: raw(7)", unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP)),
		{
			name: "a socket made by io_uring", source: "srt README; codex seccomp.rs; arapuca#33",
			attack: func([]string) error { return uringSocket(unix.AF_INET, unix.SOCK_STREAM) },
			walls:  []ablation.Wall{ablation.Seccomp},
			skip: func(Role) Reason {
				if e := uringSocket(unix.AF_INET, unix.SOCK_STREAM); e != nil {
					return noHardware
				}
				return ""
			},
		},
	}
}

// The ABI from which on Landlock decides about something (landlock(7)).
const (
	abiTruncate = 3
	abiTCP      = 4
	abiScopes   = 6 // signals and abstract sockets
	abiUnix     = 9 // connecting to a socket file
	abiUDP      = 10
)

// fromABI is r, which Landlock stops from an ABI on.
func fromABI(abi uintptr, r Row) Row {
	r.landlock = abi
	return r
}

// byUnix gives r what stops a connection to a socket file in a granted tree.
// Where Landlock can, it alone does; in a box without it the filter refuses
// sockets of that family altogether.
func byUnix(r Row) Row {
	r.walls = []ablation.Wall{ablation.Seccomp}
	if LandlockABI() >= abiUnix {
		r.walls, r.with = []ablation.Wall{ablation.Landlock}, r.walls
	}
	return r
}

// LandlockABI is 0 where there is no Landlock.
func LandlockABI() uintptr {
	const version = 1
	abi, err := rawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, version)
	if err != nil {
		return 0
	}
	return abi
}

func unixInTree(name string, kind jail.MountKind) Row {
	return byUnix(Row{
		name: name, source: "nono#781 (docker.sock, D-Bus); landrun#43; a read-only mount does not stop connect(2)",
		attack: func(args []string) error { return dial(unix.SOCK_STREAM, args[0]) },
		arena: func(a *Arena) {
			path := filepath.Join(a.grant(kind, "tree"), "socket")
			a.listen(unix.SOCK_STREAM, path)
			a.Args(path)
			a.leaksSecret()
		},
	})
}

var loopback = [4]byte{127, 0, 0, 1}

// dial connects to a unix socket and prints what it is told.
func dial(kind int, name string) error {
	fd, err := connected(kind, name)
	if err != nil {
		return err
	}
	buf := make([]byte, 256)
	n, err := unix.Read(fd, buf)
	fmt.Printf("%s\n", buf[:max(n, 0)])
	return err
}

func connected(kind int, name string) (int, error) {
	fd, err := unix.Socket(unix.AF_UNIX, kind, 0)
	if err != nil {
		return -1, err
	}
	return fd, unix.Connect(fd, &unix.SockaddrUnix{Name: name})
}
