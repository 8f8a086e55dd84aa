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
	var rules []Rule
	for _, call := range []string{"socket", "socketpair"} {
		for _, kind := range []uint32{unix.SOCK_STREAM, unix.SOCK_DGRAM, unix.SOCK_SEQPACKET} {
			rules = append(rules, Rule{Syscall: call, Action: Allow, Args: []Arg{
				{Index: 0, Mask: word, Value: unix.AF_UNIX},
				{Index: 1, Mask: sockType, Value: kind},
			}})
		}
	}
	return rules
}

// Loopback is the rules that let a box make TCP and UDP sockets, and ask the
// kernel for its interfaces over NETLINK_ROUTE, which is how getifaddrs and
// os.networkInterfaces do it. What they reach is what the network namespace
// holds. Raw sockets stay refused, and so does every other protocol: MPTCP
// (262), SCTP and UDP-Lite are kernel surface that loopback has no need of.
func Loopback() []Rule {
	var rules []Rule
	for _, family := range []uint32{unix.AF_INET, unix.AF_INET6} {
		for _, p := range []struct{ kind, protocol uint32 }{
			{unix.SOCK_STREAM, 0},
			{unix.SOCK_STREAM, unix.IPPROTO_TCP},
			{unix.SOCK_DGRAM, 0},
			{unix.SOCK_DGRAM, unix.IPPROTO_UDP},
		} {
			rules = append(rules, socket(family, p.kind, p.protocol))
		}
	}
	return append(rules,
		socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE),
		socket(unix.AF_NETLINK, unix.SOCK_DGRAM, unix.NETLINK_ROUTE))
}

func socket(family, kind, protocol uint32) Rule {
	return Rule{Syscall: "socket", Action: Allow, Args: []Arg{
		{Index: 0, Mask: word, Value: family},
		{Index: 1, Mask: sockType, Value: kind},
		{Index: 2, Mask: word, Value: protocol},
	}}
}
