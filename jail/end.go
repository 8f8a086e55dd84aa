package jail

import (
	"sync"
	"time"

	"github.com/seed-75010da9/jail/cgroups"
	"golang.org/x/sys/unix"
)

// end is the one way in which a box is ended before its time. Whoever is first
// is the cause, and it is on record before anything is killed: a SIGKILL says
// nothing about why.
type end struct {
	mu    sync.Mutex
	cause Reason    // "" while nobody ended it
	at    time.Time // when it was ended
	pidfd int
	// lifeline is that of a keeper, which is told on it to end the tree and then
	// itself; killed, it could not. Else -1.
	lifeline int
	group    *cgroups.Group
	closed   bool // the box is gone: its descriptors may be somebody else's now
}

// now ends the box for cause, unless it was ended already.
func (e *end) now(cause Reason) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.cause != "" || e.closed {
		return
	}
	e.cause, e.at = cause, time.Now()
	e.kill()
}

// kill is SIGKILL to PID 1, with which the kernel kills its whole pid
// namespace (pid_namespaces(7)), and cgroup.kill besides where there is one.
func (e *end) kill() {
	if e.lifeline >= 0 {
		unix.Write(e.lifeline, []byte{0})
		e.wake()
	} else {
		unix.PidfdSendSignal(e.pidfd, unix.SIGKILL, nil, 0)
	}
	if e.group != nil {
		e.group.Kill()
	}
}

// lateCause is for what is found out when the box has ended by itself.
func (e *end) lateCause(cause Reason) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cause, e.at = cause, time.Now()
}

// overdue says that the box was ended a grace ago and is still there.
func (e *end) overdue() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.cause != "" && time.Since(e.at) > endGrace
}

// over returns the cause and when it was, and makes later ones too late.
func (e *end) over() (Reason, time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	return e.cause, e.at
}

// endGrace bounds how long a killed box is waited for. Only a process stuck in
// the kernel (uninterruptible sleep) takes that long: one that is ready to end has
// been seen to wait for a processor for two seconds, where ten wanted two.
const endGrace = 10 * time.Second
