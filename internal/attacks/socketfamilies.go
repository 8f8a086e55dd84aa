package attacks

import (
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// oddFamily is a row for a socket of a family that a box has no use for. That
// the socket exists is the effect: its kernel code is what is attacked.
func oddFamily(name, source string, domain, kind, proto int) Row {
	return Row{
		name: name, source: source,
		attack: func([]string) error {
			fd, err := unix.Socket(domain, kind, proto)
			if err != nil {
				return err
			}
			return unix.Close(fd)
		},
		walls: []ablation.Wall{ablation.Seccomp},
		skip:  needsFamily(domain, kind, proto),
	}
}

// withCaps is a row that needs capabilities besides.
func withCaps(r Row) Row {
	r.control = InNaive
	r.walls = append(r.walls, ablation.Caps)
	return r
}

func needsFamily(domain, kind, proto int) func(Role) Reason {
	return func(who Role) Reason {
		if who.Careful && !loaded(domain, proto) {
			return notLoaded
		}
		fd, err := unix.Socket(domain, kind, proto)
		if errors.Is(err, unix.EAFNOSUPPORT) || errors.Is(err, unix.EPROTONOSUPPORT) || errors.Is(err, unix.ESOCKTNOSUPPORT) {
			return noHardware
		}
		if err == nil {
			unix.Close(fd)
		}
		return ""
	}
}

// loaded says whether the kernel has a family at hand already: asking for another
// may load a module, which stays.
func loaded(domain, proto int) bool {
	if domain == unix.AF_NETLINK {
		text, _ := os.ReadFile("/proc/net/netlink") // the kernel has a socket for each protocol that is there
		for line := range strings.Lines(string(text)) {
			if f := strings.Fields(line); len(f) > 1 && f[1] == strconv.Itoa(proto) {
				return true
			}
		}
		return false
	}
	names := map[int]string{
		unix.AF_INET: "RAW", unix.AF_PACKET: "PACKET", unix.AF_VSOCK: "AF_VSOCK", unix.AF_ALG: "ALG", unix.AF_AX25: "AX25",
		unix.AF_BLUETOOTH: "L2CAP", unix.AF_CAN: "CAN_RAW", unix.AF_TIPC: "TIPC", unix.AF_RDS: "RDS", unix.AF_KEY: "KEY", unix.AF_XDP: "XDP",
	}
	switch proto {
	case unix.IPPROTO_MPTCP:
		names[unix.AF_INET] = "MPTCP"
	case unix.IPPROTO_SCTP:
		names[unix.AF_INET] = "SCTP"
	case unix.IPPROTO_UDPLITE:
		names[unix.AF_INET] = "UDP-Lite"
	}
	text, _ := os.ReadFile("/proc/net/protocols")
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 0 && f[0] == names[domain] {
			return true
		}
	}
	return false
}
