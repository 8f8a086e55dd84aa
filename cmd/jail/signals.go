package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/seed-75010da9/jail/internal/interrupt"
	"golang.org/x/sys/unix"
)

// watchSignals returns a context for a run that ends at the first SIGINT,
// SIGTERM, SIGQUIT or SIGHUP; one that comes a second later, or later still, ends
// jail at once, and with it the box, but without a record. SIGABRT is left to the Go runtime, whose trace of
// all goroutines may be what its sender wants. SIGPIPE is ignored: a closed
// stdout is to be an error of a write and not the end of the supervisor. Nobody
// waits for SIGCHLD, which comes twice in a run.
func watchSignals() context.Context {
	fd, err := interrupt.Catch(unix.SIGINT, unix.SIGTERM, unix.SIGQUIT, unix.SIGHUP)
	if err != nil {
		fmt.Fprintln(os.Stderr, "jail: catching signals:", err)
		os.Exit(exitRefused)
	}
	signal.Ignore(unix.SIGPIPE)
	if err := interrupt.Drop(unix.SIGCHLD); err != nil {
		fmt.Fprintln(os.Stderr, "jail: dropping SIGCHLD:", err)
		os.Exit(exitRefused)
	}
	return interrupt.With(context.Background(), fd)
}

// toFinish is how long jail goes on telling what it has to after a signal that came too
// late to end a box.
const toFinish = time.Second

// finishing comes before what is left to do when no box is, or will be, there: writing,
// which takes for ever where nobody reads. A signal that has not ended a box, or the next
// one, ends jail then, as it would end a program that does nothing else.
func finishing() {
	time.AfterFunc(toFinish, func() {
		if !interrupt.EndAtFirst() {
			os.Exit(128 + int(interruption()))
		}
	})
}

// interrupted says whether a signal has come.
func interrupted() bool { return interrupt.Signal() != 0 }

// interruption is what ended a run that was canceled. Without a signal to jail
// that is the reader of its output, who went away: SIGPIPE, as a program that
// writes there itself would get. The exit status is 128 + its number, as a
// shell expects of a program that was interrupted.
func interruption() unix.Signal {
	if s := interrupt.Signal(); s != 0 {
		return s
	}
	return unix.SIGPIPE
}

// interruptionWords are for the message of such a run.
func interruptionWords() string {
	if s := interruption(); s != unix.SIGPIPE {
		return ": it sent " + unix.SignalName(s) + " to jail"
	}
	return ": nobody reads its output any more"
}
