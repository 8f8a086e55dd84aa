package server

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// A peer is who made a connection, as the kernel saw it then (SO_PEERCRED,
// unix(7)).
type peer struct {
	uid uint32
	pid int32
}

// caller is what the peer's share of the queue is counted under.
func (p peer) caller() string { return fmt.Sprintf("process %d of uid %d", p.pid, p.uid) }

// A connection is one whose peer is known and may ask for boxes.
type connection struct {
	*net.UnixConn
	peer  peer
	close sync.Once
	done  func()
}

// Close closes the connection and makes room for another.
func (c *connection) Close() error {
	err := c.UnixConn.Close()
	c.close.Do(c.done)
	return err
}

// closeEvery is how often it is asked whether a caller is still there.
const closeEvery = 100 * time.Millisecond

// whenClosed calls gone when the peer closes the connection, until ctx ends. net/http
// sees that by itself only of a caller that sends nothing more: a byte of a next
// request hides the end behind it.
func (c *connection) whenClosed(ctx context.Context, gone func()) {
	ticks := time.NewTicker(closeEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		if c.hungUp() {
			gone()
			return
		}
	}
}

// hungUp says whether the peer has closed the connection, whatever is unread in it.
func (c *connection) hungUp() bool {
	raw, err := c.SyscallConn()
	if err != nil {
		return true
	}
	fds := []unix.PollFd{{Events: unix.POLLRDHUP}}
	err = raw.Control(func(fd uintptr) {
		fds[0].Fd = int32(fd)
		unix.Poll(fds, 0)
	})
	return err != nil || fds[0].Revents != 0
}

// A listener hands out the connections of peers that may ask for boxes. What a
// box may be granted is what the server's user may open, so nobody else may ask
// but root. The mode of the socket's folder keeps others away already; this does
// where that was changed, or the socket handed on.
type listener struct {
	*socket
	allowed func(peer) bool
	places  chan struct{} // one for each connection that is open
}

// mostConnections bounds the connections that are open at once.
const mostConnections = 1024

func listenTo(s *socket) *listener {
	own := uint32(os.Geteuid())
	return &listener{
		socket:  s,
		allowed: func(p peer) bool { return p.uid == own || p.uid == 0 },
		places:  make(chan struct{}, mostConnections),
	}
}

// Accept waits for the next one, and for room for it: until then callers wait in
// the socket's own queue.
func (l *listener) Accept() (net.Conn, error) {
	for {
		l.places <- struct{}{}
		c, err := l.AcceptUnix()
		if err != nil {
			<-l.places
			return nil, err
		}
		p, err := credentials(c)
		if err == nil && l.allowed(p) {
			return &connection{UnixConn: c, peer: p, done: func() { <-l.places }}, nil
		}
		go func() {
			turnAway(c)
			<-l.places
		}()
	}
}

func credentials(c *net.UnixConn) (peer, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return peer{}, err
	}
	var cred *unix.Ucred
	err2 := raw.Control(func(fd uintptr) {
		cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if err != nil || err2 != nil {
		return peer{}, fmt.Errorf("peer credentials: %v, %v", err, err2)
	}
	return peer{cred.Uid, cred.Pid}, nil
}

// turnAway answers a peer, whatever it asks, and who learns nothing. An answer
// before there was a question is an error to some clients.
func turnAway(c *net.UnixConn) {
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Second))
	c.Read(make([]byte, mostHeader))
	body := string(answer{Code: "forbidden", Message: "only the user whose server this is, and root, may ask it for boxes"}.json())
	fmt.Fprintf(c, "HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", http.StatusForbidden, http.StatusText(http.StatusForbidden), len(body))
	io.WriteString(c, body)
}
