package server

import (
	"fmt"

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

// closePools ends the boxes that wait.
func (s *Server) closePools() {
	for _, p := range s.pools {
		p.boxes.Close()
	}
}
