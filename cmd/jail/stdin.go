package main

import (
	"errors"
	"io"
	"os"

	"github.com/seed-75010da9/jail/profiles"
	"golang.org/x/sys/unix"
)

// openStdin opens what --stdin names; nil is an empty stdin.
func openStdin(host profiles.Host, name string) (io.Reader, error) {
	switch name {
	case "":
		return nil, nil
	case "-":
		return os.Stdin, nil
	}
	if number, ok := inheritedFD(name); ok {
		return inherited(number, true)
	}
	f, kind, err := openFile(host, name, unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	switch kind {
	case unix.S_IFREG, unix.S_IFCHR:
		return f, nil
	case unix.S_IFIFO:
		return &pipe{from: f}, nil
	case unix.S_IFDIR:
		err = unix.EISDIR
	default:
		err = errors.New("must be a file, a named pipe or a character device")
	}
	f.Close()
	return nil, err
}

// A pipe is a named pipe that was opened without waiting for a writer: until
// one has come, reading it would say that it has ended. Who waits now is the
// program, under its own deadline.
type pipe struct {
	from  *os.File
	begun bool
}

func (p *pipe) Read(b []byte) (int, error) {
	for !p.begun {
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(p.from.Fd()), Events: unix.POLLIN}}, -1)
		if err != nil && err != unix.EINTR {
			return 0, err
		}
		p.begun = err == nil
	}
	return p.from.Read(b)
}
