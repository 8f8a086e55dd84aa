package bus

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// A Conn is a connection to a bus, or to a service that listens itself. It is
// for one goroutine.
type Conn struct {
	fd       int
	deadline time.Time
	serial   uint32 // of the last call
	buf      []byte // received and not yet read
}

// ErrTimeout is what everything fails with that is not done by the deadline.
var ErrTimeout = errors.New("no answer in time")

// An Error is what a service answers to a call that failed.
type Error struct {
	Name string // such as "org.freedesktop.systemd1.UnitExists"
	Text string // for people
}

func (e *Error) Error() string { return e.Name + ": " + e.Text }

// Dial connects to the socket at address, a path or "@" and an abstract name,
// and says who we are. Nothing that is done on the connection takes longer than
// until the deadline.
func Dial(address string, deadline time.Time) (*Conn, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("socket: %w", err)
	}
	c := &Conn{fd: fd, deadline: deadline}
	if err := c.connect(address); err != nil {
		c.Close()
		return nil, err
	}
	if err := c.authenticate(); err != nil {
		c.Close()
		return nil, fmt.Errorf("authentication: %w", err)
	}
	return c, nil
}

// Close ends the connection.
func (c *Conn) Close() { unix.Close(c.fd) }

// retryConnect is how long is waited before the next try where a listener's
// queue is full. connect(2) on such a Unix socket says EAGAIN, and poll(2)
// can't tell when there is room.
const retryConnect = 10 * time.Millisecond

func (c *Conn) connect(address string) error {
	for {
		err := unix.Connect(c.fd, &unix.SockaddrUnix{Name: address})
		switch {
		case err == unix.EINTR:
		case err != unix.EAGAIN:
			return err
		case time.Until(c.deadline) < retryConnect:
			return ErrTimeout
		default:
			time.Sleep(retryConnect)
		}
	}
}

// authenticate says who we are by the socket's own credentials (mechanism
// EXTERNAL). No id is named at first: in a user namespace ours is another one
// than the peer sees. Servers that want one are told.
//
// BEGIN goes out with the last answer, before the OK to it: systemd's own
// sockets leave a short message that they read together with BEGIN lying until
// the next one comes, and so a call must not come right behind it.
func (c *Conn) authenticate() error {
	if err := c.send([]byte("\x00AUTH EXTERNAL\r\n")); err != nil {
		return err
	}
	begun := false
	for {
		line, err := c.line()
		if err != nil {
			return err
		}
		verb, _, _ := bytes.Cut(line, []byte(" "))
		answer := ""
		switch {
		case string(verb) == "OK" && begun:
			return nil
		case string(verb) == "OK":
			return c.send([]byte("BEGIN\r\n"))
		case begun:
			return fmt.Errorf("the peer rejects us: it says %q", line)
		case string(verb) == "DATA":
			answer = "DATA\r\nBEGIN\r\n"
		case string(verb) == "REJECTED":
			answer = "AUTH EXTERNAL " + hex.EncodeToString(strconv.AppendInt(nil, int64(unix.Geteuid()), 10)) + "\r\nBEGIN\r\n"
		default:
			return fmt.Errorf("the peer says %q", line)
		}
		begun = true
		if err := c.send([]byte(answer)); err != nil {
			return err
		}
	}
}

// lineMax bounds a line of the authentication.
const lineMax = 1024

func (c *Conn) line() ([]byte, error) {
	for {
		if line, rest, ok := bytes.Cut(c.buf, []byte("\r\n")); ok {
			c.buf = rest
			return line, nil
		}
		if len(c.buf) > lineMax {
			return nil, fmt.Errorf("a line of over %d bytes", lineMax)
		}
		if err := c.fill(); err != nil {
			return nil, err
		}
	}
}

// Send sends a call and returns its serial number, by which the reply is known.
func (c *Conn) Send(call Call) (uint32, error) {
	c.serial++
	return c.serial, c.send(call.encode(c.serial))
}

// Call sends a call and returns the reply. Other messages that come meanwhile
// are dropped. An *Error is the service's own.
func (c *Conn) Call(call Call) (Message, error) {
	serial, err := c.Send(call)
	if err != nil {
		return Message{}, err
	}
	for {
		m, err := c.Receive()
		if err != nil {
			return Message{}, err
		}
		switch {
		case m.ReplyTo != serial:
		case m.Type == TypeReturn:
			return m, nil
		case m.Type == TypeError:
			return Message{}, m.Error()
		}
	}
}

// Receive returns the next message.
func (c *Conn) Receive() (Message, error) {
	need := fixedHeader
	for {
		if len(c.buf) >= fixedHeader {
			n, err := length(c.buf)
			if err != nil {
				return Message{}, err
			}
			need = n
		}
		if len(c.buf) >= need {
			text := c.buf[:need]
			c.buf = c.buf[need:]
			return decode(text)
		}
		if err := c.fill(); err != nil {
			return Message{}, err
		}
	}
}

func (c *Conn) send(text []byte) error {
	for len(text) > 0 {
		n, err := unix.SendmsgN(c.fd, text, nil, nil, unix.MSG_NOSIGNAL)
		if err == nil {
			text = text[n:]
			continue
		}
		if err := c.again(err, unix.POLLOUT); err != nil {
			return err
		}
	}
	return nil
}

// fill reads what there is, and waits for it. A peer that never stops talking
// does not move the deadline.
func (c *Conn) fill() error {
	var more [4096]byte
	for {
		if time.Until(c.deadline) <= 0 {
			return ErrTimeout
		}
		n, err := unix.Read(c.fd, more[:])
		switch {
		case n > 0:
			c.buf = append(c.buf, more[:n]...)
			return nil
		case err == nil:
			return io.ErrUnexpectedEOF
		}
		if err := c.again(err, unix.POLLIN); err != nil {
			return err
		}
	}
}

// again waits until what failed with err can be tried again.
func (c *Conn) again(err error, events int16) error {
	if err == unix.EINTR {
		return nil
	}
	if err != unix.EAGAIN {
		return err
	}
	for {
		left := time.Until(c.deadline)
		if left <= 0 {
			return ErrTimeout
		}
		ready := []unix.PollFd{{Fd: int32(c.fd), Events: events}}
		// Rounded up, so that the last wait is not a busy loop.
		n, err := unix.Poll(ready, int(left/time.Millisecond)+1)
		if n > 0 || err != nil && err != unix.EINTR {
			return err
		}
	}
}
