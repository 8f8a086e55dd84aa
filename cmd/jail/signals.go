package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// An interruption is the signal that ended a run, kept for the exit status.
type interruption struct{ number atomic.Int32 }

// watchSignals ends the returned context at the first SIGINT, SIGTERM, SIGQUIT
// or SIGHUP; a second one ends jail at once, and with it the box, but without a
// record. SIGABRT is left to the Go runtime, whose trace of all goroutines may
// be what its sender wants. A signal that was ignored when jail started stays
// ignored, as nohup and background jobs of a shell expect. SIGPIPE is ignored:
// a closed stdout is to be an error of a write and not the end of the
// supervisor.
func watchSignals() (context.Context, *interruption) {
	ctx, cancel := context.WithCancel(context.Background())
	got := new(interruption)
	signal.Ignore(unix.SIGPIPE)
	arrivals := make(chan os.Signal, 2)
	// Ends with the process: jail runs one box. Notify starts a thread, which
	// the making of the box need not wait for.
	go func() {
		for _, s := range []os.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGQUIT, unix.SIGHUP} {
			if !signal.Ignored(s) {
				signal.Notify(arrivals, s)
			}
		}
		for s := range arrivals {
			n := s.(unix.Signal)
			if !got.number.CompareAndSwap(0, int32(n)) {
				fmt.Fprintln(os.Stderr, "jail: second signal, ending at once")
				os.Exit(128 + int(n))
			}
			cancel()
		}
	}()
	runtime.Gosched() // it runs now, and takes signals from here on
	return ctx, got
}

// came says whether a signal has come.
func (i *interruption) came() bool { return i.number.Load() != 0 }

// signal is what ended a run that was canceled. Without a signal to jail that
// is the reader of its output, who went away: SIGPIPE, as a program that
// writes there itself would get. The exit status is 128 + its number, as a
// shell expects of a program that was interrupted.
func (i *interruption) signal() unix.Signal {
	if n := i.number.Load(); n != 0 {
		return unix.Signal(n)
	}
	return unix.SIGPIPE
}

// words are for the message of such a run.
func (i *interruption) words() string {
	if s := i.signal(); s != unix.SIGPIPE {
		return ": it sent " + unix.SignalName(s) + " to jail"
	}
	return ": nobody reads its output any more"
}
