package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"

	"github.com/seed-75010da9/jail/cmd/internal/companion"
	"github.com/seed-75010da9/jail/cmd/jaild/internal/selftest"
	"golang.org/x/sys/unix"
)

// exitUnproven is the status of a selftest in which a wall is not what is claimed.
const exitUnproven = 1

// selfTest is `jail selftest`.
func selfTest(handed string) int {
	said := teller("selftest")
	signal.Ignore(unix.SIGPIPE) // what was set up is taken away all the same
	ctx, end := context.WithCancelCause(context.Background())
	defer end(nil)
	arrivals := make(chan os.Signal, 1)
	signal.Notify(arrivals, unix.SIGINT, unix.SIGTERM, unix.SIGQUIT, unix.SIGHUP)
	go func() { end(ended{(<-arrivals).(unix.Signal)}) }()
	var settings companion.Selftest
	if err := companion.Receive(handed, &settings); err != nil {
		return said.failed(err)
	}
	if err := matches(settings.Version); err != nil {
		return said.failed(err)
	}
	os.Chdir("/") // so that no mount stays busy for us
	ok, err := selftest.Run(ctx, settings, os.Stdout, os.Stderr)
	if by, is := context.Cause(ctx).(ended); is {
		return 128 + int(by.signal)
	}
	switch {
	case settings.List && errors.Is(err, unix.EPIPE): // whoever reads it has seen enough
		return 0
	case err != nil:
		return said.failed(err)
	case settings.Refused:
		return exitFailed
	case !ok:
		return exitUnproven
	}
	return 0
}

// ended is that a signal came.
type ended struct{ signal unix.Signal }

func (e ended) Error() string { return fmt.Sprintf("ended by %s", unix.SignalName(e.signal)) }
