package attacks

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// The host's side of the socket rows.

// bind makes a socket of the host's with a name.
func (a *Arena) bind(kind int, name unix.Sockaddr) int {
	a.t.Helper()
	domain := unix.AF_INET
	file, isUnix := name.(*unix.SockaddrUnix)
	if isUnix {
		domain = unix.AF_UNIX
	}
	fd, err := unix.Socket(domain, kind|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err == nil {
		a.t.Cleanup(func() { unix.Close(fd) })
		err = unix.Bind(fd, name)
	}
	if err != nil {
		a.t.Fatal("bind:", err)
	}
	if isUnix && !strings.HasPrefix(file.Name, "@") {
		if err := os.Chmod(file.Name, 0o777); err != nil { // everybody may connect
			a.t.Fatal(err)
		}
	}
	return fd
}

// serve lets a socket of the host's answer whoever connects.
func (a *Arena) serve(kind int, name string, answer func(fd int)) {
	a.t.Helper()
	a.accept(a.bind(kind, &unix.SockaddrUnix{Name: name}), answer)
}

// listen has it tell the secret.
func (a *Arena) listen(kind int, name string) {
	a.t.Helper()
	a.serve(kind, name, a.tell)
}

func (a *Arena) tell(fd int) { unix.Write(fd, []byte(a.secret)) }

// accept ends with the test, which closes fd.
func (a *Arena) accept(fd int, answer func(fd int)) {
	a.t.Helper()
	if err := unix.Listen(fd, 8); err != nil {
		a.t.Fatal("listen:", err)
	}
	done := make(chan struct{})
	ended := make(chan struct{})
	a.t.Cleanup(func() { close(done); <-ended })
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			default:
			}
			unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 20)
			peer, _, err := unix.Accept4(fd, unix.SOCK_CLOEXEC)
			if err != nil {
				continue
			}
			answer(peer)
			unix.Close(peer)
		}
	}()
}

// port is the port that a socket of the host's got.
func (a *Arena) port(fd int) string {
	a.t.Helper()
	name, err := unix.Getsockname(fd)
	if err != nil {
		a.t.Fatal(err)
	}
	return strconv.Itoa(name.(*unix.SockaddrInet4).Port)
}

// inetServer is a TCP server of the host's that tells the secret.
func inetServer(a *Arena) {
	fd := a.bind(unix.SOCK_STREAM, &unix.SockaddrInet4{Addr: loopback})
	a.accept(fd, a.tell)
	a.Args(a.port(fd))
	a.leaksSecret()
}

func inetSocket(kind, proto int, port string) (int, unix.Sockaddr, error) {
	n, err := strconv.Atoi(port)
	if err != nil {
		return -1, nil, err
	}
	fd, err := unix.Socket(unix.AF_INET, kind, proto)
	return fd, &unix.SockaddrInet4{Port: n, Addr: loopback}, err
}

// inetAttack connects to the host's loopback and prints what it is told.
func inetAttack(kind, proto int) func([]string) error {
	return func(args []string) error {
		fd, to, err := inetSocket(kind, proto, args[0])
		if err != nil {
			return err
		}
		if err := unix.Connect(fd, to); err != nil {
			return err
		}
		buf := make([]byte, 256)
		n, err := unix.Read(fd, buf)
		fmt.Printf("%s\n", buf[:max(n, 0)])
		return err
	}
}

// reads is nil when fd gives the text soon, or in time where it must.
func (a *Arena) reads(fd int, text string) error {
	soon := 50 * time.Millisecond
	if a.wins {
		soon = inTime
	}
	for until := time.Now().Add(soon); ; {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(max(time.Until(until), 0).Milliseconds()))
		if n != 0 || err != unix.EINTR {
			break
		}
	}
	buf := make([]byte, 256)
	n, err := unix.Read(fd, buf)
	if err != nil {
		return err
	}
	if string(buf[:n]) != text {
		return errors.New("something else was received")
	}
	return nil
}
