package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"time"

	"github.com/seed-75010da9/jail/cmd/internal/request"
	"github.com/seed-75010da9/jail/jail"
)

// read reads r into j. All that is wrong with it is one answer.
func (s *Server) read(w http.ResponseWriter, r *http.Request, j *job, streamed bool) *answer {
	if r.ContentLength < 0 || r.ContentLength > smallRequest {
		select {
		case s.large <- struct{}{}:
			defer func() { <-s.large }()
		case <-r.Context().Done():
			return &answer{Code: "incomplete", Message: "the caller went away", status: http.StatusRequestTimeout}
		case <-s.draining.Done():
			return ptr(draining())
		}
	}
	text, err := s.body(w, r)
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return ptr(tooLarge(large.Limit))
	case err != nil && s.draining.Err() != nil:
		return ptr(draining())
	case err != nil:
		return &answer{Code: "incomplete", Message: fmt.Sprintf("the request did not arrive within %v", bodyTime), status: http.StatusRequestTimeout}
	}
	var faults jail.Faults
	if j.request, faults = request.Decode(text); request.NoObject(faults) {
		return ptr(badRequest(faults))
	}
	if j.request.CgroupParent == "" {
		j.request.CgroupParent = request.Text(s.settings.CgroupParent)
	}
	spec, more := j.request.Spec(s.host)
	faults = append(faults, more...)
	faults = append(faults, s.mayNot(j.request, spec, streamed)...)
	if faults = request.Check(spec, faults); len(faults) > 0 {
		return ptr(badRequest(faults))
	}
	j.spec = spec
	return nil
}

// body reads the body of r, for as long as it may take: a server that drains waits for
// none, since it would not run what is in it.
func (s *Server) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	control := http.NewResponseController(w)
	control.SetReadDeadline(time.Now().Add(bodyTime))
	ended := make(chan struct{})
	stop := context.AfterFunc(s.draining, func() {
		control.SetReadDeadline(time.Now())
		close(ended)
	})
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, request.MostBytes))
	if !stop() {
		<-ended
	}
	control.SetReadDeadline(time.Time{}) // what is read from here on is the end of the connection
	return text, err
}

// mayNot are the faults of what a box may have and this server does not give.
func (s *Server) mayNot(r request.Request, spec jail.Spec, streamed bool) (faults jail.Faults) {
	fault := func(field, value, want string) {
		faults = append(faults, jail.Fault{Field: field, Value: value, Want: want})
	}
	if !label(r.Client) {
		fault("client", r.Client, "must be at most 64 letters, digits, '.', '_' and '-'")
	}
	if r.Stdin != nil && streamed {
		fault("stdin", "", "must be left out: the input of a stream comes in frames (stdin_frames)")
	}
	if r.StdinFrames && !streamed {
		fault("stdin_frames", "true", "must be left out but for /v1/stream")
	}
	if r.Capture && !streamed {
		fault("capture", "true", "must be left out but for /v1/stream: here output is always captured")
	}
	if n, most := spec.Limits.WithDefaults().Output, s.settings.MaxCapture; (r.Capture || !streamed) && (n > most || n == jail.Unlimited) {
		fault("limits.output_bytes", strconv.FormatInt(n, 10), fmt.Sprintf("must be at most %d where the output is captured: the server keeps it in memory (--max-capture)", most))
	}
	places := jail.NewPlaces()
	for i, m := range spec.View {
		const others = "a program that reaches it can start boxes with other grants"
		switch field := "view[" + strconv.Itoa(i) + "].source"; s.shows(m, places) {
		case shown:
			fault(field, m.Source, "must not show the server's own socket: "+others)
		case perhapsShown:
			fault(field, m.Source, "may show the server's own socket by another name, since there are hard links to it on that file system: "+others+"; remove them")
		}
	}
	return faults
}

// A sight is what a box would see of the server's socket.
type sight int

const (
	unseen sight = iota
	perhapsShown
	shown
)

// shows says whether a box would see the server's socket, at whatever path.
func (s *Server) shows(m jail.Mount, places *jail.Places) sight {
	switch m.Kind {
	case jail.MountRO, jail.MountRW, jail.MountSystem:
	default:
		return unseen
	}
	real, err := filepath.EvalSymlinks(m.Source)
	if err != nil {
		return unseen // nor can it be granted then
	}
	_, folder := places.Within(real, s.folder)
	_, itself := places.Within(real, filepath.Join(s.folder, s.socket.name))
	switch {
	case folder || itself:
		return shown
	case s.socket.mayBeNamedIn(real):
		return perhapsShown
	}
	return unseen
}

// label says whether text may be told to others as it is.
func label(text string) bool {
	for _, c := range []byte(text) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.') {
			return false
		}
	}
	return len(text) <= 64
}

// until is ctx, ended besides when the server ends its runs.
func (s *Server) until(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.ending, cancel)
	return ctx, func() { stop(); cancel() }
}
