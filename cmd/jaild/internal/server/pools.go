package server

import (
	"fmt"

	"github.com/seed-75010da9/jail/cmd/internal/nobox"
	"github.com/seed-75010da9/jail/cmd/internal/request"
	"github.com/seed-75010da9/jail/jail"
)

// A pool is the boxes of one kind that are kept ready.
type pool struct {
	name  string
	size  int
	boxes *jail.Pool
}

func (s *Server) makePools() error {
	for _, p := range s.settings.Pools {
		r, faults := request.Decode(p.Spec)
		spec, more := r.Spec(s.host)
		faults = append(faults, more...)
		if faults = append(faults, s.mayNot(r, spec, true)...); len(faults) > 0 {
			return fmt.Errorf("warm boxes of %s: %w", p.Name, request.OfSpec(faults))
		}
		boxes, err := jail.NewPool(s.ending, spec, p.Size)
		if err != nil {
			return fmt.Errorf("warm boxes of %s: %w", p.Name, err)
		}
		s.pools = append(s.pools, &pool{p.Name, p.Size, boxes})
	}
	return nil
}

// try finds out, where no box is to be ready, whether there can be one at all.
func (s *Server) try() error {
	if len(s.settings.Pools) > 0 || s.settings.Trial == nil {
		return nil
	}
	r, faults := request.Decode(s.settings.Trial)
	spec, more := r.Spec(s.host)
	if faults = append(faults, more...); len(faults) > 0 {
		return request.OfSpec(faults)
	}
	if err := nobox.Foretold(s.ending, spec); err != nil {
		return fmt.Errorf("a run such as this server's flags say would be refused: %w", err)
	}
	return nil
}

// closePools ends the boxes that wait.
func (s *Server) closePools() {
	for _, p := range s.pools {
		p.boxes.Close()
	}
}
