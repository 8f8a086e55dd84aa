package server

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/seed-75010da9/jail/cmd/internal/stream"
	"github.com/seed-75010da9/jail/jail"
)

// stream is POST /v1/stream: a run whose output and input go by frames.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	if !strings.EqualFold(r.Header.Get("Upgrade"), stream.Protocol) {
		w.Header().Set("Upgrade", stream.Protocol)
		s.refuse(w, answer{Code: "upgrade", Message: "needs the headers Connection: Upgrade and Upgrade: " + stream.Protocol, status: http.StatusUpgradeRequired})
		return
	}
	j := s.take(w, r, true)
	if j == nil {
		return
	}
	defer j.leave()
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		s.refuse(w, answer{Code: "upgrade", Message: "needs HTTP/1.1", status: http.StatusUpgradeRequired})
		return
	}
	defer conn.Close()
	conn.SetDeadline(time.Time{})
	already, _ := buffered.Reader.Peek(buffered.Reader.Buffered())
	if _, err := io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: "+stream.Protocol+"\r\n\r\n"); err != nil {
		return
	}
	s.session(conn, already, j)
}

// A session is one run over one connection.
type session struct {
	sender  *stream.Sender
	in      *stream.Inlet // nil: the program has no input
	outlets map[stream.Kind]*stream.Outlet
	cancel  context.CancelFunc
}

// session sees j through, from the queue to its record.
func (s *Server) session(conn net.Conn, already []byte, j *job) {
	ctx, cancel := s.until(context.Background())
	defer cancel()
	sender := stream.NewSender(conn)
	ss := &session{sender: sender, cancel: cancel, outlets: map[stream.Kind]*stream.Outlet{}}
	var connections jail.IO
	if j.request.StdinFrames {
		ss.in = stream.NewInlet(func(n int) { sender.SendNumber(stream.Credit, stream.Stdin, uint32(n)) })
		connections.Stdin = ss.in
		defer ss.in.End(io.EOF)
	}
	if !j.request.Capture {
		out, err := stream.NewOutlet(sender, stream.Stdout), stream.NewOutlet(sender, stream.Stderr)
		ss.outlets[stream.Stdout], ss.outlets[stream.Stderr] = out, err
		connections.Stdout, connections.Stderr = out, err
	}
	go ss.listen(stream.NewReceiver(conn, already))

	no := j.wait(ctx)
	if no == nil {
		sender.Send(stream.Started, nil)
		var res jail.Result
		if res, no = s.box(ctx, j.spec, connections); no == nil {
			// What nobody takes holds the record up for so long and no longer.
			conn.SetWriteDeadline(time.Now().Add(replyTime))
			sender.SendAll(stream.Record, line(res))
			return
		}
	}
	s.counts.refused(no.Code)
	conn.SetWriteDeadline(time.Now().Add(replyTime))
	sender.SendAll(stream.Failure, no.json())
}

// listen takes what the launcher sends, until it goes away. That ends the box.
func (ss *session) listen(r *stream.Receiver) {
	for {
		kind, payload, err := r.Next()
		if err == nil {
			err = ss.frame(kind, payload)
		}
		if err != nil {
			break
		}
	}
	ss.cancel()
	for _, o := range ss.outlets {
		o.Close(syscall.EPIPE)
	}
	if ss.in != nil {
		ss.in.End(io.EOF)
	}
}

// frame does what one frame says.
func (ss *session) frame(kind stream.Kind, payload []byte) error {
	switch kind {
	case stream.Stdin, stream.StdinEnd:
		if ss.in == nil {
			return stream.ErrProtocol
		}
		if kind == stream.StdinEnd {
			ss.in.End(io.EOF)
			return nil
		}
		return ss.in.Put(payload)
	case stream.Cancel:
		ss.cancel()
		return nil
	case stream.Credit, stream.Lost:
		name, n, err := stream.Number(payload)
		o := ss.outlets[name]
		if err != nil || o == nil {
			return stream.ErrProtocol
		}
		if kind == stream.Credit {
			return o.Give(n)
		}
		o.Close(lost(name, n))
		return nil
	}
	return stream.ErrProtocol
}

// lost is the error with which the launcher itself would have failed.
func lost(name stream.Kind, errno uint32) error {
	path := "/dev/stdout"
	if name == stream.Stderr {
		path = "/dev/stderr"
	}
	return &os.PathError{Op: "write", Path: path, Err: stream.Errno(errno)}
}
