package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/seed-75010da9/jail/cmd/internal/companion"
	"github.com/seed-75010da9/jail/cmd/internal/nobox"
	"github.com/seed-75010da9/jail/cmd/jaild/internal/mcpserver"
	"golang.org/x/sys/unix"
)

// endingTime is how long a session that was told to end, or whose input has ended, may
// take, with a client that does not read.
const endingTime = 15 * time.Second

// mcp is `jail mcp`, until its client goes away or a signal comes.
func mcp(handed string) int {
	said := teller("mcp")
	signal.Ignore(unix.SIGPIPE) // it is an error of the write
	ctx, stop := signal.NotifyContext(context.Background(), unix.SIGINT, unix.SIGTERM, unix.SIGHUP)
	defer stop()
	var settings companion.MCP
	if err := companion.Receive(handed, &settings); err != nil {
		return said.failed(err)
	}
	if err := matches(settings.Version); err != nil {
		return said.failed(err)
	}
	in, out, err := takeStdio()
	if err != nil {
		return said.failed(err)
	}
	os.Chdir("/") // so that no mount stays busy for us
	if settings.MaxRunning, err = keepThreads(said, settings.MaxRunning, 0); err != nil {
		return said.failed(err)
	}
	server, err := mcpserver.New(settings)
	if err != nil {
		return said.failed(err)
	}
	if err := server.Foretold(ctx); err != nil { // whose answers say so as well, but to the model
		said.tell("every call is going to be refused: " + nobox.Words(err))
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		waitUnread(out)
		cancel()
	}()
	ended := make(chan error, 1)
	heard := &noticed{from: in, over: make(chan struct{})}
	go func() { ended <- server.Serve(ctx, heard, out) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		err = within(endingTime, ended)
	case <-heard.over:
		err = within(endingTime, ended)
	}
	server.Close()
	if err != nil {
		return said.failed(err)
	}
	return 0
}

// within is what comes of a session, or nil when time is over.
func within(limit time.Duration, ended <-chan error) error {
	select {
	case err := <-ended:
		return err
	case <-time.After(limit):
		return nil
	}
}

// A noticed reader closes over when there is nothing more to read.
type noticed struct {
	from io.Reader
	over chan struct{}
}

func (n *noticed) Read(b []byte) (int, error) {
	read, err := n.from.Read(b)
	if err != nil {
		select {
		case <-n.over:
		default:
			close(n.over)
		}
	}
	return read, err
}

// takeStdio takes stdin and stdout for the protocol alone: whatever else would be
// written to stdout goes to stderr from now on.
func takeStdio() (io.Reader, *os.File, error) {
	var taken [2]*os.File
	for fd, name := range [...]string{"stdin", "stdout"} {
		to, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		taken[fd] = os.NewFile(uintptr(to), name)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, nil, err
	}
	defer null.Close()
	if err := unix.Dup2(int(null.Fd()), 0); err != nil {
		return nil, nil, fmt.Errorf("dup2: %w", err)
	}
	if err := unix.Dup2(2, 1); err != nil {
		return nil, nil, fmt.Errorf("dup2: %w", err)
	}
	return taken[0], taken[1], nil
}

// waitUnread returns when nobody can read any more what is written to f. A client
// that is gone may have left its end of our input to somebody else.
func waitUnread(f *os.File) {
	fds := []unix.PollFd{{Fd: int32(f.Fd())}}
	for fds[0].Revents&(unix.POLLERR|unix.POLLHUP|unix.POLLNVAL) == 0 {
		if _, err := unix.Poll(fds, -1); err != nil && err != unix.EINTR {
			return
		}
	}
}
