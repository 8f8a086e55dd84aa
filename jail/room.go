package jail

import (
	"fmt"

	"github.com/seed-75010da9/jail/internal/pid1"
	"github.com/seed-75010da9/jail/internal/threads"
	"golang.org/x/sys/unix"
)

// makeRoom sees that the supervisor never needs a thread while the box runs, where
// the box and others like it could have taken what there is room for: that takes about a
// millisecond. That the box's own cap is more than there is room for is no
// fault: it is a bound and no promise, and in containers with a limit of a hundred the
// default would be one.
func (r *run) makeRoom() error {
	if !r.crowded() {
		return nil
	}
	const own = 2 // PID 1 and what clones it
	missing := int64(threads.Missing(1))
	if room := threads.Room(missing + own); missing > 0 && room < missing+own || room < own {
		return &SetupError{Stage: StageClone, Operation: "clone", Operand: "the supervisor's threads",
			Err:    fmt.Errorf("%w: the limits on the caller's processes have room for %d more, and the supervisor and PID 1 need %d", unix.EAGAIN, room, missing+own),
			Remedy: moreProcesses}
	}
	pid1.Narrow()
	r.unclaim = threads.Claim()
	return nil
}

// crowded says whether there is a limit on the caller's processes that counts. Of the
// groups only the box's parent, and those around it, are asked where there is one: what
// lies around the caller alone the box takes nothing of.
func (r *run) crowded() bool {
	most := threads.Crowd * r.spec.Limits.Pids
	if h := r.host; threads.ByUser(h.processes, h.uid == 0 && h.hostUsers) && threads.Scarce(most) {
		return true
	}
	if r.parent == nil || r.spec.CgroupParent != "" {
		return threads.Left() <= most
	}
	return threads.LeftIn(r.parent.Path()) <= most
}
