// Command jaild is the companion of jail: what `jail serve` becomes. Its commands
// need libraries whose start alone takes as long as a whole `jail run`.
package main

import (
	"fmt"
	"os"
	"os/signal"

	"github.com/seed-75010da9/jail/cmd/internal/companion"
	"github.com/seed-75010da9/jail/cmd/jaild/internal/server"
	"golang.org/x/sys/unix"
)

// version is set by packagers, as jail's is: go build -ldflags "-X main.version=v1.2.3".
var version string

// exitFailed is jail's own status for what it did not do.
const exitFailed = 125

func main() {
	if len(os.Args) == 3 && os.Args[1] == "serve" {
		os.Exit(serve(os.Args[2]))
	}
	fmt.Fprintln(os.Stderr, "jaild: is started by jail, which reads the flags: `jail serve` and `jail help serve`")
	os.Exit(exitFailed)
}

// serve is `jail serve`, until a signal ends it.
func serve(handed string) int {
	signal.Ignore(unix.SIGPIPE) // a stderr that nobody reads any more ends nothing
	arrivals := make(chan os.Signal, 2)
	signal.Notify(arrivals, unix.SIGINT, unix.SIGTERM, unix.SIGHUP)
	var settings companion.Serve
	if err := companion.Receive(handed, &settings); err != nil {
		return failed(err)
	}
	if own := companion.Version(version); settings.Version != own {
		return failed(fmt.Errorf("jail is of version %s and its companion jaild of %s: install both from one build", settings.Version, own))
	}
	os.Chdir("/") // so that no mount stays busy for us
	s, err := server.New(settings)
	if err != nil {
		return failed(err)
	}
	defer s.Close()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve() }()
	tell("serving on " + settings.Socket)
	select {
	case err := <-ended:
		return failed(err)
	case sig := <-arrivals:
		tell(fmt.Sprintf("%s: taking no new work; %d running", unix.SignalName(sig.(unix.Signal)), s.Running()))
	}
	hurry := make(chan struct{})
	go func() { <-arrivals; close(hurry) }()
	if n := s.Drain(hurry); n > 0 {
		tell(fmt.Sprintf("canceled %d that were still running", n))
	}
	return 0
}

func failed(err error) int {
	tell(err.Error())
	return exitFailed
}

func tell(text string) { fmt.Fprintln(os.Stderr, "jail: serve: "+text) }
