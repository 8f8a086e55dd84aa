package jail

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"unsafe"

	"github.com/seed-75010da9/jail/internal/ablation"
	"github.com/seed-75010da9/jail/internal/pid1"
	"github.com/seed-75010da9/jail/seccomp"
	"golang.org/x/sys/unix"
)

// The box's filter has its refusals put to a listener, the supervisor, so that the
// record can say what was refused (seccomp_unotify(2)). The process that becomes
// the program makes the listener with the filter, sends it over the channel and
// has it no more; nothing in the box can have one. The answer is always the
// refusal. As soon as the descriptor is closed everywhere the kernel answers ENOSYS
// in the supervisor's place, so it stays open until the box is gone, and a box
// whose supervisor was killed waits for nobody.

// setModeFilter is SECCOMP_SET_MODE_FILTER.
const setModeFilter = 1

// listenerOf is the flags that give a box its listener, or why it has none.
func listenerOf(spec Spec, h host, off ablation.Set) (flags uint64, unheard string) {
	switch {
	case off.Has(ablation.Observer) || off.Has(ablation.CloseFDs): // the end of the report pipe, after which it is taken, would be the program's
		return 0, "a test has it so"
	case slices.Contains(spec.Seccomp.Allow, "seccomp"):
		return 0, "seccomp is allowed by name, so that the box may have a listener of its own, and the kernel lets there be one"
	case slices.Contains(spec.Seccomp.Deny, "sendmsg") || slices.Contains(spec.Seccomp.Deny, "close"):
		return 0, "the policy denies sendmsg or close, by which the listener is handed over"
	}
	return h.listener, h.unheard
}

// probeListener finds the flags that this kernel takes. Without a filter to attach
// it answers EFAULT to those that it knows (seccomp(2)).
func probeListener() (flags uint64, unheard string) {
	var errno syscall.Errno
	for _, flags := range []uint64{seccomp.NewListener | seccomp.WaitKillable, seccomp.NewListener} {
		if _, _, errno = syscall.Syscall(unix.SYS_SECCOMP, setModeFilter, uintptr(flags), 0); errno != unix.EFAULT {
			continue
		}
		// Of the filters that a process inherits one alone may have a listener.
		if !filtered() {
			return flags, ""
		}
		if errno = triedListener(flags); errno == 0 {
			return flags, ""
		}
		break
	}
	if errors.Is(errno, unix.EBUSY) {
		return 0, "a filter around jail itself has the one listener that the kernel lets there be"
	}
	return 0, "the kernel, or a filter around jail itself, makes no listener: " + errno.Error()
}

// tries remembers what tryListener said, with WaitKillable and without, which nothing
// changes as long as the process lives. Each try is the end of a thread, and where
// there is no room for others in its place a server would not outlive many.
var tries [2]struct {
	once  sync.Once
	errno syscall.Errno
}

func triedListener(flags uint64) syscall.Errno {
	try := &tries[0]
	if flags&seccomp.WaitKillable == 0 {
		try = &tries[1]
	}
	try.once.Do(func() { try.errno = tryListener(flags) })
	return try.errno
}

// tryListener makes a listener for a filter that allows everything, on a thread of
// its own that ends with it.
func tryListener(flags uint64) syscall.Errno {
	result := make(chan syscall.Errno)
	pid1.Alongside(func() {
		runtime.LockOSThread() // for good
		allow := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}
		program := unix.SockFprog{Len: 1, Filter: &allow}
		unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) // of the thread
		fd, _, errno := syscall.Syscall(unix.SYS_SECCOMP, setModeFilter, uintptr(flags), uintptr(unsafe.Pointer(&program)))
		if errno == 0 {
			unix.Close(int(fd))
		}
		result <- errno
	})
	return <-result
}

// loadHeardFilter attaches the box's filter and sends the supervisor its listener.
// From here on a step that the filter refuses would wait for an answer: none of
// those that follow is one.
func (b *builder) loadHeardFilter(f filter) {
	// struct cmsghdr, and the descriptor, which the first step puts there.
	control := b.words(cmsgHeader+4, unix.SOL_SOCKET|unix.SCM_RIGHTS<<32, 0)
	listener := cell{control + cmsgHeader, "listener"}
	text := "SECCOMP_FILTER_FLAG_NEW_LISTENER"
	if f.listener&seccomp.WaitKillable != 0 {
		text += "|SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV"
	}
	b.install(f.program, num(f.listener, text)).keep(listener)
	part := b.words(b.room(8), 1)
	message := b.words(0, 0, part, 1, control, cmsgHeader+8, 0) // struct msghdr
	b.call(unix.SYS_SENDMSG, "sendmsg", "listener", num(fdChannel), num(message, "{<listener>}"), num(0)).wants(1)
	b.drop(listener, "listener")
}

// listen takes the listener of a box that has reported its last.
func (r *run) listen(c *child) error {
	if r.plan.filter.listener == 0 || r.observer != nil || len(r.report.evidence) == 0 {
		return nil
	}
	return r.takeListener(c)
}

// listenFirst takes the listener of a box that is traced, before anything else that
// it says: on its way to the program it makes such calls itself, and waits for their
// answers. A box that falls apart before has none, and reports why.
func (r *run) listenFirst(c *child) error {
	if !r.plan.filter.traced || !r.readable(c.channel, unix.POLLIN) {
		return nil
	}
	var peeked [1]byte
	if n, _, err := unix.Recvfrom(c.channel, peeked[:], unix.MSG_PEEK|unix.MSG_DONTWAIT); err != nil || n == 0 {
		return nil
	}
	if err := r.takeListener(c); err != nil {
		return err
	}
	r.observer.tracer = newTracer(r)
	r.observer.heard(&r.end, unix.POLLIN)
	return nil
}

func (r *run) takeListener(c *child) error {
	control := make([]byte, unix.CmsgSpace(4)+unix.CmsgSpace(unix.SizeofUcred))
	_, n, _, _, err := unix.Recvmsg(c.channel, make([]byte, 1), control, unix.MSG_DONTWAIT|unix.MSG_CMSG_CLOEXEC)
	fds := []int(nil)
	if err == nil {
		fds, r.audit.program, err = sent(control[:n])
	}
	if err != nil {
		r.end.now(ReasonInternalError)
		r.reap(c)
		return &SetupError{Stage: StageSupervise, Layer: LayerSeccomp, Operation: "recvmsg", Operand: "listener", Err: err,
			Remedy: "allow jail more open files (ulimit -n)"}
	}
	r.observer = &observer{listener: fds[0], program: r.plan.filter.program, killable: r.plan.filter.listener&seccomp.WaitKillable != 0}
	return nil
}

// sent is the one descriptor of a message, and who sent it if the kernel says so.
func sent(control []byte) (fds []int, sender int, err error) {
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return nil, 0, err
	}
	for i := range messages {
		m := &messages[i]
		if m.Header.Type != unix.SCM_CREDENTIALS {
			fds, err = unix.ParseUnixRights(m)
			continue
		}
		if who, err := unix.ParseUnixCredentials(m); err == nil {
			sender = int(who.Pid)
		}
	}
	switch {
	case err == nil && len(fds) == 0: // the kernel drops what there is no room for
		err = unix.EMFILE
	case err == nil && len(fds) != 1:
		err = unix.EBADMSG
	}
	return fds, sender, err
}
