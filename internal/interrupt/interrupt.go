// Package interrupt catches the signals by which a caller ends jail, without
// the threads, and their start, that os/signal needs: half a millisecond of a run
// that lasts four. The handler is a few instructions of our own (handler_*.s): it
// keeps the number of the first signal and makes a descriptor readable, which
// whoever waits for a box waits for besides.
package interrupt

import (
	"context"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// caught is what the handlers work on. A signal's handler belongs to the whole
// process, and so does this.
var caught struct {
	fd    int32        // the pipe's end to write to
	first atomic.Int32 // the number of the first signal
	at    int64        // when it came, in ns of the monotonic clock; 0 until then
}

// grace is how long after the first signal, in ns, further ones change nothing: a
// terminal that closes, a service manager and timeout(1) send two at once, and the
// box is being ended by then.
const grace = 1_000_000_000

// Catch catches signals from here on, and returns a descriptor that can be read
// from once the first of them has come. One that comes a second later, or later
// still, ends the process at once, with exit status 128 + its number, after a word
// on stderr, unless nobody reads that. A signal that was ignored when the process
// started stays ignored, as nohup and the background jobs of a shell expect. It must be
// called once.
func Catch(signals ...unix.Signal) (fd int, err error) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return -1, err
	}
	caught.fd = int32(p[1])
	for _, s := range signals {
		var old sigaction
		if err := setAction(s, nil, &old); err != nil || old.handler == sigIgn {
			continue
		}
		// On the signal stack that each thread of the Go runtime has: there may
		// be no room on that of a goroutine.
		act := sigaction{handler: handler(), flags: saOnStack | saRestart | saRestorer, restorer: restorer(), mask: ^uint64(0)}
		if err := setAction(s, &act, nil); err != nil {
			return -1, err
		}
	}
	return p[0], nil
}

// EndAtFirst has the first signal end the process at once as well, unless it has come: ok
// is false then.
func EndAtFirst() (ok bool) { return atomic.CompareAndSwapInt64(&caught.at, 0, 1) } // long ago

// Drop has the kernel drop a signal whose default is to be ignored (signal(7)), such as
// SIGCHLD, for the whole process: the Go runtime has a handler for each, which would run
// and throw it away. Children are to be waited for as before.
func Drop(s unix.Signal) error { return setAction(s, &sigaction{}, nil) }

// Signal is the first signal that was caught, or 0.
func Signal() unix.Signal { return unix.Signal(caught.first.Load()) }

// A sigaction is the kernel's, the same on both architectures (sigaction(2)).
type sigaction struct {
	handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

const (
	sigIgn    = 1          // SIG_IGN
	saOnStack = 0x08000000 // SA_ONSTACK
	saRestart = 0x10000000 // SA_RESTART
)

func setAction(s unix.Signal, act, old *sigaction) error {
	_, _, errno := syscall.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(act)), uintptr(unsafe.Pointer(old)), unsafe.Sizeof(act.mask), 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// handler is the address of the handler; restorer is that of what the kernel
// returns to from it, or 0 where it knows better.
func handler() uintptr
func restorer() uintptr

type key struct{}

// With returns a context for a run that is to end as canceled once fd can be
// read from.
func With(ctx context.Context, fd int) context.Context { return context.WithValue(ctx, key{}, fd) }

// Of is the descriptor that With put into ctx, or -1.
func Of(ctx context.Context) int {
	if fd, ok := ctx.Value(key{}).(int); ok {
		return fd
	}
	return -1
}
