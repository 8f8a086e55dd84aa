// Package server is `jail serve`: boxes over a Unix socket, for programs of any
// language that speak HTTP and JSON, and for `jail run --via`.
//
//	POST /v1/run     a request (see package request) → 200 and the record
//	POST /v1/stream  the same, upgraded to frames (see package stream)
//	GET  /v1/status  what the server is doing
//	GET  /v1/schema  the JSON Schema of a request
//
// Whatever is no record is {"error": {"code", "message", …}} with a status of 400
// and above. The end of a connection is the end of its box.
package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"github.com/seed-75010da9/jail/cmd/internal/companion"
	"github.com/seed-75010da9/jail/cmd/internal/request"
	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

// Times that a caller may take, so that one who does nothing holds nothing up.
const (
	headerTime = 5 * time.Second
	bodyTime   = 10 * time.Second
	idleTime   = time.Minute
)

// mostHeader bounds the head of a request, which says next to nothing.
const mostHeader = 16 << 10

// mostLarge bounds how many requests of more than smallRequest bytes are read at
// once: while it is read and understood, one takes several times its size.
const (
	mostLarge    = 4
	smallRequest = 256 << 10
)

// A Server is one socket and its boxes.
type Server struct {
	settings  companion.Serve
	socket    *socket
	listener  *listener
	http      *http.Server
	admission *admission
	pools     []*pool
	counts    counts
	host      profiles.Host
	folder    string // the socket's, free of links: no box is to see it
	started   time.Time
	large     chan struct{} // one for each large request that is being read

	draining context.Context // its end ends the reading of requests
	drain    context.CancelFunc
	ending   context.Context // its end cancels every run
	cancel   context.CancelFunc
}

// New makes the socket and the boxes that are to be ready. Callers that come
// meanwhile wait.
func New(settings companion.Serve) (*Server, error) {
	sock, err := claim(settings.Socket)
	if err != nil {
		return nil, err
	}
	s := &Server{
		settings: settings, socket: sock, listener: listenTo(sock), host: profiles.CurrentHost(), started: time.Now(),
		large:     make(chan struct{}, mostLarge),
		admission: newAdmission(limits{settings.MaxRunning, settings.MaxQueue, settings.MaxPerCaller, settings.QueueTimeout}),
	}
	s.ending, s.cancel = context.WithCancel(context.Background())
	s.draining, s.drain = context.WithCancel(s.ending)
	s.http = &http.Server{
		Handler: s.routes(), ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: mostHeader,
		ConnContext: withConnection, ErrorLog: log.New(io.Discard, "", 0),
	}
	s.folder, err = filepath.EvalSymlinks(filepath.Dir(settings.Socket))
	if err == nil {
		err = s.makePools()
	}
	if err == nil {
		err = s.try()
	}
	if err != nil {
		s.closePools()
		sock.Close()
		sock.remove()
		return nil, err
	}
	return s, nil
}

// Serve answers callers until Close.
func (s *Server) Serve() error {
	if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// cancelTime is how long canceled runs may take to tell of it.
const cancelTime = 10 * time.Second

// Drain takes no new work, lets the runs go on for up to the drain timeout, or
// until hurry is closed, and then cancels them. It says how many those were.
func (s *Server) Drain(hurry <-chan struct{}) (canceled int) {
	idle := s.admission.drain()
	s.drain()
	timer := time.NewTimer(s.settings.DrainTimeout)
	defer timer.Stop()
	select {
	case <-idle:
		return 0
	case <-timer.C:
	case <-hurry:
	}
	canceled, _, _ = s.admission.counts()
	s.cancel()
	select {
	case <-idle:
	case <-time.After(cancelTime):
	}
	return canceled
}

// Close ends everything that is left, and takes the socket away. It waits for
// boxes no longer than cancelTime: the end of the process is theirs as well.
func (s *Server) Close() {
	s.cancel()
	s.socket.remove()
	s.http.Close()
	closed := make(chan struct{})
	go func() {
		s.closePools()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(cancelTime):
	}
}

// Running says how many runs are under way.
func (s *Server) Running() int {
	n, _, _ := s.admission.counts()
	return n
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/run", s.run)
	mux.HandleFunc("POST /v1/stream", s.stream)
	mux.HandleFunc("GET /v1/status", s.status)
	mux.HandleFunc("GET /v1/schema", func(w http.ResponseWriter, r *http.Request) { reply(w, http.StatusOK, request.Schema) })
	methods := map[string]string{"/v1/run": http.MethodPost, "/v1/stream": http.MethodPost, "/v1/status": http.MethodGet, "/v1/schema": http.MethodGet}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if method, ok := methods[r.URL.Path]; ok {
			w.Header().Set("Allow", method)
			answer{Code: "method", Message: r.URL.Path + " takes " + method, status: http.StatusMethodNotAllowed}.write(w)
			return
		}
		answer{Code: "not_found", Message: "there are POST /v1/run, POST /v1/stream, GET /v1/status and GET /v1/schema", status: http.StatusNotFound}.write(w)
	})
	return mux
}

type connectionKey struct{}

// withConnection keeps a connection, and who made it, for its requests.
func withConnection(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, c)
}

// A job is one request that was understood and has its place in the queue.
type job struct {
	*ticket
	request request.Request
	spec    jail.Spec
}

// take reads a request, makes sure that there is a box in it, and queues it. A nil
// job was answered. The caller of take calls leave.
func (s *Server) take(w http.ResponseWriter, r *http.Request, streamed bool) *job {
	t, no := s.admission.arrive()
	if no != nil {
		s.refuse(w, *no)
		return nil
	}
	j := &job{ticket: t}
	if no = s.read(w, r, j, streamed); no == nil {
		c, _ := r.Context().Value(connectionKey{}).(*connection)
		caller := c.peer.caller()
		if j.request.Client != "" {
			caller = fmt.Sprintf("client %q", j.request.Client)
		}
		no = t.enter(caller)
	}
	if no != nil {
		t.leave()
		s.refuse(w, *no)
		return nil
	}
	return j
}

func (s *Server) refuse(w http.ResponseWriter, a answer) {
	s.counts.refused(a.Code)
	a.write(w)
}
