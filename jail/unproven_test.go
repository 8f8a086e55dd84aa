package jail

import (
	"context"
	"testing"

	"github.com/seed-75010da9/jail/internal/ablation"
	"golang.org/x/sys/unix"
)

// A box that lacks a wall which was asked for, whatever the reason, is ended
// and is nobody's success. The plan is made without the wall, and then the run
// forgets that a test wanted it so.
func TestUnprovenWallIsNoSuccess(t *testing.T) {
	for _, c := range []struct {
		wall  ablation.Wall
		layer LayerName // "" for the control
	}{
		{"", ""},
		{ablation.Landlock, LayerLandlock},
		{ablation.Seccomp, LayerSeccomp},
		{ablation.NoNewPrivs, LayerCaps},
		{ablation.Rlimits, LayerRlimits},
		{ablation.Root, LayerRoot},
	} {
		if c.wall == ablation.Landlock && landlockABI() == 0 {
			continue // it lacks already
		}
		r := newRun(context.Background(), shell("sleep 0.3"))
		if c.wall == ablation.NoNewPrivs { // or nothing below could be set up
			r.off = ablation.Set{ablation.Landlock, ablation.Seccomp}
		}
		if err := r.prepare(IO{}); err != nil {
			t.Fatal(err)
		}
		if c.wall != "" {
			r.off = append(r.off, c.wall)
		}
		image, err := openInit()
		if err != nil {
			t.Fatal(err)
		}
		err = runFrom(r, image, func() { r.off = nil })
		unix.Close(image)
		res, err := r.finish(err)
		r.close()
		if c.layer == "" {
			want(t, res, ReasonOK)
			continue
		}
		if res.Reason != ReasonInternalError || res.Refusal == nil || res.Refusal.Layer != c.layer || !res.TreeEmpty {
			t.Errorf("without %s: %s (%v)", c.wall, text(res), err)
		}
	}
}
