package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/seed-75010da9/jail/cmd/internal/stream"
	"golang.org/x/sys/unix"
)

// A viaConn is a connection to `jail serve`, by system calls: package net, and
// HTTP even more so, would cost every run its start-up time.
type viaConn struct {
	fd       int
	signal   int    // a descriptor, -1 once the signal was seen
	onSignal func() // nil: a signal ends the waiting
	deadline time.Time
}

var (
	errSignal = errors.New("was interrupted before the server had answered")
	errSilent = errors.New("the server does not answer in time")
)

// dialVia connects to the server at path.
func dialVia(path string, signal int) (*viaConn, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("socket: %w", err)
	}
	c := &viaConn{fd: fd, signal: signal}
	address, folder, err := shortAddress(path)
	if err != nil {
		return nil, err
	}
	if folder >= 0 {
		defer unix.Close(folder)
	}
	for {
		err = unix.Connect(fd, &unix.SockaddrUnix{Name: address})
		if !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EINTR) {
			break
		}
		// As many wait as the socket lets wait (unix(7)), and nothing tells when that
		// changes.
		const pause = 20
		if n, _ := unix.Poll([]unix.PollFd{{Fd: int32(signal), Events: unix.POLLIN}}, pause); n > 0 {
			return nil, errSignal
		}
	}
	switch {
	case errors.Is(err, unix.ECONNREFUSED):
		return nil, errors.New("no server listens there any more; `jail serve` would replace the socket")
	case err != nil:
		return nil, fmt.Errorf("must be the socket of `jail serve`: connect: %w", err)
	}
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return nil, fmt.Errorf("peer credentials: %w", err)
	}
	if uid := int(cred.Uid); uid != os.Geteuid() && uid != 0 {
		return nil, fmt.Errorf("belongs to a server of uid %d, which would learn all that is granted here: it must be your own or root's", uid)
	}
	return c, nil
}

// shortAddress is path as it fits into an address (108 bytes, unix(7)); folder is
// a descriptor to close once it was used, or -1.
func shortAddress(path string) (address string, folder int, err error) {
	if len(path) < 108 {
		return path, -1, nil
	}
	fd, err := unix.Open(filepath.Dir(path), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", -1, fmt.Errorf("must be the socket of `jail serve`: open: %w", err)
	}
	return "/proc/self/fd/" + strconv.Itoa(fd) + "/" + filepath.Base(path), fd, nil
}

// upgrade sends the request of a run, and returns what came behind the server's
// consent. Anything else than that is an error.
func (c *viaConn) upgrade(body []byte) ([]byte, error) {
	head := "POST /v1/stream HTTP/1.1\r\nHost: jail\r\nConnection: Upgrade\r\nUpgrade: " + stream.Protocol +
		"\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n"
	// A server that is full answers without reading all of it.
	_, sending := c.Write(append([]byte(head), body...))
	const most = 1 << 20
	var text []byte
	for {
		buf := make([]byte, 4<<10)
		n, err := c.Read(buf)
		text = append(text, buf[:n]...)
		head, rest, whole := bytes.Cut(text, []byte("\r\n\r\n"))
		if whole && bytes.HasPrefix(head, []byte("HTTP/1.1 101 ")) {
			return rest, nil
		}
		switch {
		case err == io.EOF && whole && strings.HasPrefix(string(head), "HTTP/1."):
			return nil, failureOf(rest)
		case err == io.EOF && sending != nil:
			return nil, fmt.Errorf("sending the request: %w", sending)
		case err == io.EOF:
			return nil, errors.New("the server ended the connection without an answer")
		case err != nil:
			return nil, err
		case len(text) > most:
			return nil, failureOf(text)
		}
	}
}

// within sets how long reading may go on.
func (c *viaConn) within(d time.Duration) { c.deadline = time.Now().Add(d) }

// Read waits for the server. The first signal is told to onSignal; from then on
// the server has answerGrace.
func (c *viaConn) Read(b []byte) (int, error) {
	for {
		n, err := unix.Read(c.fd, b)
		switch {
		case n > 0:
			return n, nil
		case err == nil, errors.Is(err, unix.ECONNRESET): // it left some of what was sent unread
			return 0, io.EOF
		case errors.Is(err, unix.EINTR):
			continue
		case !errors.Is(err, unix.EAGAIN):
			return 0, fmt.Errorf("read: %w", err)
		}
		if err := c.wait(); err != nil {
			return 0, err
		}
	}
}

// wait waits until there may be something to read.
func (c *viaConn) wait() error {
	timeout := -1
	if !c.deadline.IsZero() {
		left := time.Until(c.deadline)
		if left <= 0 {
			return errSilent
		}
		timeout = int(min(left.Milliseconds()+1, 1<<30))
	}
	fds := []unix.PollFd{{Fd: int32(c.fd), Events: unix.POLLIN}, {Fd: int32(c.signal), Events: unix.POLLIN}}
	if _, err := unix.Poll(fds, timeout); err != nil && !errors.Is(err, unix.EINTR) {
		return fmt.Errorf("poll: %w", err)
	}
	if fds[1].Revents == 0 {
		return nil
	}
	if c.onSignal == nil {
		return errSignal
	}
	c.signal = -1
	c.within(answerGrace)
	c.onSignal()
	return nil
}

// Write writes all of b.
func (c *viaConn) Write(b []byte) (int, error) {
	for sent := 0; sent < len(b); {
		n, err := unix.Write(c.fd, b[sent:])
		switch {
		case err == nil:
			sent += n
		case errors.Is(err, unix.EAGAIN):
			unix.Poll([]unix.PollFd{{Fd: int32(c.fd), Events: unix.POLLOUT}}, -1)
		case !errors.Is(err, unix.EINTR):
			return sent, err
		}
	}
	return len(b), nil
}
