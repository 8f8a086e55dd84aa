package jail

import (
	"strings"

	"golang.org/x/sys/unix"

	"github.com/seed-75010da9/jail/internal/withheld"
)

// unreached is why no flag that opens a call has a program reach the Unix socket that is
// asked about, or "". What the host does not have a program of the box's may make.
func (r *run) unreached() string {
	const own = "; those that the box's own programs make can be reached"
	q := r.question
	if q.abstract && !r.spec.inPlace() {
		return "no abstract name leads out of the box's own network" + own
	}
	if q.socket == "" {
		return ""
	}
	if _, there := r.statOf(); there {
		return ""
	}
	f, ok := r.looks().At(q.socket)
	switch {
	case !ok || f.Mode&unix.S_IFMT != unix.S_IFSOCK:
		return ""
	case r.plan.handled.abi >= abiUnix:
		return "Landlock keeps Unix sockets within the box" + own
	}
	return withheld.NotHinted + "--unix opens it together with a grant of the folder that it lies in, and by it whatever its server does outside of the box"
}

// A socketType is one in a question.
type socketType struct {
	number int
	name   string
}

// The types that questions use. A socket of a path is asked for by the least usual one:
// the kernel finds it, looks at its mode, and does not connect two of different types
// (unix(7), EPROTOTYPE).
var (
	stream    = socketType{unix.SOCK_STREAM, "SOCK_STREAM"}
	seqpacket = socketType{unix.SOCK_SEQPACKET, "SOCK_SEQPACKET"}
)

// connectQuestion makes a socket and connects it to an address, which is a struct
// sockaddr. It does not wait for anybody's answer.
func connectQuestion(family int, familyName string, kind socketType, address []byte, shown string) *question {
	socket := &try{access: "have a socket", name: "socket", call: "socket(" + familyName + ", " + kind.name + ")",
		args: func(*builder) []arg {
			return []arg{num(family, familyName), num(kind.number|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, kind.name), num(0)}
		}}
	return &question{tries: []*try{socket,
		{access: "connect it", name: "connect", call: "connect(" + shown + ")", fd: socket,
			args: func(b *builder) []arg { return []arg{num(b.bytes(address), shown), num(len(address))} }},
	}}
}

// unixAddress is a struct sockaddr_un, of a path or of an abstract name: @ stands for the
// NUL before that, as in /proc/net/unix.
func unixAddress(p string) ([]byte, bool) {
	const longest = 108
	if name, ok := strings.CutPrefix(p, "@"); ok {
		return append([]byte{unix.AF_UNIX, 0, 0}, name...), name != "" && len(p) <= longest && strings.IndexByte(name, 0) < 0
	}
	return append([]byte{unix.AF_UNIX, 0}, append([]byte(p), 0)...), len(p) < longest && strings.IndexByte(p, 0) < 0
}
