// Command jaild is the companion of jail: what `jail serve`, `jail mcp` and `jail
// selftest` become, and what the profile wasm runs in its boxes. Its commands need
// libraries whose start alone takes as long as a whole `jail run`, or code that has no
// business in the launcher.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/seed-75010da9/jail/cmd/internal/companion"
	"github.com/seed-75010da9/jail/cmd/internal/nobox"
	"github.com/seed-75010da9/jail/cmd/jaild/internal/engine"
	"github.com/seed-75010da9/jail/cmd/jaild/internal/server"
	"github.com/seed-75010da9/jail/internal/attacks"
	"github.com/seed-75010da9/jail/internal/shellword"
	"golang.org/x/sys/unix"
)

// version is set by packagers, as jail's is: go build -ldflags "-X main.version=v1.2.3".
var version string

// exitFailed is jail's own status for what it did not do.
const exitFailed = 125

func main() {
	if len(os.Args) > 1 && os.Args[1] == "wasm" { // in a box
		os.Exit(engine.Main(os.Args[2:]))
	}
	attacks.Main() // the processes of `jail selftest`
	if len(os.Args) == 3 {
		unix.Umask(unix.Umask(0o077) &^ 0o700) // folders made here are to be used, whatever the caller's umask
		switch os.Args[1] {
		case "serve":
			os.Exit(serve(os.Args[2]))
		case "mcp":
			os.Exit(mcp(os.Args[2]))
		case "selftest":
			os.Exit(selfTest(os.Args[2]))
		}
	}
	fmt.Fprintln(os.Stderr, "jaild: is started by jail, which reads the flags: `jail serve`, `jail mcp`, `jail selftest` and their help")
	os.Exit(exitFailed)
}

// serve is `jail serve`, until a signal ends it.
func serve(handed string) int {
	said := teller("serve")
	signal.Ignore(unix.SIGPIPE) // a stderr that nobody reads any more ends nothing
	arrivals := make(chan os.Signal, 2)
	signal.Notify(arrivals, unix.SIGINT, unix.SIGTERM, unix.SIGHUP)
	var settings companion.Serve
	if err := companion.Receive(handed, &settings); err != nil {
		return said.failed(err)
	}
	if err := matches(settings.Version); err != nil {
		return said.failed(err)
	}
	os.Chdir("/") // so that no mount stays busy for us
	ready := 0
	for _, p := range settings.Pools {
		ready += p.Size
	}
	var err error
	if settings.MaxRunning, err = keepThreads(said, settings.MaxRunning, ready); err != nil {
		return said.failed(err)
	}
	s, err := server.New(settings)
	if err != nil {
		return said.failed(err)
	}
	defer s.Close()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve() }()
	said.tell("serving on " + settings.Socket)
	select {
	case err := <-ended:
		return said.failed(err)
	case sig := <-arrivals:
		said.tell(fmt.Sprintf("%s: taking no new work; %d running", unix.SignalName(sig.(unix.Signal)), s.Running()))
	}
	hurry := make(chan struct{})
	go func() { <-arrivals; close(hurry) }()
	if n := s.Drain(hurry); n > 0 {
		said.tell(fmt.Sprintf("canceled %d that were still running", n))
	}
	return 0
}

// matches says whether the launcher is of the same version.
func matches(launcher string) error {
	if own := companion.Version(version); launcher != own {
		return fmt.Errorf("jail is of version %s and its companion jaild of %s: install both from one build", launcher, own)
	}
	return nil
}

// A teller tells people what a command has to say.
type teller string

func (t teller) failed(err error) int {
	t.tell(nobox.Words(err))
	return exitFailed
}

func (t teller) tell(text string) {
	text = strings.ReplaceAll(text, "\n", "; ") // of several errors
	fmt.Fprintln(os.Stderr, shellword.Line("jail: "+string(t)+": "+text))
}
