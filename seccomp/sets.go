package seccomp

import "golang.org/x/sys/unix"

const (
	word     = 0xffffffff
	sockType = 0xf // SOCK_TYPE_MASK; what it leaves out is SOCK_NONBLOCK and SOCK_CLOEXEC
)

// UnixSockets is the rules that let a box make Unix sockets of every kind, and
// pairs of them. They are safe where Landlock (from ABI 9 on) keeps them from
// resolving a socket outside the box, or where no granted tree holds one.
func UnixSockets() []Rule {
	// SOCK_STREAM is 1 and SOCK_SEQPACKET is 5. One bit fewer compared covers
	// both, and each rule fewer is less for the kernel to compile.
	const streams = sockType &^ (unix.SOCK_STREAM ^ unix.SOCK_SEQPACKET)
	family := Arg{0, word, unix.AF_UNIX}
	stream, datagram := Arg{1, streams, unix.SOCK_STREAM}, Arg{1, sockType, unix.SOCK_DGRAM}
	return []Rule{
		{Syscall: "socket", Action: Allow, Args: []Arg{family, stream}},
		{Syscall: "socket", Action: Allow, Args: []Arg{family, datagram}},
		{Syscall: "socketpair", Action: Allow, Args: []Arg{family, stream}},
		{Syscall: "socketpair", Action: Allow, Args: []Arg{family, datagram}},
	}
}

// Loopback is the rules that let a box make TCP and UDP sockets, and ask the
// kernel for its interfaces over NETLINK_ROUTE, which is how getifaddrs and
// os.networkInterfaces do it. What they reach is what the network namespace
// holds. Raw sockets stay refused, and so does every other protocol: MPTCP
// (262), SCTP and UDP-Lite are kernel surface that loopback has no need of.
func Loopback() []Rule {
	// AF_INET is 2 and AF_INET6 is 10; SOCK_DGRAM is 2 and SOCK_RAW is 3. One
	// bit fewer compared covers both and halves the rules.
	const inet, datagrams = word &^ (unix.AF_INET ^ unix.AF_INET6), sockType &^ (unix.SOCK_DGRAM ^ unix.SOCK_RAW)
	socket := func(family, kind Arg, protocol uint32) Rule {
		return Rule{Syscall: "socket", Action: Allow, Args: []Arg{family, kind, {2, word, protocol}}}
	}
	ip := Arg{0, inet, unix.AF_INET}
	stream, datagram := Arg{1, sockType, unix.SOCK_STREAM}, Arg{1, sockType, unix.SOCK_DGRAM}
	return []Rule{
		socket(ip, stream, 0),
		socket(ip, stream, unix.IPPROTO_TCP),
		socket(ip, datagram, 0),
		socket(ip, datagram, unix.IPPROTO_UDP),
		socket(Arg{0, word, unix.AF_NETLINK}, Arg{1, datagrams, unix.SOCK_DGRAM}, unix.NETLINK_ROUTE),
	}
}
