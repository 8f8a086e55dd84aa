package server

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/seed-75010da9/jail/cmd/internal/request"
	"github.com/seed-75010da9/jail/jail"
)

// run is POST /v1/run: one request, one record.
func (s *Server) run(w http.ResponseWriter, r *http.Request) {
	j := s.take(w, r, false)
	if j == nil {
		return
	}
	defer j.leave()
	ctx, cancel := s.until(r.Context())
	defer cancel()
	c, _ := r.Context().Value(connectionKey{}).(*connection)
	go c.whenClosed(ctx, cancel)
	if no := j.wait(ctx); no != nil {
		s.refuse(w, *no)
		return
	}
	var io jail.IO
	if in := j.request.Stdin; in != nil {
		io.Stdin = strings.NewReader(string(*in))
	}
	res, no := s.box(ctx, j.spec, io)
	if no != nil {
		s.refuse(w, *no)
		return
	}
	reply(w, http.StatusOK, line(res))
}

// box runs spec, in a box that is ready if there is one of its kind. What only
// looking at the host shows to be wrong with it is an answer, not a record.
func (s *Server) box(ctx context.Context, spec jail.Spec, io jail.IO) (jail.Result, *answer) {
	do := func() (jail.Result, error) { return jail.RunIO(ctx, spec, io) }
	for _, p := range s.pools {
		if p.boxes.Accepts(spec) {
			command := jail.Command{Name: spec.Name, Args: spec.Args, Env: spec.Env}
			do = func() (jail.Result, error) { return p.boxes.Run(ctx, command, io) }
			break
		}
	}
	res, err := do()
	var faults jail.Faults
	if errors.As(err, &faults) {
		return res, ptr(badRequest(request.Named(faults)))
	}
	if res.Reason == jail.ReasonCanceled && s.ending.Err() != nil {
		res.Message += ": the server is ending"
	}
	s.counts.ran(res)
	return res, nil
}
