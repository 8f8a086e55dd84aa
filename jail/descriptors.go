package jail

import (
	"slices"

	"github.com/seed-75010da9/jail/internal/pid1"
	"golang.org/x/sys/unix"
)

// The descriptors that PID 1 gets with its plan stand at fixed numbers. Whatever
// else a plan needs is sent to it behind the plan.
const (
	fdStdin    = 0            // /dev/null until the program's process opens the box's own, or a pipe
	fdStdout   = 1            // pipe
	fdStderr   = 2            // pipe
	fdChannel  = pid1.Channel // unix socket: the plan, and the descriptors that it needs
	fdStatus   = 4            // pipe: the program's end
	fdLifeline = 5            // pipe whose other end only the supervisor has
	fdReport   = 6            // pipe: failures and evidence, closed before the program runs
	fdTmp      = 7            // the box's /tmp, for PID 1 to see at the end whether it is full
	fdShm      = 8            // its /dev/shm, likewise
)

// An inherit is one descriptor that a plan needs, and where it comes from.
type inherit struct {
	kind   inheritKind
	source *mount // inheritMount
}

type inheritKind int

const (
	inheritRuleset inheritKind = iota // the Landlock ruleset
	inheritMount                      // a detached mount
	inheritValue                      // the box's end of the socket for a value
)

// batchSize is how many descriptors one message carries; the kernel takes up
// to 253 (SCM_MAX_FD, unix(7)).
const batchSize = 64

const (
	cmsgHeader = 16 // struct cmsghdr: length, level, type
	cmsgRoom   = cmsgHeader + 4*batchSize
)

// inherit plans one more descriptor and returns the cell in which it arrives:
// a place in the control message that the kernel writes it to.
func (p *Plan) inherit(i inherit, name string) cell {
	n := len(p.inherits) % batchSize
	if n == 0 {
		p.batches = append(p.batches, p.controlMessage())
	}
	p.inherits = append(p.inherits, i)
	return cell{p.batches[len(p.batches)-1] + cmsgHeader + 4*uint64(n), name}
}

// controlMessage reserves room for the descriptors of one message. What does
// not arrive is -1, which no call takes for a descriptor.
func (p *Plan) controlMessage() uint64 {
	room := make([]byte, cmsgRoom)
	for i := cmsgHeader; i < cmsgRoom; i++ {
		room[i] = 0xff
	}
	return p.bytes(room)
}

// recvmsg receives one message.
func (b *builder) recvmsg(operand string, control uint64) {
	part := b.words(b.room(8), 1)
	message := b.words(0, 0, part, 1, control, cmsgRoom, 0) // struct msghdr
	b.call(unix.SYS_RECVMSG, "recvmsg", operand, num(fdChannel), num(message, "{…}"), num(unix.MSG_CMSG_CLOEXEC, "MSG_CMSG_CLOEXEC")).wants(1)
}

// receive puts in front of all other steps that whatever the caller leaked is
// closed, and that the descriptors are received.
func (b *builder) receive() {
	n := len(b.lists[listBox])
	b.at(listBox, StageGrants, LayerRoot)
	for _, control := range b.batches {
		b.recvmsg("descriptors", control)
	}
	// Moved within the list, which has room for them: a second one would be pages
	// that no start-up has touched yet.
	steps := b.lists[listBox]
	added := slices.Clone(steps[n:])
	copy(steps[len(added):], steps[:n])
	copy(steps, added)
}

// growDescriptorTable makes room for n descriptors at once. The kernel doubles the
// table when it is full, and waits for an RCU grace period of some 10 ms each time
// in a process with threads (fs/file.c, expand_fdtable). That there is no room is
// for the calls to say that need it.
func growDescriptorTable(fd, n int) {
	if n < batchSize {
		return
	}
	if high, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, n+batchSize); err == nil {
		unix.Close(high)
	}
}

// send sends descriptors to PID 1, one batch after the other.
func (c *child) send(fds []int) error {
	for len(fds) > 0 {
		n := min(len(fds), batchSize)
		if err := c.sendWith([]byte{0}, fds[:n]); err != nil {
			return err
		}
		fds = fds[n:]
	}
	return nil
}

// sendWith sends one message.
func (c *child) sendWith(text []byte, fds []int) error {
	if err := unix.Sendmsg(c.channel, text, unix.UnixRights(fds...), nil, 0); err != nil {
		return &SetupError{Stage: StageGrants, Operation: "sendmsg", Operand: "descriptors", Err: err}
	}
	return nil
}
